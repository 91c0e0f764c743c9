"""A download is kept under its whole address, complete and checked, or not at all."""

import hashlib
from pathlib import Path

import pytest
import torch
from mmengine.runner import CheckpointLoader

from vitbackbones.errors import InputError
from vitbackbones.weights.read.downloads import load_anywhere, load_url

from ...addresses import serving

pytestmark = pytest.mark.compat


@pytest.fixture
def server(tmp_path, monkeypatch):
    with serving(tmp_path, tmp_path / 'cache', monkeypatch) as address:
        yield address


def save(path, value):
    path.parent.mkdir(exist_ok=True)
    torch.save({'w': torch.tensor(value)}, path)
    return path


def kept(folder):
    """The files below the folder of downloads, without locks."""
    files = [path for path in Path(folder, 'cache').rglob('*') if path.is_file()]
    return sorted(path for path in files if path.suffix != '.lock')


def test_two_addresses_of_one_name_are_two_files(tmp_path, server):
    for value, folder in enumerate('ab'):
        save(tmp_path / folder / 'model.pth', value)
    for _ in range(2):  # downloaded, then kept
        for value, folder in enumerate('ab'):
            assert load_url(f'{server}/{folder}/model.pth')['w'] == value
            (tmp_path / folder / 'model.pth').unlink(missing_ok=True)
    assert [path.name for path in kept(tmp_path)] == ['model.pth', 'model.pth']


def test_the_hash_in_a_name_is_checked(tmp_path, server):
    content = save(tmp_path / 'x.pth', 1).read_bytes()
    right = hashlib.sha256(content).hexdigest()[:8]
    (tmp_path / f'x-{right}.pth').write_bytes(content)
    for other in ('00000000', '20231231'):  # the latter is a date
        (tmp_path / f'x-{other}.pth').write_bytes(content)
    for name in (right, '20231231'):
        assert load_url(f'{server}/x-{name}.pth')['w'] == 1
    with pytest.raises(
        InputError, match=f'x-00000000.pth: cannot.* hash .*expected .00000000., got .{right}'
    ):
        load_url(f'{server}/x-00000000.pth')
    assert {path.name for path in kept(tmp_path)} == {f'x-{right}.pth', 'x-20231231.pth'}


@pytest.mark.parametrize('content', [b'<html>', b'PK\x03\x04cut'])
def test_what_cannot_be_read_is_not_kept(tmp_path, server, content):
    (tmp_path / 'x.pth').write_bytes(content)
    with pytest.raises(InputError, match=rf'is not a torch.* It came from {server}/x\.pth and was'):
        load_url(f'{server}/x.pth')
    assert kept(tmp_path) == []
    save(tmp_path / 'x.pth', 1)
    assert load_url(f'{server}/x.pth')['w'] == 1


def test_a_kept_file_that_is_damaged_is_named_and_fetched_again_by_the_next_try(tmp_path, server):
    save(tmp_path / 'x.pth', 1)
    load_url(f'{server}/x.pth')
    (file,) = kept(tmp_path)
    file.write_bytes(b'damaged')
    said = f'{file}: is not a torch.* from {server}/x.pth and was not kept; the next try'
    with pytest.raises(InputError, match=said):
        load_url(f'{server}/x.pth')
    assert load_url(f'{server}/x.pth')['w'] == 1


def test_a_file_address(tmp_path):
    file = save(tmp_path / 'a b.pth', 1)
    for address in (file.as_uri(), Path(file.as_uri())):
        assert load_anywhere(address)['w'] == 1
    assert CheckpointLoader.load_checkpoint(file.as_uri())['w'] == 1
    with pytest.raises(InputError, match=f'{tmp_path}/none.pth: no such checkpoint file'):
        load_anywhere(f'file://{tmp_path}/none.pth')


@pytest.mark.parametrize(
    'address', ['s3://bucket/x.pth', 'petrel://bucket/x.pth', 'torchvision://nope', 'openmmlab://x']
)
def test_an_address_that_nothing_answers_is_one_message(address):
    for load in (load_anywhere, CheckpointLoader.load_checkpoint):
        with pytest.raises(InputError, match=f'^{address}: cannot be downloaded '):
            load(address)
