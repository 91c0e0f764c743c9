"""Heads of mmdet on any backbone: the bases are mmdet's own models, the run configs hold."""

import copy
import fnmatch
from pathlib import Path

import mmdet
import pytest
import torch
from mmdet.registry import MODELS
from mmdet.utils import register_all_modules
from mmengine.config import Config
from mmengine.optim import build_optim_wrapper

from vitbackbones.configuration.names import config_files
from vitbackbones.openmmlab.widths import with_widths
from vitbackbones.registry import bare_name

from .shipped import shipped
from .small_backbones import RESNET

pytestmark = pytest.mark.compat
CONFIGS = Path(__file__).parents[1] / 'configs'
BASES = CONFIGS / '_base_'
MMDET = Path(mmdet.__file__).parent / '.mim' / 'configs'
R50 = {**RESNET, 'norm_cfg': {'type': 'BN', 'requires_grad': False}, 'norm_eval': True}
R50 |= {'frozen_stages': 1, 'style': 'pytorch'}
MAPS = {256: 4, 512: 8, 1024: 16, 2048: 32}

# mmdet's config of each head on ResNet-50, and the strides of the maps that the head reads
HEADS = {
    'retinanet': ('retinanet/retinanet_r50_fpn_1x_coco.py', [8, 16, 32, 64, 128]),
    'faster_rcnn': ('faster_rcnn/faster-rcnn_r50_fpn_1x_coco.py', [4, 8, 16, 32, 64]),
    'mask_rcnn': ('mask_rcnn/mask-rcnn_r50_fpn_1x_coco.py', [4, 8, 16, 32, 64]),
    'deformable_detr': ('deformable_detr/deformable-detr_r50_16xb2-50e_coco.py', [8, 16, 32, 64]),
    'dino': ('dino/dino-4scale_r50_8xb2-12e_coco.py', [8, 16, 32, 64]),
}
# DETR's own configs are tested in test_configs.py.
JOINED = HEADS | {'detr': ('detr/detr_r50_8xb2-150e_coco.py', [32])}
# What our bases say and mmdet's leave to the defaults, or say of the neck in other words.
SAID = {
    'neck',
    'backbone',
    'num_feature_levels',
    'bbox_head.embed_dims',
    *(
        f'{part}.layer_cfg.{attention}_attn_cfg.{key}'
        for part, attention in (('encoder', 'self'), ('decoder', 'self'), ('decoder', 'cross'))
        for key in ('num_levels', 'dropout', 'batch_first')
    ),
}

WIDENED = 'decoder.ref_point_head.layers.0.weight'

# The one config of a published schedule.
OWN_SCHEDULE = ('deformable_detr_pvt_s_coco', 'mask_rcnn_swin_t_coco', 'mask_rcnn_deit_s_coco')
NAMES = [name for head in HEADS for name in fnmatch.filter(config_files(), f'{head}_*')]


@pytest.fixture(autouse=True)
def scope():
    register_all_modules(init_default_scope=True)


def on(head, backbone):
    """The settings of a head's base on a backbone, with their widths."""
    config = Config.fromfile(BASES / 'models' / f'{head}.py')
    config.model.backbone = backbone
    return with_widths(config).model


def build(model):
    with torch.device('meta'):
        return MODELS.build(copy.deepcopy(model))


def differences(ours, theirs, path=''):
    """Yield the keys at which two configs differ, but for those in ``SAID``."""
    for key in {*ours, *theirs}:
        place = f'{path}{key}'
        a, b = ours.get(key), theirs.get(key)
        if key == 'type':
            a, b = bare_name(a), bare_name(b)
        if isinstance(a, dict) and isinstance(b, dict) and place not in SAID:
            yield from differences(a, b, f'{place}.')
        elif a != b and place not in SAID:
            yield place


@pytest.mark.parametrize('head', HEADS)
def test_on_resnet_50_a_base_is_mmdets_own_model(head):
    """The same settings, and state-dict keys and shapes, so a checkpoint of either loads."""
    ours, theirs = on(head, R50), Config.fromfile(MMDET / HEADS[head][0]).model
    theirs.backbone.init_cfg = None
    assert list(differences(ours, theirs)) == []
    states = [build(model).state_dict() for model in (ours, theirs)]
    shapes = [{key: value.shape for key, value in state.items()} for state in states]
    if head == 'dino':  # the continued release has it twice as wide as it was published
        assert shapes[0][WIDENED] == (256, 512)
        del shapes[0][WIDENED], shapes[1][WIDENED]
    assert shapes[0] == shapes[1]


@pytest.mark.parametrize('head', JOINED)
def test_the_neck_of_a_base_gives_the_numbers_of_mmdets(head):
    ours, theirs = on(head, R50).neck, Config.fromfile(MMDET / JOINED[head][0]).model.neck
    necks = [MODELS.build(neck) for neck in (ours, theirs)]
    necks[1].load_state_dict(necks[0].state_dict())
    maps = [torch.randn(1, width, 96 // stride, 64 // stride) for width, stride in MAPS.items()]
    given = maps[-len(theirs.in_channels) :]
    for a, b in zip(necks[0](tuple(maps)), necks[1](tuple(given)), strict=True):
        assert torch.equal(a, b)


# rate of all, of the backbone, decay, epochs, milestones, images of a step
PROTOCOLS = {
    'retinanet_pvt_s_coco': (1e-4, 1e-4, 1e-4, 12, [8, 11], 16),
    'mask_rcnn_pvt_t_coco': (2e-4, 2e-4, 1e-4, 12, [8, 11], 16),
    'mask_rcnn_swin_t_coco': (1e-4, 1e-4, 0.05, 12, [8, 11], 16),
    'deformable_detr_pvt_s_coco': (2e-4, 2e-5, 1e-4, 50, [40], 32),
    'dino_aug_vit_s_coco': (1e-4, 1e-5, 1e-4, 12, [11], 16),
}


@pytest.mark.parametrize('name', PROTOCOLS)
def test_protocol(name):
    """The published protocol, number by number, as the optimizer takes it."""
    rate, backbone, decay, epochs, milestones, batch = PROTOCOLS[name]
    config = shipped(name)
    model = build(config.model)
    named = {id(p): n for n, p in model.named_parameters()}
    for group in build_optim_wrapper(model, config.optim_wrapper).optimizer.param_groups:
        key = named[id(group['params'][0])]
        places = 'sampling_offsets' in key or 'reference_points' in key
        slow = key.startswith('backbone') or (places and name.startswith('deformable_detr'))
        free = '.shortcut' in key or (decay == 0.05 and ('norm' in key or 'bias_table' in key))
        assert group['lr'] == pytest.approx(backbone if slow else rate), key
        assert group['weight_decay'] == pytest.approx(0 if free else decay), key
    assert config.train_cfg.max_epochs == epochs
    assert config.param_scheduler[-1].milestones == milestones
    assert config.auto_scale_lr == {'enable': False, 'base_batch_size': batch}
