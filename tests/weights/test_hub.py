"""Weights of the hub, by an endpoint of our own."""

import sys

import huggingface_hub
import pytest
from huggingface_hub import errors

from vitbackbones.errors import InputError
from vitbackbones.weights import fetch


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


@pytest.fixture(autouse=True)
def online(monkeypatch):
    monkeypatch.delenv('HF_HUB_OFFLINE', raising=False)


def answering(monkeypatch, hub):
    monkeypatch.setattr(huggingface_hub, 'hf_hub_download', hub)
    return hub


def test_safetensors_come_before_pickles(tmp_path, monkeypatch):
    answering(monkeypatch, Hub(tmp_path, 'pytorch_model.bin', 'model.safetensors'))
    assert fetch('hf-hub:owner/name') == tmp_path / 'model.safetensors'
    answering(monkeypatch, Hub(tmp_path, 'pytorch_model.bin'))
    assert fetch('hf-hub:owner/name') == tmp_path / 'pytorch_model.bin'


def test_revision_and_file_can_be_named(tmp_path, monkeypatch):
    hub = answering(monkeypatch, Hub(tmp_path, 'best.pth'))
    assert fetch('hf-hub:owner/na.me@v1.2:best.pth') == tmp_path / 'best.pth'
    assert hub.asked == [('owner/na.me', 'best.pth', 'v1.2', False)]


def test_a_repository_without_weights_asks_for_the_file(tmp_path, monkeypatch):
    answering(monkeypatch, Hub(tmp_path))
    with pytest.raises(
        InputError, match='has no file model.safetensors or pytorch_model.bin; name'
    ):
        fetch('hf-hub:owner/name')


def test_offline_the_cache_is_all(tmp_path, monkeypatch):
    monkeypatch.setenv('HF_HUB_OFFLINE', 'yes')
    hub = answering(monkeypatch, Hub(tmp_path, 'model.safetensors'))
    with pytest.raises(InputError, match='not in the cache of huggingface_hub, and HF_HUB_OFFLINE'):
        fetch('hf-hub:owner/name')
    assert all(local for *_, local in hub.asked)


def test_a_hub_out_of_reach_is_one_message(monkeypatch):
    def broken(*args, **options):
        raise errors.LocalEntryNotFoundError('check your connection\nand more')

    answering(monkeypatch, broken)
    with pytest.raises(
        InputError, match=r'^hf-hub:owner/name: cannot be .*\(check your connection\)'
    ):
        fetch('hf-hub:owner/name')


def test_without_huggingface_hub_the_message_has_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, 'huggingface_hub', None)
    with pytest.raises(InputError, match='pip install huggingface_hub'):
        fetch('hf-hub:owner/name')


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
        fetch(address)
