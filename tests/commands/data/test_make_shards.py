"""From class folders to shards to a training run, as a user goes."""

import pytest
import torch

from vitbackbones.data.shards import dataset as shards  # noqa: F401 -- registers its file backend for all tests
from vitbackbones.weights.read.load import load_file

from ...training.hooks.test_exact_resume import Stop  # noqa: F401 -- registers the hook
from ..conftest import TINY_CLS

pytestmark = pytest.mark.compat


@pytest.fixture
def written(run, folders, tmp_path):
    """The folder of the shards of both splits, with up to four pictures each."""
    for split in ('train', 'val'):
        run('shards', folders / split, tmp_path / 'shards', '--shard-size', 4)
    return tmp_path / 'shards'


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != '.lock'}


def test_what_is_written_and_said(written, tool, folders):
    assert sorted(contents(written)) == [
        *('train-000000.tar', 'train-000001.tar', 'train.index.json'),
        *('val-000000.tar', 'val.index.json'),
    ]
    said = tool('shards', folders / 'train', written, '--shard-size', 4).out.splitlines()
    assert said[:2] == [f'{folders}/train: 6 images of 3 classes', 'train-000000.tar: 4 images']
    assert said[-1] == f'{written}/train.index.json: 6 images in 2 shards'


def test_a_command_that_was_killed_goes_on(written, run, tool, folders):
    """Whatever it had written by then, the end is the same."""
    whole = contents(written)
    kept = (written / 'train-000000.tar').stat().st_ino
    (written / 'train.index.json').unlink()
    last = written / 'train-000001.tar'
    last.rename(f'{last}.host.1.part')
    result = run('shards', folders / 'train', written, '--shard-size', 4)
    assert contents(written) == whole
    assert (written / 'train-000000.tar').stat().st_ino == kept
    result = tool('shards', folders / 'train', written, '--shard-size', 3)
    assert (result.status, contents(written)) == (2, whole)
    assert 'train-000000.tar: contains other images than the dataset does now' in result.err
    result = tool('shards', folders / 'train', folders / 'train' / 'x')
    assert result.status == 2
    assert f'OUT must be outside of {folders}/train. Choose a folder next to it' in result.err
    assert not (folders / 'train' / 'x').exists()
    result = tool('shards', 'nowhere', 'out')
    assert result.status == 2
    assert 'nowhere: no such folder. It must contain a folder for each class' in result.err


def trained(tool, root, work_dir, *arguments, config=TINY_CLS, status=0):
    """Train for two epochs; return what was printed."""
    given = ('--data-root', root, '--work-dir', work_dir, *arguments)
    result = tool('train', config, *given, '--cfg-options', 'train_cfg.max_epochs=2')
    assert result.status == status, result.err
    return result


def test_a_stopped_and_resumed_run_on_shards_is_one_on_folders(written, tool, folders, tmp_path):
    """To the bit: weights after two epochs, one of them left in the middle."""
    trained(tool, folders, 'folders')
    stop = "custom_hooks = [dict(type='Stop', iteration=4, signal=15)]"
    (tmp_path / 'stopped.py').write_text(f"_base_ = ['{TINY_CLS}']\n{stop}")
    result = trained(tool, written, 'shards', config='stopped.py', status=143)
    assert f'{written}/train.index.json: using shards instead of class folders' in result.out
    result = trained(tool, written, 'shards', '--resume')
    assert 'not exactly as before' not in result.out + result.err
    whole, resumed = (
        load_file(tmp_path / name / 'epoch_2.pth')['state_dict'] for name in ('folders', 'shards')
    )
    assert whole.keys() == resumed.keys()
    assert all(torch.equal(whole[key], resumed[key]) for key in whole)
