"""A file arrives complete and checked, or not at all."""

import hashlib
import socket
import sys
import threading
from contextlib import nullcontext
from email.message import Message
from types import SimpleNamespace

import huggingface_hub
import pytest
from huggingface_hub import errors

from vitbackbones.errors import InputError
from vitbackbones.weights import transfer
from vitbackbones.weights.transfer import download, fetch_from_hub, size_of

from .server import behaving

CONTENT = bytes(range(256)) * 40
HASH = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def server(tmp_path, monkeypatch):
    with behaving(tmp_path / 'cache', monkeypatch) as (_, behavior):
        behavior.content = CONTENT
        yield behavior


@pytest.fixture
def file(tmp_path):
    return tmp_path / 'cache' / 'x.pth'


def fetch(server, file, sha256=HASH):
    download(f'{server.address}/x.pth', file, sha256, progress=False)


def refusal(server, file, **options):
    with pytest.raises(InputError) as error:
        fetch(server, file, **options)
    return str(error.value)


def left(file):
    return sorted(path.name for path in file.parent.iterdir())


@pytest.mark.parametrize('sha256', [HASH, HASH[:8], None])
@pytest.mark.parametrize('tells_size', [True, False])
def test_a_whole_file_gets_its_name(server, file, sha256, tells_size):
    server.tells_size = tells_size
    fetch(server, file, sha256)
    assert file.read_bytes() == CONTENT
    assert left(file) == ['x.pth', 'x.pth.lock']
    server.asked.clear()
    fetch(server, file)
    assert server.asked == []


@pytest.mark.parametrize(
    ('answer', 'sha256', 'message'),
    [
        ({'ends': 1000}, None, '/x.pth: cannot be downloaded (1000 of 10240 bytes'),
        ({}, '0' * 8, f'invalid hash value (expected "00000000", got "{HASH}")'),
        ({'kind': 'text/html'}, None, 'answers with a web page'),
    ],
)
def test_what_is_not_the_whole_file_is_not_kept(server, file, answer, sha256, message):
    vars(server).update(answer)
    assert message in refusal(server, file, sha256=sha256)
    assert left(file) == ['x.pth.lock']


@pytest.mark.parametrize(
    ('address', 'message'),
    [
        ('{}/missing.pth', r'missing\.pth: cannot be downloaded \(HTTP Error 404'),
        ('http://127.0.0.1:9/x.pth', r'cannot be downloaded \(.*other means'),  # no server's port
    ],
)
def test_an_address_that_nothing_answers_is_one_message(server, file, address, message):
    with pytest.raises(InputError, match=message):
        download(address.format(server.address), file, progress=False)


def test_what_a_killed_process_left_is_removed(server, file):
    file.parent.mkdir()
    file.with_name('whole.partial.1234.partial').write_bytes(b'half')
    fetch(server, file)
    assert left(file) == ['x.pth', 'x.pth.lock']


@pytest.mark.parametrize('tells_size', [True, False])
def test_a_server_that_says_nothing_is_not_waited_for_without_end(
    server, file, monkeypatch, tells_size
):
    monkeypatch.setattr(transfer, 'TIMEOUT', 0.2)
    server.waits, server.tells_size = threading.Event(), tells_size
    assert 'timed out' in refusal(server, file)
    server.waits.set()
    assert socket.getdefaulttimeout() is None


@pytest.mark.parametrize('address', ['file:///etc/hostname', 'ftp://127.0.0.1/x.pth', '/x.pth'])
def test_an_address_of_another_kind_is_refused(file, address):
    with pytest.raises(InputError, match='must begin with https:// or http://'):
        download(address, file, progress=False)
    assert not file.parent.exists()


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
    assert f"Not a directory: '{tmp_path}/taken" in refusal(server, tmp_path / 'taken' / 'x' / 'y')


def test_one_of_many_downloads_for_all(server, file):
    threads = [threading.Thread(target=fetch, args=(server, file)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert file.read_bytes() == CONTENT
    assert [method for method, _ in server.asked] == ['HEAD', 'GET']


def test_https_that_leads_to_http_is_refused(monkeypatch):
    answer = SimpleNamespace(url='https://b/x.pth', headers=Message())
    monkeypatch.setattr(transfer, 'urlopen', lambda request, timeout: nullcontext(answer))
    assert size_of('https://a/x.pth') is None
    answer.url = 'http://b/x.pth'
    with pytest.raises(InputError, match=r'https://a/x\.pth: leads to http://b/x\.pth'):
        size_of('https://a/x.pth')


# ------------------------------------------------------------------------ the hub


class Hub:
    """Answers in place of ``hf_hub_download``; ``files`` of the one repository there is."""

    def __init__(self, folder, *files):
        self.folder, self.files, self.asked = folder, files, []

    def __call__(self, repository, name, revision=None, local_files_only=False):
        self.asked.append((repository, name, revision, local_files_only))
        if local_files_only:
            raise errors.LocalEntryNotFoundError('outgoing traffic has been disabled')
        if name not in self.files:
            raise errors.EntryNotFoundError(f'no {name}')
        return str(self.folder / name)


def answering(monkeypatch, hub):
    monkeypatch.delenv('HF_HUB_OFFLINE', raising=False)
    monkeypatch.setattr(huggingface_hub, 'hf_hub_download', hub)
    return hub


def test_safetensors_come_before_pickles(tmp_path, monkeypatch):
    answering(monkeypatch, Hub(tmp_path, 'pytorch_model.bin', 'model.safetensors'))
    assert fetch_from_hub('hf-hub:owner/name') == tmp_path / 'model.safetensors'
    answering(monkeypatch, Hub(tmp_path, 'pytorch_model.bin'))
    assert fetch_from_hub('hf-hub:owner/name') == tmp_path / 'pytorch_model.bin'


def test_revision_and_file_can_be_named(tmp_path, monkeypatch):
    hub = answering(monkeypatch, Hub(tmp_path, 'best.pth'))
    assert fetch_from_hub('hf-hub:owner/na.me@v1.2:best.pth') == tmp_path / 'best.pth'
    assert hub.asked == [('owner/na.me', 'best.pth', 'v1.2', False)]


def test_a_repository_without_weights_asks_for_the_file(tmp_path, monkeypatch):
    answering(monkeypatch, Hub(tmp_path))
    with pytest.raises(
        InputError, match='has no file model.safetensors or pytorch_model.bin; name'
    ):
        fetch_from_hub('hf-hub:owner/name')


def test_offline_the_cache_is_all(tmp_path, monkeypatch):
    hub = answering(monkeypatch, Hub(tmp_path, 'model.safetensors'))
    monkeypatch.setenv('HF_HUB_OFFLINE', 'yes')
    with pytest.raises(InputError, match='not in the cache of huggingface_hub, and HF_HUB_OFFLINE'):
        fetch_from_hub('hf-hub:owner/name')
    assert all(local for *_, local in hub.asked)


def test_a_hub_out_of_reach_is_one_message(monkeypatch):
    def broken(*args, **options):
        raise errors.LocalEntryNotFoundError('check your connection\nand more')

    answering(monkeypatch, broken)
    with pytest.raises(
        InputError, match=r'^hf-hub:owner/name: cannot be .*\(check your connection\)'
    ):
        fetch_from_hub('hf-hub:owner/name')


def test_without_huggingface_hub_the_message_has_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, 'huggingface_hub', None)
    with pytest.raises(InputError, match='pip install huggingface_hub'):
        fetch_from_hub('hf-hub:owner/name')


@pytest.mark.parametrize(
    'address',
    [
        'hf-hub:name',
        'hf-hub:a/b/c',
        'hf-hub:a/b:',
        'hf-hub:../b',
        'hf-hub:a/b:../../x',
        'hf-hub:a/b@../..:x',
        'hf-hub:a/b:c/../../x',
    ],
)
def test_an_address_of_another_form_is_refused(address):
    with pytest.raises(InputError, match='must be hf-hub:OWNER/NAME'):
        fetch_from_hub(address)
