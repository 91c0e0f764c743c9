"""Old paths of modules: the same modules, and a warning that names the new path."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from vitbackbones.training.distributed import best_device
from vitbackbones.utils.moved import MOVED, new_path

# what was public in 1.0: what a script imports from there
PUBLIC = {
    'vitbackbones.backbones.classifier': ('Classifier', 'Features', 'FeatureInfo', 'LinearHead'),
    'vitbackbones.backbones.necks': ('FPN', 'ChannelMapper', 'Pyramid', 'SimpleFeaturePyramid'),
    'vitbackbones.backbones.necks.base': ('Neck',),
    'vitbackbones.export.runtime': ('load',),
    'vitbackbones.export.runtime.answers': ('Detected', 'Segmented'),
    'vitbackbones.inference.drawing.objects': ('Objects',),
    'vitbackbones.inference.predictor': ('Predictor',),
    'vitbackbones.inference.sources': (),
    'vitbackbones.results': (),
    'vitbackbones.results.analysis.run_log': (),
    'vitbackbones.results.audit': (),
    'vitbackbones.results.audit.regions': ('DoubtfulRegions',),
    'vitbackbones.results.report.page': (),
    'vitbackbones.results.publishing.model_card': (),
    'vitbackbones.configuration.checks.schedules': (),
    'vitbackbones.data.importing.yolo': (),
    'vitbackbones.data.public_sets': ('CIFAR10', 'ReaLAccuracy'),
    'vitbackbones.training.trackers.hook': ('TrackHook',),
}


@pytest.mark.parametrize('old', PUBLIC)
def test_an_old_path_is_the_module_of_today(old):
    sys.modules.pop(old, None)
    with pytest.warns(DeprecationWarning, match=new_path(old)):
        module = importlib.import_module(old)
    assert module is importlib.import_module(new_path(old))
    assert module.__spec__.name == module.__name__ == new_path(old)
    for name in PUBLIC[old]:
        assert hasattr(module, name)


@pytest.mark.parametrize(
    ('old', 'new'),
    [
        ('export.runtime.sliding', 'runtime.preparing'),
        ('data.importing.voc', 'importing.xml_files'),
        ('results.report.elements', 'reports.page'),
    ],
)
def test_the_warning_of_a_module_that_moved_twice_has_the_path_of_today(old, new):
    sys.modules.pop(f'vitbackbones.{old}', None)
    with pytest.warns(DeprecationWarning, match=f'{old} has moved: import vitbackbones.{new}$'):
        module = importlib.import_module(f'vitbackbones.{old}')
    assert module.__name__ == f'vitbackbones.{new}'


# names of 1.0's reference whose module is another one today
@pytest.mark.parametrize(
    ('module', 'name', 'now'),
    [
        ('data.loading.coco_masks', 'to_rle', 'runtime.run_lengths'),
        ('export.int8', 'pictures_of', 'export.judges'),
        ('inference.predictor', 'choose_device', 'training.distributed'),
        ('layers.attention', 'softmax_weights', 'layers.projections'),
    ],
)
@pytest.mark.filterwarnings('ignore:.* has moved')
def test_a_name_is_still_in_its_old_module(module, name, now):
    old = importlib.import_module(f'vitbackbones.{module}')
    assert getattr(old, name) is getattr(importlib.import_module(f'vitbackbones.{now}'), name)


def test_best_device_of_1_0_names_a_device():
    assert best_device() in ('cuda', 'mps', 'cpu')


@pytest.mark.parametrize('where', ['results.analysis', 'analysis'])
def test_a_module_that_left_the_package_is_that_of_a_clone(where, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2])
    sys.modules.pop(f'vitbackbones.{where}.diversity', None)
    with pytest.warns(
        DeprecationWarning, match='examples.analyze.diversity from the folder of a clone'
    ):
        module = importlib.import_module(f'vitbackbones.{where}.diversity')
    assert module is importlib.import_module('examples.analyze.diversity')


def test_every_row_leads_to_a_module():
    for old in MOVED:
        importlib.import_module(new_path(f'vitbackbones.{old}'))


@pytest.mark.parametrize('name', ['vitbackbones.resultsets', 'results', 'vitbackbones.backbones'])
def test_other_names_are_left_alone(name):
    assert new_path(name) is None


def test_a_module_that_is_nowhere_is_named_by_its_new_path():
    with pytest.raises(ModuleNotFoundError, match='vitbackbones.runtime.nothing'):
        importlib.import_module('vitbackbones.export.runtime.nothing')


def test_the_warning_points_at_the_import_that_is_to_be_changed(tmp_path):
    script = tmp_path / 'script.py'
    script.write_text('import vitbackbones\nfrom vitbackbones.export.runtime import load\n')
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert f'{script}:2: DeprecationWarning' in done.stderr


@pytest.mark.parametrize('name', ['analysis', 'audit', 'report'])
def test_a_folder_that_is_gone_still_has_its_modules(name):
    code = f'from vitbackbones.results import {name} as found; print(found.__name__)'
    command = [sys.executable, '-W', 'ignore', '-c', code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == new_path(f'vitbackbones.results.{name}')
