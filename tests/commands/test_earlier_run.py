"""A config and a checkpoint that the version before wrote, with ``--amp``, in a run of its own.

The config names ``vitbackbones.engine.amp.Bf16OptimWrapper``; there is no such module any more.
"""

import shutil
from pathlib import Path

import pytest
from mmengine.registry import MODELS, OPTIM_WRAPPERS

from vitbackbones.training.precision import Bf16OptimWrapper
from vitbackbones.weights.read.load import load_file

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
