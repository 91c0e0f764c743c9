"""A file arrives complete and checked, or not at all; what was cut short goes on."""

import errno
import hashlib
import threading
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from vitbackbones.errors import InputError
from vitbackbones.weights.transfer import TRIES, _refuse_open_way, download

from .server import behaving

CONTENT = bytes(range(256)) * 40
HASH = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def server(tmp_path, monkeypatch):
    with behaving(tmp_path / 'cache', monkeypatch) as (address, behavior):
        behavior.content = CONTENT
        behavior.address = address
        yield behavior


@pytest.fixture
def file(tmp_path):
    return tmp_path / 'cache' / 'x.pth'


def fetch(server, file, sha256=HASH, **options):
    download(f'{server.address}/x.pth', file, sha256, progress=False, **options)


def refusal(server, file, **options):
    with pytest.raises(InputError) as error:
        fetch(server, file, **options)
    return str(error.value)


def test_what_is_cut_short_goes_on_at_once(server, file):
    server.ends = [1000, 3000]
    fetch(server, file)
    assert file.read_bytes() == CONTENT
    assert [asked for _, _, asked in server.asked] == [None, 'bytes=1000-', 'bytes=4000-']


def test_a_server_without_ranges_starts_over(server, file):
    server.ends, server.ranges = [1000], False
    fetch(server, file)
    assert file.read_bytes() == CONTENT


def test_what_came_before_the_last_break_is_kept_for_the_next_command(server, file):
    server.ends = [100] * TRIES
    text = refusal(server, file)
    assert text.startswith(
        f'{server.address}/x.pth: the connection broke {TRIES} times (the server'
    )
    assert 'the same command goes on' in text
    assert not file.exists()
    server.asked.clear()
    fetch(server, file)
    assert file.read_bytes() == CONTENT
    assert server.asked == [('GET', '/x.pth', f'bytes={100 * TRIES}-')]


def test_a_wrong_hash_is_refused_and_nothing_kept(server, file):
    text = refusal(server, file, sha256='0' * 8)
    assert f'differs: expected "00000000", got "{HASH}"' in text
    assert [path.name for path in file.parent.iterdir()] == ['x.pth.lock']


@pytest.mark.parametrize('left', [b'of another file', CONTENT + b'longer'])
def test_the_start_of_another_file_is_replaced(server, file, left):
    file.parent.mkdir()
    file.with_name('x.pth.part').write_bytes(left)
    fetch(server, file)
    assert file.read_bytes() == CONTENT


def test_a_web_page_is_no_file(server, file):
    server.kind = 'text/html'
    assert 'answers with a web page' in refusal(server, file, sha256=None)
    assert not file.exists()


def test_an_address_that_is_not_there_names_the_status(server, file):
    with pytest.raises(InputError, match=r'missing\.pth: cannot be downloaded \(HTTP Error 404'):
        download(f'{server.address}/missing.pth', file, progress=False)


def test_no_network_is_one_message(file, server, monkeypatch):
    address = 'http://127.0.0.1:9/x.pth'  # the port of no server
    with pytest.raises(InputError, match=rf'{address}: cannot be downloaded \(.*other means'):
        download(address, file, progress=False)


def test_offline_no_connection_is_tried(server, file, monkeypatch):
    monkeypatch.setenv('HF_HUB_OFFLINE', '1')
    text = refusal(server, file)
    assert 'HF_HUB_OFFLINE is set' in text
    assert str(file) in text  # where to put it
    assert server.asked == []
    file.parent.mkdir()
    file.write_bytes(CONTENT)
    fetch(server, file)  # what is there needs no connection


def test_a_folder_that_cannot_be_written_to_is_one_message(server, tmp_path):
    (tmp_path / 'taken').touch()
    text = refusal(server, tmp_path / 'taken' / 'x.pth')
    assert f'cannot be kept in {tmp_path}/taken' in text
    assert 'TORCH_HOME' in text


def test_one_of_many_downloads_for_all(server, file):
    server.ends = [1000]
    threads = [threading.Thread(target=fetch, args=(server, file)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert file.read_bytes() == CONTENT
    assert len(server.asked) == 2  # cut short once


def test_a_part_of_the_rest_is_not_taken_for_all_of_it(server, file):
    server.ends, server.most, server.tag = [1000], 4000, '"1"'
    fetch(server, file, sha256=None)
    assert file.read_bytes() == CONTENT


@pytest.mark.parametrize('tags', [('', ''), ('"1"', '"2"'), ('W/"1"', 'W/"1"')])
def test_parts_of_two_files_are_not_joined(tags, server, file):
    server.ends, server.tag = [1000] * TRIES, tags[0]
    refusal(server, file, sha256=None)
    assert file.with_name('x.pth.part').stat().st_size > 0
    server.content, server.tag = CONTENT[::-1], tags[1]
    fetch(server, file, sha256=None)
    assert file.read_bytes() == server.content
    assert sorted(path.name for path in file.parent.iterdir()) == ['x.pth', 'x.pth.lock']


def test_a_body_without_an_end_is_not_kept(server, file):
    server.says_size = False
    assert 'more than 1000 bytes' in refusal(server, file, largest=1000)
    assert [path.name for path in file.parent.glob('*.part')] == []


def test_a_file_larger_than_the_disk_is_not_begun(server, file, monkeypatch):
    usage = SimpleNamespace(free=100)
    monkeypatch.setattr('vitbackbones.weights.transfer.shutil.disk_usage', lambda _: usage)
    assert f'has {len(CONTENT)} bytes, but {file.parent} has room for 100' in refusal(server, file)
    assert not file.with_name('x.pth.part').exists()


def test_a_full_disk_gets_its_room_back(server, file, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, 'No space left on device')

    monkeypatch.setattr('vitbackbones.weights.transfer.tqdm.update', full)
    assert 'No space left' in refusal(server, file)
    assert not file.with_name('x.pth.part').exists()


@pytest.mark.parametrize('link', [Path.symlink_to, Path.hardlink_to])
@pytest.mark.parametrize('name', ['x.pth.part', 'x.pth.lock', 'x.pth.tag'])
def test_nothing_is_written_through_a_link(name, link, server, file, tmp_path):
    (tmp_path / 'dear').write_text('mine')
    file.parent.mkdir()
    link(file.with_name(name), tmp_path / 'dear')
    with suppress(InputError):  # a part may be replaced
        fetch(server, file, sha256=HASH)
    assert (tmp_path / 'dear').read_text() == 'mine'


def test_https_that_leads_to_http_is_refused():
    _refuse_open_way('https://a/x.pth', 'https://b/x.pth')
    _refuse_open_way('http://a/x.pth', 'http://b/x.pth')
    with pytest.raises(InputError, match=r'https://a/x\.pth: leads to http://b/x\.pth'):
        _refuse_open_way('https://a/x.pth', 'http://b/x.pth')
