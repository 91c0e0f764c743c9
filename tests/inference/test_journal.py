"""The lines of a prediction: what is read of them after it was stopped anywhere."""

import errno
import os

import pytest

from vitbackbones.errors import InputError
from vitbackbones.inference.journal import Journal

SETTINGS = {'CHECKPOINT': 'a.pth', '--score-thr': 0.3}
NAMES = ('a.png', 'b.png', 'c.png', 'clip.avi')


def still(name):
    return {'file_name': name, 'best': [{'label': 1}]}


def frame(number):
    return {'file_name': 'clip.avi', 'frame': number, 'best': []}


@pytest.fixture
def written(tmp_path):
    """Two batches and a video, as a prediction writes them."""
    journal = Journal(tmp_path, SETTINGS, resume=False)
    journal.add([still('c.png')])
    journal.add([still('a.png'), still('b.png')])
    journal.add([frame(0), frame(1)])
    journal.add([frame(2)])
    journal.end_video('clip.avi', 3)
    return tmp_path / 'predictions.jsonl'


def resumed(path):
    return Journal(path.parent, SETTINGS, resume=True)


def test_it_is_read_in_the_order_of_the_files(written):
    records = [still(name) for name in NAMES[:3]] + [frame(i) for i in range(3)]
    assert resumed(written).read(NAMES) == records
    assert resumed(written).read(('b.png',)) == [still('b.png')]
    assert resumed(written).answered == set(NAMES)


def test_stopped_anywhere_whole_batches_and_whole_videos_are_answered(written):
    content = written.read_bytes()
    first, rest = content.index(b'\n') + 1, content.index(b'"frame": 0')
    batch = content.rindex(b'\n', 0, rest) + 1
    for length in (0, 9, first - 1, first, batch - 9, batch - 1, batch, rest, len(content) - 1):
        written.write_bytes(content[:length])
        answered = {'c.png'} if length >= first else set()
        answered |= {'a.png', 'b.png'} if length >= batch else set()
        journal = resumed(written)
        assert journal.answered == answered
        assert {record['file_name'] for record in journal.read(NAMES)} == answered
    written.write_bytes(content[:first] + b'\0' * 99)  # a lost end
    assert resumed(written).answered == {'c.png'}


def test_it_goes_on_behind_what_was_there(written):
    content = written.read_bytes()
    written.write_bytes(content[: content.index(b'"frame": 2')])
    journal = resumed(written)
    journal.add([frame(0), frame(1)])
    journal.add([frame(2)])
    journal.end_video('clip.avi', 3)
    assert written.read_bytes() == content


@pytest.mark.parametrize(
    ('name', 'content'),
    [
        ('predictions.jsonl', b'\0' * 9 + b'\n{}\n'),
        ('predictions.jsonl', b'{"best": []}\n'),
        ('predictions.jsonl', b'{"file_name": {}}\n'),
        ('predictions.jsonl', b'[' * 10**5 + b'{}\n'),
        ('settings.json', b'7'),
    ],
)
def test_content_of_another_form_is_damage(written, name, content):
    written.with_name(name).write_bytes(content)
    with pytest.raises(InputError, match=rf'{name} is damaged .* start again with --overwrite'):
        resumed(written)


def test_nothing_to_resume(tmp_path):
    with pytest.raises(InputError, match='no prediction to continue in .*; remove --resume'):
        Journal(tmp_path, SETTINGS, resume=True)


def test_what_was_begun_before_there_were_runtimes_goes_on_in_torch(written):
    def resumed_in(runtime):
        return Journal(written.parent, SETTINGS | {'--runtime': runtime}, resume=True)

    with pytest.raises(InputError, match='--runtime was torch and is now auto. Use the earlier'):
        resumed_in('auto')
    assert resumed_in('torch').answered == set(NAMES)


def test_a_full_disk_is_a_message(written, monkeypatch):
    def full(number):
        raise OSError(errno.ENOSPC, 'No space left on device')

    journal = resumed(written)
    monkeypatch.setattr(os, 'fsync', full)
    with pytest.raises(InputError, match=r'jsonl cannot be written \(No space left on device\)'):
        journal.add([still('d.png')])
