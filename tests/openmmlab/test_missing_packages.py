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
from vitbackbones.tasks import TASKS

pytestmark = pytest.mark.compat
ROOT = Path(__file__).parents[2]
RUN = """
import runpy, sys
from vitbackbones.running import smoke
smoke.run = lambda config: 'prepared'
sys.argv.pop(0)
try:
    runpy.run_path(sys.argv[0], run_name='__main__')
except SystemExit as stop:
    assert not stop.code, stop.code
print('imported:', *sys.modules)
"""


def test_lanes_are_augmented_by_a_package_that_is_asked_for_when_it_is_used():
    augmenters = module_from_spec(StandInFinder().find_spec('imgaug.augmenters'))
    sometimes = augmenters.Sometimes  # mmdet takes it at import
    with pytest.raises(InputError, match='imgaug.augmenters.Sometimes .* pip install imaug'):
        sometimes(p=0.5)
    assert not hasattr(augmenters, '__wrapped__')


@pytest.mark.parametrize(
    ('config', 'own', 'others'),
    [
        ('tiny_detr', 'mmdet', ('mmseg', 'mmpretrain', 'sklearn')),
        ('tiny_seg', 'mmseg', ('mmdet', 'mmpretrain', 'timm')),
        ('tiny_cls', 'mmpretrain', ('mmdet', 'mmseg')),
    ],
)
def test_a_run_imports_its_own_toolbox_only(config, own, others, tmp_path):
    options = [f'tests/commands/{config}.py', '--smoke', '--work-dir', str(tmp_path)]
    command = [sys.executable, '-W', 'ignore', '-c', RUN, 'tools/train.py', *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    modules = done.stdout.partition('imported: ')[2].split()
    assert f'{own}.models' in modules
    tasks = {name for name in TASKS.values() if f'vitbackbones.tasks.{name}' in modules}
    assert tasks == {TASKS[own]}
    others += ('vitbackbones.drawing', 'vitbackbones.inference.writers')
    assert not {*others} & {*modules}


def test_what_a_config_names_is_not_left_out(monkeypatch):
    monkeypatch.setattr(FINDER, 'importers', {})
    monkeypatch.setattr(sys, 'meta_path', sys.meta_path.copy())
    reid, heads = 'mmdet.models.reid.base_reid', 'mmdet.models.dense_heads.paa_head'
    for needed, kinds in {reid: ['BaseReID'], heads: ['PAAHead', 'LADHead']}.items():
        for kind in kinds:
            leave_out_unused(Config({'model': {'type': kind}}))
            assert needed not in FINDER.importers
    assert FINDER.importers[reid] == 'mmpretrain'
