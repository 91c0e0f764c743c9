"""From class folders to shards to a training run, as a user goes."""

import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from vitbackbones.checkpoints.reading import load_file
from vitbackbones.datasets import shards  # noqa: F401 -- registers its file backend for all tests
from vitbackbones.datasets.shards_index import read_index

from ..training.hooks.test_exact_resume import Stop  # noqa: F401 -- registers the hook
from .conftest import TINY_CLS

pytestmark = pytest.mark.compat


@pytest.fixture
def written(tool, folders, tmp_path):
    """The folder of the shards of both splits, with up to four pictures each."""
    for split in ('train', 'val'):
        result = tool('make_shards', folders / split, tmp_path / 'shards', '--shard-size', 4)
        assert result.status == 0, result.err
    return tmp_path / 'shards'


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != '.lock'}


def test_what_is_written_and_said(written, tool, folders):
    assert sorted(contents(written)) == [
        *('train-000000.tar', 'train-000001.tar', 'train.index.json'),
        *('val-000000.tar', 'val.index.json'),
    ]
    result = tool('make_shards', folders / 'train', written, '--shard-size', 4)
    first, *others = result.out.splitlines()
    assert re.fullmatch(r'train: 6 pictures of 3 classes, \S+ GB, 2 shards', first)
    assert re.fullmatch(r'train-000001.tar: 2 pictures, \S+ GB', others[1])
    assert others[2] == f'{written}/train.index.json: 6 pictures in 2 shards'
    assert tool('make_shards', folders / 'train', 'other', '--name', 'mine').status == 0
    assert Path('other', 'mine-000000.tar').is_file()


def test_a_command_that_was_killed_goes_on(written, tool, folders):
    """Whatever it had written by then, the end is the same."""
    whole = contents(written)
    kept = (written / 'train-000000.tar').stat().st_ino
    (written / 'train.index.json').unlink()
    last = written / 'train-000001.tar'
    last.rename(f'{last}.host.1.part')
    result = tool('make_shards', folders / 'train', written, '--shard-size', 4)
    assert result.status == 0, result.err
    assert contents(written) == whole
    assert (written / 'train-000000.tar').stat().st_ino == kept
    result = tool('make_shards', folders / 'train', written, '--shard-size', 3)
    assert (result.status, contents(written)) == (2, whole)
    assert 'train-000000.tar: holds other pictures than those that belong there now' in result.err


def test_a_config_names_both_splits(written, tool, folders, tmp_path):
    result = tool(
        *('make_shards', TINY_CLS, 'other', '--data-root', folders, '--shard-size', 4),
    )
    assert result.status == 0, result.err
    assert contents(tmp_path / 'other') == contents(written)


def test_shards_of_others_get_an_index(written, tool, tmp_path):
    index = written / 'train.index.json'
    own = index.read_text()
    names = re.search(r'"classes": \[(.*?)\]', own)[1].replace('"', '').split(', ')
    (tmp_path / 'names.txt').write_text('\n'.join([*names, '', '']))
    for pattern in ('train-{000000..000001}.tar', 'train*.tar'):
        index.unlink()
        result = tool('make_shards', written / pattern, '--classes', 'names.txt')
        assert (result.status, index.read_text()) == (0, own), result.err
    assert tool('make_shards', written / pattern).status == 0
    assert index.read_text() == own  # the names of the classes are kept
    index.unlink()
    for _ in range(2):
        assert tool('make_shards', written / pattern).status == 0
        assert '"classes": ["0", "1", "2"]' in index.read_text()


def test_shards_may_be_one_file_or_have_numbers_for_names(written, tool):
    for pattern, index in (('train.tar', 'train'), ('{00..01}.tar', 'shards')):
        for number in range(2):
            file = written / pattern.replace('{00..01}', f'0{number}')
            shutil.copy(written / f'train-00000{number}.tar', file)
        assert tool('make_shards', written / pattern).status == 0
        known = [shard.name for shard in read_index(written, pattern).shards]
        assert [shard.name for shard in read_index(written, index).shards] == known


def test_what_cannot_be_done_is_one_message(tool, folders, tmp_path, monkeypatch):
    def said(*arguments):
        result = tool('make_shards', *arguments)
        assert result.status == 2
        return result.err

    assert 'error: OUT is missing: name the folder' in said(folders / 'train')
    assert 'none: no such folder' in said(tmp_path / 'none', 'out')
    assert 'SOURCE x*.tar: there are no such files' in said('x*.tar')
    assert 'no such folder; it should hold a folder for each class' in said('nowhere', 'out')
    assert 'x.tar.gz: nothing is read from compressed files. Decompress' in said('x.tar.gz')
    assert "several folders ('a', 'b'). Name the shards of one" in said('{a,b}/train-0.tar')
    assert 'OUT out: the index is written beside the shards. Leave' in said('x.tar', 'out')
    assert '--name is for the shards of a folder' in said('x.tar', '--name', 'y')
    assert '--name a/b: is no name of a file' in said(folders / 'train', 'out', '--name', 'a/b')
    classes = ('--classes', 'names.txt')
    assert '--classes names those of shards that are there' in said('x', 'out', *classes)
    monkeypatch.setattr(shutil, 'disk_usage', lambda path: SimpleNamespace(free=1000))
    full = said(folders / 'train', 'out')
    assert re.search(r'out: \S+ GB are needed, 1e-06 GB are free\. Make room', full)
    assert not list((tmp_path / 'out').glob('*.tar'))


# ------------------------------------------------------------------------ runs


def trained(tool, root, work_dir, *arguments, config=TINY_CLS, status=0):
    """Train for two epochs; return what was printed and the last weights of each file."""
    epochs = ('--cfg-options', 'train_cfg.max_epochs=2')
    result = tool(
        *('train', config, '--data-root', root, '--work-dir', work_dir, *arguments, *epochs),
    )
    assert result.status == status, result.err
    return result


def last(folder):
    return load_file(folder / 'epoch_2.pth')['state_dict']


def test_a_stopped_and_resumed_run_on_shards_is_one_on_folders(written, tool, folders, tmp_path):
    """To the bit: weights after two epochs, one of them left in the middle."""
    trained(tool, folders, 'folders')
    stop = "custom_hooks = [dict(type='Stop', iteration=4, signal=15)]"
    (tmp_path / 'stopped.py').write_text(f"_base_ = ['{TINY_CLS}']\n{stop}")
    result = trained(tool, written, 'shards', config='stopped.py', status=143)
    assert f'{written}/train.index.json: shards are read in place of class folders' in result.out
    result = trained(tool, written, 'shards', '--resume')
    assert 'not exactly as before' not in result.out + result.err
    whole, resumed = last(tmp_path / 'folders'), last(tmp_path / 'shards')
    assert whole.keys() == resumed.keys()
    assert all(torch.equal(whole[key], resumed[key]) for key in whole)


def test_a_run_by_shards(written, tool, tmp_path):
    sampler = 'train_dataloader.sampler.type=vitbackbones.ShardSampler'
    result = tool('train', TINY_CLS, '--data-root', written, '--cfg-options', sampler)
    assert result.status == 0, result.err


def test_all_files_of_shards_are_checked(written, tool):
    result = tool('check_dataset', TINY_CLS, '--data-root', written, '--workers', 1)
    assert result.status == 0, result.err
    assert 'train_dataloader.dataset: 6 samples, 6 images' in result.out
    assert '12 files, all can be read' in result.out  # three of them are shards
    shard = read_index(written, 'train').shards[1]
    path, start = written / shard.name, shard.offsets[0]
    content = bytearray(path.read_bytes())
    content[start : start + 20] = bytes(20)
    path.write_bytes(content)
    result = tool('check_dataset', TINY_CLS, '--data-root', written, '--workers', 1)
    assert result.status == 2
    place = f'{path}!/{shard.members[0]}#{start}+{shard.sizes[0]}'
    assert f'image file shard://{place}: truncated, damaged or not an image. Wri' in result.out
    path.write_bytes(content[:-5000])
    result = tool('train', TINY_CLS, '--data-root', written)
    assert (result.status, result.out.count('error')) == (2, 0)
    assert f'error: shard {path}: cut short, ' in result.err
