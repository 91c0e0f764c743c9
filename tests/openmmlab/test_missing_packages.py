"""What stands in for a package that is not installed says what to install when it is used.

A run of one toolbox does not import the others, nor what they need for other models.
"""

import subprocess
import sys
from importlib.util import module_from_spec
from pathlib import Path

import pytest
from mmengine.config import Config

from vitbackbones.errors import InputError
from vitbackbones.openmmlab.after_import import StandInFinder
from vitbackbones.openmmlab.missing_packages import FINDER, leave_out_unused

pytestmark = pytest.mark.compat


def test_lanes_are_augmented_by_a_package_that_is_asked_for_when_it_is_used():
    augmenters = module_from_spec(StandInFinder().find_spec('imgaug.augmenters'))
    sometimes = augmenters.Sometimes  # mmdet takes it at import
    with pytest.raises(InputError, match='imgaug.augmenters.Sometimes .* pip install imaug'):
        sometimes(p=0.5)
    assert not hasattr(augmenters, '__wrapped__')


ROOT = Path(__file__).parents[2]
SMOKE = """
import runpy, sys
_, tool, config, folder = sys.argv
sys.argv = [tool, config, '--smoke', '--work-dir', folder]
try:
    runpy.run_path(tool, run_name='__main__')
except SystemExit as stop:
    assert not stop.code, stop.code
print('imported:', *sorted({name.partition('.')[0] for name in sys.modules}))
"""


@pytest.mark.parametrize(
    ('config', 'own', 'others'),
    [
        ('tiny_detr', 'mmdet', ['mmseg', 'mmpretrain', 'sklearn']),
        ('tiny_seg', 'mmseg', ['mmdet', 'mmpretrain', 'timm']),
        ('tiny_cls', 'mmpretrain', ['mmdet', 'mmseg']),
    ],
)
def test_a_run_imports_its_own_toolbox_only(config, own, others, tmp_path):
    paths = (ROOT / 'tools/train.py', ROOT / f'tests/commands/{config}.py', tmp_path)
    command = [sys.executable, '-W', 'ignore', '-c', SMOKE, *paths]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr
    imported = result.stdout.partition('imported: ')[2].split()
    assert own in imported
    assert not {*others} & {*imported}


@pytest.fixture
def _importers(monkeypatch):
    monkeypatch.setattr(FINDER, 'importers', {})
    monkeypatch.setattr(sys, 'meta_path', sys.meta_path.copy())


@pytest.mark.usefixtures('_importers')
def test_what_a_config_names_is_not_left_out():
    leave_out_unused(Config({'model': {'type': 'BaseReID'}}))
    assert 'mmdet.models.reid.base_reid' not in FINDER.importers
    assert FINDER.importers['mmseg.models.decode_heads.mask2former_head'] == 'mmdet'
    for head in ('PAAHead', 'LADHead'):
        leave_out_unused(Config({'model': {'type': head}}))
        assert 'mmdet.models.dense_heads.paa_head' not in FINDER.importers
    leave_out_unused(Config({'model': {'type': 'DETR'}}))
    assert FINDER.importers['mmdet.models.dense_heads.paa_head'] == 'sklearn'
    assert FINDER.importers['mmdet.models.reid.base_reid'] == 'mmpretrain'
