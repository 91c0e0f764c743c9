"""A name, an address or a file becomes a file that a model is filled from, whole or not at all."""

import hashlib
import io
import sys
import threading
from dataclasses import replace
from pathlib import Path

import huggingface_hub
import pytest
import torch
from huggingface_hub import errors
from mmengine.runner import CheckpointLoader

from vitbackbones import create_model
from vitbackbones.errors import InputError, OptionError
from vitbackbones.training.find_checkpoint import find_checkpoint
from vitbackbones.weights import DETECTORS, PUBLISHED, downloads, fetch
from vitbackbones.weights.downloads import (
    fetch_from_hub,
    fetch_url,
    load_anywhere,
    load_url,
    place_of,
)
from vitbackbones.weights.filling import load_model_file
from vitbackbones.weights.trained import trained_weights

from .server import behaving

pytestmark = pytest.mark.compat


def as_bytes(state):
    file = io.BytesIO()
    torch.save(state, file)
    return file.getvalue()


CONTENT = as_bytes({'w': torch.arange(1000)})
HASH = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def server(tmp_path, monkeypatch):
    with behaving(tmp_path / 'cache', monkeypatch) as (_, behavior):
        behavior.content = CONTENT
        monkeypatch.chdir(tmp_path)
        yield behavior


def kept(folder):
    """The files below the folder of downloads, without locks."""
    files = [path for path in Path(folder, 'cache').rglob('*') if path.is_file()]
    return sorted(path for path in files if path.suffix != '.lock')


# ------------------------------------------------------------------------ web servers


@pytest.mark.parametrize('sha256', [HASH, HASH[:8], None])
def test_a_whole_file_gets_its_name_and_is_asked_for_once(server, tmp_path, sha256):
    for _ in range(2):
        file = fetch_url(f'{server.address}/x.pth', sha256=sha256, progress=False)
    assert file.read_bytes() == CONTENT
    assert kept(tmp_path) == [file]
    assert server.asked == [('GET', '/x.pth')]


@pytest.mark.parametrize(
    ('answer', 'sha256', 'message'),
    [
        ({'ends': 1000}, None, 'the response ends .* bytes too early'),
        ({}, '0' * 8, f'invalid hash value .expected "00000000", got "{HASH}"'),
        ({'content': b'<html>'}, None, 'it is a web page.* It came from'),
    ],
)
def test_what_is_not_the_whole_file_is_not_kept(server, tmp_path, answer, sha256, message):
    vars(server).update(answer)
    with pytest.raises(InputError, match=message):
        fetch_url(f'{server.address}/x.pth', sha256=sha256, progress=False)
    assert kept(tmp_path) == []
    vars(server).update(content=CONTENT, ends=None)
    assert load_url(f'{server.address}/x.pth')['w'].shape == (1000,)


def test_two_addresses_of_one_name_are_two_files(server, tmp_path):
    for folder in 'ab':
        load_url(f'{server.address}/{folder}/model.pth')
    assert [path.name for path in kept(tmp_path)] == ['model.pth', 'model.pth']


def test_the_hash_in_a_name_is_checked(server):
    for name in (HASH[:8], '20231231'):  # the latter is a date
        load_url(f'{server.address}/x-{name}.pth')
    with pytest.raises(InputError, match=f'x-00000000.pth: cannot.* hash .*got .{HASH[:8]}'):
        load_url(f'{server.address}/x-00000000.pth')


@pytest.mark.parametrize(
    ('address', 'message'),
    [
        ('{}/missing.pth', r'missing\.pth: cannot be downloaded \(HTTP Error 404'),
        ('http://127.0.0.1:9/x.pth', r'cannot be downloaded \(.*another way'),  # no server's port
        ('http://[::1/x.pth', 'Invalid IPv6 URL'),
        ('file:///etc/hostname', 'must begin with https:// or http://'),
    ],
)
def test_an_address_that_nothing_answers_is_one_message(server, address, message):
    with pytest.raises(InputError, match=message):
        fetch_url(address.format(server.address), progress=False)


@pytest.mark.parametrize(
    'address', ['s3://bucket/x.pth', 'petrel://bucket/x.pth', 'torchvision://nope', 'openmmlab://x']
)
def test_an_address_of_mmengine_that_nothing_answers_is_one_message(address):
    for load in (load_anywhere, CheckpointLoader.load_checkpoint):
        with pytest.raises(InputError, match=f'^{address}: cannot be downloaded '):
            load(address)


def test_what_a_killed_process_left_is_removed(server, tmp_path):
    file = place_of(f'{server.address}/x.pth')
    file.parent.mkdir(parents=True)
    file.with_name('.new.pth.1234.partial').write_bytes(b'half')
    fetch_url(f'{server.address}/x.pth', progress=False)
    assert kept(tmp_path) == [file]
    (tmp_path / 'taken').touch()
    with pytest.raises(InputError, match=f"Not a directory: '{tmp_path}/taken"):
        fetch_url(f'{server.address}/x.pth', tmp_path / 'taken')


def test_offline_no_connection_is_tried(server, monkeypatch):
    monkeypatch.setenv('HF_HUB_OFFLINE', '1')
    file = place_of(f'{server.address}/x.pth')
    with pytest.raises(InputError, match=f'HF_HUB_OFFLINE is set.* Put the file at {file}'):
        fetch_url(f'{server.address}/x.pth')
    file.parent.mkdir(parents=True)
    file.write_bytes(CONTENT)
    assert fetch_url(f'{server.address}/x.pth') == file
    assert server.asked == []


def test_one_of_many_downloads_for_all(server, tmp_path):
    def run():
        fetch_url(f'{server.address}/x.pth', progress=False)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(kept(tmp_path)) == len(server.asked) == 1


@pytest.mark.parametrize(
    'path', ['a/../b', 'a%2f..%2fb', f'{"x" * 300}-0676ba61.pth', '%E2%82%AC' * 99]
)
def test_the_place_of_a_download_is_a_file_in_its_folder(path, tmp_path):
    file = place_of(f'http://127.0.0.1/{path}', tmp_path)
    assert file.resolve().parent.parent == tmp_path
    file.parent.mkdir()
    file.with_name(f'{file.name}.lock').touch()


@pytest.mark.parametrize('path', ['', 'a/..', 'a/%2e%2e', 'a/....', '?file=x.pth'])
def test_an_address_without_the_name_of_a_file_is_refused(path, tmp_path):
    with pytest.raises(InputError, match=r'does not name a file\. Download it in another way'):
        place_of(f'http://127.0.0.1/{path}', tmp_path)


# ------------------------------------------------------------------------ names and files


def publish(server, monkeypatch, name, content, sha256=None):
    """Let a row of the table name the server's file."""
    server.content = content
    row = replace(PUBLISHED[name], url=f'{server.address}/{name}.pth', sha256=sha256)
    monkeypatch.setitem(PUBLISHED, name, row)


def test_a_model_is_filled_by_its_name(server, monkeypatch):
    ours = create_model('deit_ti')
    content = as_bytes({'model': ours.state_dict()})
    publish(server, monkeypatch, 'deit_ti', content, hashlib.sha256(content).hexdigest())
    for model in (
        create_model('deit_ti', pretrained=True),
        create_model('deit_ti', checkpoint='deit_ti'),
    ):
        assert torch.equal(model.head.fc.weight, ours.head.fc.weight)
    other = create_model('deit_ti', num_classes=3, pretrained=True)  # its head stays random
    assert torch.equal(other.backbone.pos_embed, ours.backbone.pos_embed)


def test_a_file_of_that_name_comes_first(server, tmp_path):
    torch.save({'w': torch.tensor(1)}, tmp_path / 'deit_s')
    assert load_anywhere('deit_s')['w'] == 1
    assert server.asked == []


def test_a_wrong_hash_names_the_copy_on_the_hub(server, monkeypatch):
    publish(server, monkeypatch, 'deit_s', CONTENT, '00000000')
    with pytest.raises(InputError, match=r'invalid hash .* The hub has a copy: hf-hub:timm/deit_'):
        fetch('deit_s')


def test_what_cannot_be_fetched_names_a_way():
    with pytest.raises(InputError, match=r'sret_s: .*https://drive\.google\.com/file/d/1y6F_bCg'):
        fetch('sret_s')
    call = r"create_model\('aug_vit_s', checkpoint='deit_s', allow_missing=\['\*.shortcut_\*'\]\)"
    with pytest.raises(InputError, match=f'aug_vit_s: its weights were never published.*{call}'):
        create_model('aug_vit_s', pretrained=True)
    with pytest.raises(OptionError, match='pretrained=True and a checkpoint'):
        create_model('deit_ti', pretrained=True, checkpoint='x.pth')


def test_a_missing_file_is_no_name(tmp_path):
    for text in ('none.pth', str(tmp_path / 'none')):
        with pytest.raises(InputError, match='no such checkpoint file'):
            load_anywhere(text)
    with pytest.raises(InputError, match='not the name of published weights'):
        load_anywhere('x' * 300)


def test_a_file_address(tmp_path):
    file = tmp_path / 'a b.pth'
    torch.save({'w': torch.tensor(1)}, file)
    for address in (file.as_uri(), Path(file.as_uri())):
        assert load_anywhere(address)['w'] == 1
    assert CheckpointLoader.load_checkpoint(file.as_uri())['w'] == 1
    with pytest.raises(InputError, match=f'{tmp_path}/none.pth: no such checkpoint file'):
        load_anywhere(f'file://{tmp_path}/none.pth')


def test_the_name_of_a_detector_is_taken_for_a_checkpoint(tmp_path, monkeypatch):
    file, asked = tmp_path / 'fetched.pth', []
    torch.save({'weight': torch.ones(2)}, file)
    monkeypatch.setattr(
        downloads, 'fetch_url', lambda url, sha256: asked.append((url, sha256)) or file
    )
    assert find_checkpoint('detr_r50', 'CHECKPOINT') == file
    assert load_model_file('detr_r50_dc5')['weight'].tolist() == [1, 1]
    assert asked == [(DETECTORS[n].url, DETECTORS[n].sha256) for n in ('detr_r50', 'detr_r50_dc5')]


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
            raise errors.EntryNotFoundError(f'404 for {name}')
        return str(self.folder / name)


def answering(monkeypatch, hub):
    monkeypatch.delenv('HF_HUB_OFFLINE', raising=False)
    monkeypatch.setattr(huggingface_hub, 'hf_hub_download', hub)
    return hub


def test_safetensors_come_before_pickles_and_what_is_named_before_both(tmp_path, monkeypatch):
    answering(monkeypatch, Hub(tmp_path, 'pytorch_model.bin', 'model.safetensors'))
    assert fetch_from_hub('hf-hub:owner/name') == tmp_path / 'model.safetensors'
    answering(monkeypatch, Hub(tmp_path, 'pytorch_model.bin'))
    assert fetch_from_hub('hf-hub:owner/name') == tmp_path / 'pytorch_model.bin'
    hub = answering(monkeypatch, Hub(tmp_path, 'best.pth'))
    assert fetch_from_hub('hf-hub:owner/na.me@v1.2:best.pth') == tmp_path / 'best.pth'
    assert hub.asked == [('owner/na.me', 'best.pth', 'v1.2', False)]
    answering(monkeypatch, Hub(tmp_path))
    lacks = r'^hf-hub:owner/name: cannot be .*no model.safetensors or pytorch_model.bin: 404 for'
    with pytest.raises(InputError, match=lacks):
        fetch_from_hub('hf-hub:owner/name')


def test_offline_the_cache_is_all(tmp_path, monkeypatch):
    hub = answering(monkeypatch, Hub(tmp_path, 'model.safetensors'))
    monkeypatch.setenv('HF_HUB_OFFLINE', 'yes')
    with pytest.raises(InputError, match='outgoing traffic has been disabled'):
        fetch_from_hub('hf-hub:owner/name')
    assert all(local for *_, local in hub.asked)


def test_a_gated_repository_says_how_to_sign_in(monkeypatch):
    def refuse(*_, **options):
        raise errors.GatedRepoError.__new__(errors.GatedRepoError)  # which wants a response

    answering(monkeypatch, refuse)
    with pytest.raises(
        InputError, match=r'meta/llama: .*private or gated. Sign in with "hf auth login"'
    ):
        fetch_from_hub('hf-hub:meta/llama')


def test_without_huggingface_hub_the_message_has_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, 'huggingface_hub', None)
    with pytest.raises(InputError, match='pip install huggingface_hub'):
        fetch_from_hub('hf-hub:owner/name')


@pytest.mark.parametrize('address', ['hf-hub:name', 'hf-hub:a/b/c', 'hf-hub:a/b:'])
def test_an_address_of_another_form_is_refused(address):
    with pytest.raises(InputError, match='must be hf-hub:OWNER/NAME'):
        fetch_from_hub(address)


@pytest.mark.parametrize('address', ['hf-hub:../b', 'hf-hub:a/b:../../x', 'hf-hub:a/b@../..:x'])
def test_an_address_leads_to_no_other_folder(address, monkeypatch):
    monkeypatch.setenv('HF_HUB_OFFLINE', '1')
    with pytest.raises(InputError, match=f'^{address}: '):
        fetch_from_hub(address)


def test_the_name_of_weights_that_come_along_is_their_file():
    name = 'detr_aug_vit_s_shapes'
    assert downloads.local(name) == trained_weights()[name]


@pytest.mark.parametrize('said', [False, True])
def test_an_answer_without_an_end_is_bounded_and_not_kept(server, tmp_path, monkeypatch, said):
    monkeypatch.setattr(downloads, 'LARGEST', 1000)
    monkeypatch.setattr(downloads, 'CHUNK', 100)
    server.content, server.tells_length = b'x' * 5000, said
    with pytest.raises(InputError, match=r'the response has more than \d+ bytes'):
        fetch_url(f'{server.address}/x.pth', progress=False)
    assert kept(tmp_path) == []


def test_a_web_address_in_capitals_is_fetched_as_one(server):
    address = server.address.replace('http', 'HTTP')
    assert downloads.fetch(f'{address}/x.pth').name.endswith('x.pth')
