"""Backbones as base configs: what each declares is what it gives, and none is forgotten."""

import ast
from pathlib import Path

import pytest
import torch
from mmdet.registry import MODELS
from mmdet.utils import register_all_modules
from mmengine.config import Config

from vitbackbones.catalog import config_files
from vitbackbones.models import MODELS as CLASSIFIERS

pytestmark = pytest.mark.compat
CONFIGS = Path(__file__).parents[1] / 'configs'
FRAGMENTS = {path.stem: path for path in sorted(CONFIGS.glob('_base_/backbones/*.py'))}
PUBLISHED = sorted(CLASSIFIERS)


def read(path):
    return Config.fromfile(path, import_custom_modules=False).to_dict()


def build(backbone):
    register_all_modules(init_default_scope=True)
    with torch.device('meta'):
        return MODELS.build({**backbone, 'init_cfg': None})


def given(backbone):
    """Channels and strides of the maps; a backbone of ours says them, of mmdet's are made."""
    model = build(backbone)
    if hasattr(model, 'out_strides'):
        return list(model.out_channels), list(model.out_strides)
    maps = model(torch.empty(1, 3, 64, 64, device='meta'))
    return [x.shape[1] for x in maps], [64 // x.shape[2] for x in maps]


def test_every_model_is_a_backbone_for_any_head():
    assert FRAGMENTS.keys() >= CLASSIFIERS.keys() | {'r50'}


@pytest.mark.parametrize('name', FRAGMENTS)
def test_the_maps_declared_are_those_given(name):
    fragment = read(FRAGMENTS[name])
    assert list(fragment) == ['backbone', 'maps']
    channels, strides = given(fragment['backbone'])
    assert fragment['maps'] == {'in_channels': channels, 'in_strides': strides}
    header = ast.get_docstring(ast.parse(FRAGMENTS[name].read_text()))
    assert header.splitlines()[0].endswith('.')


@pytest.mark.parametrize('name', PUBLISHED)
def test_it_is_the_model_of_its_name_and_starts_from_its_weights(name):
    backbone = read(FRAGMENTS[name])['backbone']
    host, arguments, _ = CLASSIFIERS[name]
    assert backbone.pop('type') == f'vitbackbones.{host.__name__}'
    assert backbone.pop('init_cfg')['checkpoint'] == f'checkpoints/{name}.pth'
    for added in ('drop_path_rate', 'frozen_stages'):
        backbone.pop(added, None)
    assert backbone == {key: arguments[key] for key in arguments if key != 'out_type'}


@pytest.mark.parametrize('name', PUBLISHED)
def test_stochastic_depth_is_that_of_its_training_on_imagenet(name):
    classifier = read(config_files()[f'cls_{name}_imagenet'])['model']['backbone']
    rate = read(FRAGMENTS[name])['backbone'].get('drop_path_rate')
    assert rate == classifier.get('drop_path_rate')
