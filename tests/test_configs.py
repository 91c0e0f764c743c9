"""Detection configs: each says what it is, holds known keys only, builds, keeps its numbers."""

import ast
import copy
import fnmatch
import runpy

import pytest
import torch
from mmdet.registry import MODELS
from mmdet.utils import register_all_modules
from mmengine.config import Config

from vitbackbones.catalog import config_files, shown_path
from vitbackbones.configuration.lint import lint
from vitbackbones.preflight.agreement import require_agreement

from .fake import without_values

pytestmark = pytest.mark.compat
NAMES = fnmatch.filter(config_files(), 'detr_*')
BACKBONES = [
    'aug_pvt_s',
    'aug_t2t_14',
    'aug_vit_s',
    'deit_s',
    'msf_swin_t',
    'msf_vit_s',
    'pvt_s',
    'r50',
    'sret_s',
    'tnt_s',
]

# Millions of parameters as they really count: all, and the trained ones. Backbone, 1 x 1
# convolution to 256 channels, and 17,542,485 of the DETR for 80 classes.
PARAMETERS = {
    'detr_aug_pvt_s_coco': (41.728, 41.728),
    'detr_aug_t2t_14_coco': (38.909, 38.829),
    'detr_aug_vit_s_coco': (39.399, 39.399),
    'detr_deit_s_coco': (39.307, 39.307),
    'detr_msf_swin_t_coco': (47.420, 47.420),
    'detr_msf_vit_s_coco': (40.983, 40.983),
    'detr_pvt_s_coco': (41.645, 41.645),
    'detr_r50_coco': (41.575, 41.300),
    'detr_r50_dc5_coco': (41.575, 41.300),
    'detr_sret_s_coco': (38.065, 37.750),
    'detr_tnt_s_coco': (41.025, 41.025),
}

# plain patches, or the last of two stages; all else has 32
STRIDE_16 = ['detr_aug_vit_ti_bccd', 'detr_r50_dc5_coco'] + [
    f'detr_{name}_shapes'
    for name in ('aug_t2t_14', 'aug_vit_s', 'deit_s', 'msf_swin_t', 'msf_vit_s', 'sret_s', 'tnt_s')
]


def load(name):
    register_all_modules(init_default_scope=True)
    return Config.fromfile(config_files()[name])


def build(config):
    with torch.device('meta'):
        return MODELS.build(copy.deepcopy(config.model))


def test_the_whole_table_is_there():
    wanted = {f'detr_{b}_{data}' for b in BACKBONES for data in ('coco', 'shapes')}
    assert wanted | {'detr_aug_vit_s_bccd'} <= set(NAMES)


@pytest.mark.parametrize('name', NAMES)
def test_header(name):
    """What it is in a line, where its number comes from, hardware, and the command."""
    header = ast.get_docstring(ast.parse(config_files()[name].read_text()))
    assert header.splitlines()[0].endswith('.')
    assert f'python tools/train.py {shown_path(name)}' in header
    assert 'Hardware:' in header
    if name.endswith('_coco'):
        assert 'Published:' in header or 'Reproduces: nothing' in header
        assert f'Parameters: {PARAMETERS[name][0]:.3f} M' in header
        assert load(name).model.backbone.init_cfg.checkpoint in header


@pytest.mark.parametrize('name', NAMES)
def test_every_key_and_type_is_known(name):
    lint(load(name))
    require_agreement(load(name))


@pytest.mark.parametrize(
    'name', [n for n in NAMES if n.endswith(('_coco', '_shapes')) and n != 'detr_r50_dc5_coco']
)
def test_a_backbone_takes_two_keys(name):
    """A config for a new backbone overrides these, and how its weights saw images."""
    own = {k: v for k, v in runpy.run_path(config_files()[name]).items() if k[0] != '_'}
    assert own.keys() == {'model'}
    assert own['model'].keys() - {'data_preprocessor'} == {'backbone', 'neck'}
    assert own['model']['neck'].keys() == {'in_channels'}


@pytest.mark.parametrize('name', NAMES)
def test_backbone_and_neck_fit(name):
    """Image to the map that DETR reads: nothing is computed, all shapes are."""
    config = load(name)
    with without_values():
        model = MODELS.build(copy.deepcopy(config.model))
        (feature,) = model.extract_feat(torch.empty(2, 3, 256, 320))
    channels = getattr(model.backbone, 'out_channels', None) or [model.backbone.feat_dim]
    assert list(config.model.neck.in_channels) == list(channels)
    dims = config.model.encoder.layer_cfg.self_attn_cfg.embed_dims
    stride = 16 if name in STRIDE_16 else 32
    assert feature.shape == (2, dims, 256 // stride, 320 // stride)


@pytest.mark.parametrize('name', NAMES)
def test_classes(name):
    """As many as the data set names, 80 for COCO."""
    config = load(name)
    classes = config.train_dataloader.dataset.get('metainfo', {}).get('classes', range(80))
    assert config.model.bbox_head.num_classes == len(classes)


@pytest.mark.parametrize('name', PARAMETERS)
def test_parameters(name):
    model = build(load(name))
    counts = [sum(p.numel() for p in model.parameters())]
    counts += [sum(p.numel() for p in model.parameters() if p.requires_grad)]
    assert tuple(round(count / 1e6, 3) for count in counts) == PARAMETERS[name]


@pytest.mark.parametrize('name', [n for n in NAMES if n.endswith('_coco')])
def test_protocol(name):
    """The 50-epoch protocol of PVT's published DETR config, number by number."""
    config = load(name)
    pipeline = {step.type: step for step in config.train_pipeline}
    assert 'RandomCrop' not in pipeline
    assert sorted(min(s) for s in pipeline['RandomChoiceResize'].scales) == [*range(640, 801, 32)]
    assert {max(s) for s in pipeline['RandomChoiceResize'].scales} == {1333}
    assert config.model.data_preprocessor.pad_size_divisor == 32
    assert config.train_dataloader.batch_size * 8 == config.auto_scale_lr.base_batch_size == 16
    assert not config.auto_scale_lr.enable
    assert (config.train_cfg.max_epochs, config.param_scheduler[0].milestones) == (50, [33])


@pytest.mark.parametrize('name', [n for n in NAMES if n.endswith('_coco')])
def test_backbone_learns_at_a_tenth(name):
    """AdamW 1e-4 and 1e-5; all is decayed, also norms and biases, but for what shortcuts learn."""
    from mmengine.optim import build_optim_wrapper

    config = load(name)
    model = build(config)
    groups = build_optim_wrapper(model, config.optim_wrapper).optimizer.param_groups
    named = {id(p): n for n, p in model.named_parameters()}
    for group in groups:
        key = named[id(group['params'][0])]
        assert group['lr'] == pytest.approx(1e-5 if key.startswith('backbone') else 1e-4)
        assert group['weight_decay'] == pytest.approx(0 if '.shortcut' in key else 1e-4)
