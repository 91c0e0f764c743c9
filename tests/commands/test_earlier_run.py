"""Runs that earlier versions began: they continue, and their files stay as they are.

``earlier_run`` has a config and a checkpoint of 0.1, with ``--amp``. The config names
``vitbackbones.engine.amp.Bf16OptimWrapper``; there is no such module any more.
"""

import shutil
from pathlib import Path

import pytest
from mmengine.registry import MODELS, OPTIM_WRAPPERS

from vitbackbones.training.precision import Bf16OptimWrapper
from vitbackbones.weights.read.load import load_file

from .conftest import TINY_SEG

pytestmark = pytest.mark.compat
EARLIER = Path(__file__).with_name('earlier_run')
OLD_PATH = 'vitbackbones.engine.amp.Bf16OptimWrapper'


@pytest.fixture
def run(tmp_path):
    """The work dir of that run."""
    folder = tmp_path / 'run'
    folder.mkdir()
    shutil.copy(EARLIER / 'config.txt', folder / 'tiny_cls.py')
    shutil.copy(EARLIER / 'epoch_1.pth', folder)
    (folder / 'last_checkpoint').write_text(f'{folder}/epoch_1.pth')
    return folder


@pytest.fixture
def run_of_1_0(tool, data, tmp_path):
    """A work dir with a run of two steps, whose schedules are for twenty, as 1.0 left them."""
    warm = "dict(type='LinearLR', start_factor=0.1, begin=0, end=4, by_epoch=False)"
    then = "dict(type='CosineAnnealingLR', begin=4, end=20, T_max=16, by_epoch=False)"
    config = tmp_path / TINY_SEG.name
    config.write_text(f'_base_ = {str(TINY_SEG)!r}\nparam_scheduler = [{warm}, {then}]')
    length = ('train_cfg.max_iters=2', 'param_scheduler.1.end=20')  # which leaves it unscaled
    folder = tmp_path / 'run'
    options = ('--data-root', data, '--work-dir', folder, '--cfg-options', *length)
    result = tool('train', config, *options)
    assert result.status == 0, result.err
    return folder


@pytest.mark.parametrize('scope', ['', 'vitbackbones.'])
def test_paths_inside_the_package_stand_for_their_last_part(scope):
    from vitbackbones import registry
    from vitbackbones.backbones import ViT

    assert OPTIM_WRAPPERS.get(OLD_PATH) is Bf16OptimWrapper
    assert registry.OPTIM_WRAPPERS.get(f'{scope}engine.amp.Bf16OptimWrapper') is Bf16OptimWrapper
    assert MODELS.get('vitbackbones.backbones.vit.ViT') is ViT
    assert registry.MODELS.get(f'{scope}ViT') is ViT
    detr = registry.MODELS.get('vitbackbones.heads.detr.DETR')
    assert detr.__module__ == 'vitbackbones.tasks.detection.detr'
    exported = registry.MODELS.get('vitbackbones.inference.exported_in_test.ExportedInTest')
    assert exported.__module__ == 'vitbackbones.export.in_test'


def test_it_is_continued_and_tested(tool, run, folders):
    options = ('--work-dir', run, '--data-root', folders)
    longer = ('--cfg-options', 'train_cfg.max_epochs=2')
    result = tool('train', run / 'tiny_cls.py', '--resume', *options, *longer)
    assert result.status == 0, result.err
    assert load_file(run / 'epoch_2.pth')['meta']['epoch'] == 2
    result = tool('test', run / 'tiny_cls.py', run, *options)
    assert result.status == 0, result.err
    assert 'accuracy/top1' in result.out + result.err


def test_a_run_of_1_0_follows_the_schedule_that_it_began_with(run_of_1_0, tool):
    """Its length did not scale the schedule; scaled now, the second would begin after the end."""
    config = run_of_1_0 / TINY_SEG.name
    result = tool('train', config, '--resume', '--cfg-options', 'train_cfg.max_iters=6')
    assert result.status == 0, result.err
    said = result.out + result.err
    assert 'max_iters=6: the learning rate follows the schedule of the checkpoint' in said
    assert 'not exactly as before' not in said
    first, second = load_file(run_of_1_0 / 'iter_6.pth')['param_schedulers']
    assert (first['end'], second['begin'], second['end']) == (4, 4, 20)
    assert second['_last_value'][0] < 1e-3  # it has begun


def test_a_test_leaves_the_config_of_the_training(run_of_1_0, tool):
    config = run_of_1_0 / TINY_SEG.name
    text = config.read_text()
    other = ('--cfg-options', 'test_dataloader.batch_size=2')
    result = tool('test', config, run_of_1_0, *other)
    assert result.status == 0, result.err
    assert config.read_text() == text
