"""What an index of tar shards may say of them, and what is refused."""

import json

import pytest

from vitbackbones.data.shards.index import index_file, read_index
from vitbackbones.errors import InputError

from ..shard_files import read_tar, with_index


def refusal(folder):
    with pytest.raises(InputError) as caught:
        read_index(folder, 'train')
    message = str(caught.value)
    assert message.startswith(f'index of shards {index_file(folder, "train")}: ')
    assert message.endswith('or write shards and index again ("vitbackbones shards FOLDER OUT").')
    return message


def test_what_is_written_is_read(tmp_path):
    index = read_index(with_index(tmp_path), 'train')
    assert index.classes == ['cat', 'dog']
    assert index.shards == [read_tar(tmp_path / 'train-000000.tar')]


@pytest.mark.parametrize(
    ('change', 'message'),
    [
        ({'bytes': 10**6}, 'train-000000.tar: cut short, 10240 bytes instead of 1000000'),
        ({'labels': [0, -1]}, 'labels in train-000000.tar are not from 0 to 1'),
        ({'name': '../train-000000.tar'}, 'is not the name of a tar file'),
        ({'name': 'other.tar'}, 'other.tar: No such file or directory'),
    ],
)
def test_an_index_that_was_changed(tmp_path, change, message):
    file = index_file(with_index(tmp_path), 'train')
    content = json.loads(file.read_text())
    content['shards'][0].update(change)
    file.write_text(json.dumps(content))
    assert message in refusal(tmp_path)


@pytest.mark.parametrize('change', [{'format': 'vitbackbones shards 2'}, {'shards': []}])
def test_another_format(tmp_path, change):
    file = index_file(with_index(tmp_path), 'train')
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    assert "its format is not 'vitbackbones shards 1'" in refusal(tmp_path)


@pytest.mark.parametrize('text', ['', '[]', '{"classes": []}'])
def test_files_that_are_no_index(tmp_path, text):
    index_file(tmp_path, 'train').write_text(text)
    assert len(refusal(tmp_path)) < 1000
