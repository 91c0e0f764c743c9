"""DETR configs: what they say themselves, the map that is read, the protocol."""

import copy
import fnmatch

import pytest
import torch
from mmdet.registry import MODELS
from mmdet.utils import register_all_modules

from vitbackbones.configuration.names import config_files

from .shipped import shipped

pytestmark = pytest.mark.compat
NAMES = fnmatch.filter(config_files(), 'detr_*')

# plain patches, or the last of two stages; all else has 32
STRIDE_16 = ['detr_aug_vit_ti_bccd', 'detr_r50_dc5_coco'] + [
    f'detr_{name}_shapes'
    for name in ('aug_t2t_14', 'aug_vit_s', 'deit_s', 'msf_swin_t', 'msf_vit_s', 'sret_s', 'tnt_s')
]


@pytest.fixture(autouse=True)
def scope():
    register_all_modules(init_default_scope=True)


def build(config):
    with torch.device('meta'):
        return MODELS.build(copy.deepcopy(config.model))


@pytest.mark.parametrize('name', NAMES)
def test_the_map_that_detr_reads(name):
    config = shipped(name)
    backbone = build(config).backbone
    with torch.device('meta'):  # a ResNet of mmdet declares no strides
        strides = getattr(backbone, 'out_strides', None) or [
            256 // x.shape[2] for x in backbone(torch.empty(1, 3, 256, 320))
        ]
    assert list(strides) == [16 if name in STRIDE_16 else 32]
    assert config.model.neck.out_channels == config.model.encoder.layer_cfg.self_attn_cfg.embed_dims


@pytest.mark.parametrize('name', [n for n in NAMES if n.endswith('_coco')])
def test_protocol(name):
    """The 50-epoch protocol of PVT's published DETR config, number by number."""
    config = shipped(name)
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

    config = shipped(name)
    model = build(config)
    groups = build_optim_wrapper(model, config.optim_wrapper).optimizer.param_groups
    named = {id(p): n for n, p in model.named_parameters()}
    for group in groups:
        key = named[id(group['params'][0])]
        assert group['lr'] == pytest.approx(1e-5 if key.startswith('backbone') else 1e-4)
        assert group['weight_decay'] == pytest.approx(0 if '.shortcut' in key else 1e-4)
