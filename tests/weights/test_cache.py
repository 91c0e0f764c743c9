"""A name, an address or a file: whatever is given becomes a file that a model is filled from."""

import hashlib
import io
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn

from vitbackbones import create_model
from vitbackbones.errors import InputError, OptionError
from vitbackbones.openmmlab.loading import Pretrained
from vitbackbones.training.find_checkpoint import find_checkpoint
from vitbackbones.weights import DETECTORS, PUBLISHED, cache, fetch
from vitbackbones.weights.cache import fetch_url, local, place_of
from vitbackbones.weights.filling import load_model_file
from vitbackbones.weights.read.downloads import load_anywhere

from .server import behaving


def as_bytes(state):
    file = io.BytesIO()
    torch.save(state, file)
    return file.getvalue()


@pytest.fixture
def server(tmp_path, monkeypatch):
    with behaving(tmp_path / 'cache', monkeypatch) as (_, behavior):
        monkeypatch.chdir(tmp_path)
        yield behavior


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
    assert [method for method, _ in server.asked] == ['HEAD', 'GET']
    other = create_model('deit_ti', num_classes=3, pretrained=True)  # its head stays random
    assert torch.equal(other.backbone.pos_embed, ours.backbone.pos_embed)


def test_init_cfg_takes_a_name(server, monkeypatch):
    publish(server, monkeypatch, 'deit_s', as_bytes({'weight': torch.ones(2, 2)}))
    module = nn.Linear(2, 2, bias=False)
    Pretrained('deit_s')(module)
    assert module.weight.tolist() == [[1, 1], [1, 1]]


def test_a_file_of_that_name_comes_first(server, tmp_path):
    torch.save({'w': torch.tensor(1)}, tmp_path / 'deit_s')
    assert load_anywhere('deit_s')['w'] == 1
    assert server.asked == []


def test_a_wrong_hash_names_the_copy_on_the_hub(server, monkeypatch):
    publish(server, monkeypatch, 'deit_s', b'something else', 'cd65a155')
    with pytest.raises(InputError, match=r'invalid hash .* The hub has a copy: hf-hub:timm/deit_'):
        fetch('deit_s')


def test_what_is_no_checkpoint_is_fetched_again_unless_there_is_no_network(server, monkeypatch):
    publish(server, monkeypatch, 'deit_s', b'no checkpoint')
    file = fetch('deit_s')
    monkeypatch.setenv('HF_HUB_OFFLINE', '1')
    with pytest.raises(InputError, match=r'is not a torch.* deit_s stands for it; delete'):
        load_anywhere('deit_s')
    assert file.exists()
    monkeypatch.delenv('HF_HUB_OFFLINE')
    with pytest.raises(InputError, match=r'is not a torch.* from deit_s and was not kept'):
        load_anywhere('deit_s')
    server.content = as_bytes({'w': torch.tensor(1)})
    assert load_anywhere('deit_s')['w'] == 1


def test_what_only_a_browser_can_fetch_names_the_page():
    with pytest.raises(InputError, match=r'sret_s: .*https://drive\.google\.com/file/d/1y6F_bCg'):
        fetch('sret_s')


def test_a_model_that_was_never_published_names_its_nearest_start():
    with pytest.raises(InputError) as error:
        create_model('aug_vit_s', pretrained=True)
    call = "create_model('aug_vit_s', checkpoint='deit_s', allow_missing=['*.shortcut_*'])"
    assert 'aug_vit_s: its weights were never published' in str(error.value)
    assert call in str(error.value)


def test_two_sources_are_one_too_many():
    with pytest.raises(OptionError, match='pretrained=True and a checkpoint'):
        create_model('deit_ti', pretrained=True, checkpoint='x.pth')


def test_a_missing_file_is_no_name(tmp_path):
    for text in ('none.pth', 'folder/none', str(tmp_path / 'none')):
        with pytest.raises(InputError, match='no such checkpoint file'):
            load_anywhere(text)
    assert not Path('none.pth').exists()


def test_a_text_that_can_be_no_file_is_one_message(tmp_path):
    with pytest.raises(InputError, match='not a name of published weights'):
        local('x' * 300)
    with pytest.raises(InputError, match='Invalid IPv6 URL'):
        fetch('http://[::1/x.pth')
    with pytest.raises(InputError, match=r'x\.pth: must begin with https:// or http://'):
        fetch_url((tmp_path / 'x.pth').as_uri(), tmp_path)


@pytest.mark.parametrize(
    'path', ['a/../b', 'a%2f..%2fb', f'{"x" * 300}-0676ba61.pth', '%E2%82%AC' * 99]
)
def test_the_place_of_a_download_is_a_file_in_its_folder(path, tmp_path):
    file = place_of(f'http://127.0.0.1/{path}', tmp_path)
    assert file.resolve().parent.parent == tmp_path
    file.parent.mkdir()
    file.with_name(f'{file.name}.lock').touch()


@pytest.mark.parametrize('path', ['', 'a/..', 'a/%2e%2e', 'a/....', 'a/%2e', '?file=x.pth'])
def test_an_address_without_the_name_of_a_file_is_refused(path, tmp_path):
    with pytest.raises(InputError, match=r'does not name a file\. Fetch it by other means'):
        place_of(f'http://127.0.0.1/{path}', tmp_path)


def test_the_name_of_a_detector_is_taken_for_a_checkpoint(tmp_path, monkeypatch):
    file, asked = tmp_path / 'fetched.pth', []
    torch.save({'weight': torch.ones(2)}, file)
    monkeypatch.setattr(cache, 'fetch_url', lambda url, sha256: asked.append((url, sha256)) or file)
    assert find_checkpoint('detr_r50', 'CHECKPOINT') == file
    assert load_model_file('detr_r50_dc5')['weight'].tolist() == [1, 1]
    assert asked == [(DETECTORS[n].url, DETECTORS[n].sha256) for n in ('detr_r50', 'detr_r50_dc5')]


def test_a_folder_of_that_name_comes_first(tmp_path, monkeypatch):
    (tmp_path / 'detr_r50').mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match='no checkpoint there'):
        find_checkpoint('detr_r50', 'CHECKPOINT')
