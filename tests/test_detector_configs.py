"""Heads of mmdet on any backbone: the bases are mmdet's own models, the run configs hold."""

import ast
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

from vitbackbones.catalog import config_files, shown_path
from vitbackbones.configuration.lint import lint
from vitbackbones.preflight.agreement import require_agreement
from vitbackbones.preflight.fit import misfits
from vitbackbones.preflight.trial import build_model
from vitbackbones.registry import bare_name

pytestmark = pytest.mark.compat
CONFIGS = Path(__file__).parents[1] / 'configs'
BASES = CONFIGS / '_base_'
MMDET = Path(mmdet.__file__).parent / '.mim' / 'configs'
FRAGMENTS = sorted(path.stem for path in (BASES / 'backbones').glob('*.py'))
SMALL = [name for name in FRAGMENTS if name.endswith('_small')]

# mmdet's config of each head on ResNet-50, and the strides of the maps that the head reads
HEADS = {
    'retinanet': ('retinanet/retinanet_r50_fpn_1x_coco.py', [8, 16, 32, 64, 128]),
    'faster_rcnn': ('faster_rcnn/faster-rcnn_r50_fpn_1x_coco.py', [4, 8, 16, 32, 64]),
    'mask_rcnn': ('mask_rcnn/mask-rcnn_r50_fpn_1x_coco.py', [4, 8, 16, 32, 64]),
    'deformable_detr': (
        'deformable_detr/deformable-detr_r50_16xb2-50e_coco.py',
        [8, 16, 32, 64],
    ),
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

# Millions of parameters as they really count: all, and the trained ones.
PARAMETERS = {
    'deformable_detr_pvt_s_coco': (36.371, 36.371),
    'dino_aug_pvt_s_coco': (44.038, 44.038),
    'dino_aug_t2t_14_coco': (41.743, 41.664),
    'dino_aug_vit_s_coco': (42.233, 42.233),
    'dino_deit_s_coco': (42.141, 42.141),
    'dino_msf_swin_t_coco': (50.352, 50.352),
    'dino_msf_vit_s_coco': (43.818, 43.818),
    'dino_sret_s_coco': (40.339, 40.023),
    'dino_tnt_s_coco': (43.859, 43.859),
    'faster_rcnn_pvt_s_coco': (41.495, 41.495),
    'mask_rcnn_deit_s_coco': (42.508, 42.508),
    'mask_rcnn_pvt_s_coco': (44.138, 44.138),
    'mask_rcnn_pvt_t_coco': (32.882, 32.882),
    'mask_rcnn_swin_t_coco': (47.793, 47.793),
    'retinanet_pvt_s_coco': (34.221, 34.221),
    'retinanet_pvt_t_coco': (22.964, 22.964),
}
NAMES = [name for head in HEADS for name in fnmatch.filter(config_files(), f'{head}_*')]
# the others change what a published recipe has otherwise
MORE_LINES = ('mask_rcnn_deit_s_coco', 'mask_rcnn_swin_t_coco')
MORE_LINES += ('dino_aug_vit_s_coco', 'dino_tnt_s_coco')  # normalize as their weights
TWO_LINES = [name for name in NAMES if name not in MORE_LINES]


@pytest.fixture(autouse=True)
def scope():
    register_all_modules(init_default_scope=True)


@pytest.fixture
def join(tmp_path):
    """Write the two base lines and the one that joins them; return the model's settings."""

    def joined(head, backbone):
        path = tmp_path / f'{head}_{backbone}.py'
        bases = [str(BASES / 'models' / f'{head}.py'), str(BASES / 'backbones' / f'{backbone}.py')]
        line = 'model = dict(backbone=_base_.backbone, neck=_base_.maps)'
        path.write_text(f'_base_ = {bases}\n{line}\n')
        model = Config.fromfile(path).model
        model.backbone.init_cfg = None
        return model

    return joined


def load(name):
    return Config.fromfile(config_files()[name])


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
def test_on_resnet_50_a_base_is_mmdets_own_model(head, join):
    """The same settings, and state-dict keys and shapes, so a checkpoint of either loads."""
    ours, theirs = join(head, 'r50'), Config.fromfile(MMDET / HEADS[head][0]).model
    theirs.backbone.init_cfg = None
    assert list(differences(ours, theirs)) == []
    states = [build(model).state_dict() for model in (ours, theirs)]
    shapes = [{key: value.shape for key, value in state.items()} for state in states]
    if head == 'dino':  # the continued release has it twice as wide as it was published
        assert shapes[0][WIDENED] == (256, 512)
        del shapes[0][WIDENED], shapes[1][WIDENED]
    assert shapes[0] == shapes[1]


@pytest.mark.parametrize('head', JOINED)
def test_the_neck_of_a_base_gives_the_numbers_of_mmdets(head, join):
    ours, theirs = join(head, 'r50').neck, Config.fromfile(MMDET / JOINED[head][0]).model.neck
    necks = [MODELS.build(neck) for neck in (ours, theirs)]
    necks[1].load_state_dict(necks[0].state_dict())
    maps = [
        torch.randn(1, width, 96 // stride, 64 // stride)
        for width, stride in zip(ours.in_channels, ours.in_strides, strict=True)
    ]
    given = maps[-len(theirs.in_channels) :]
    for a, b in zip(necks[0](tuple(maps)), necks[1](tuple(given)), strict=True):
        assert torch.equal(a, b)


@pytest.mark.parametrize('head', JOINED)
def test_every_backbone_gives_a_head_the_levels_that_it_reads(head, join):
    """The maps that its fragment declares to those that the head is made for."""
    sizes = [(-(-128 // stride), -(-192 // stride)) for stride in JOINED[head][1]]
    for backbone in FRAGMENTS:
        settings = join(head, backbone).neck
        neck = build(settings)
        maps = tuple(
            torch.empty(1, width, -(-128 // stride), -(-192 // stride), device='meta')
            for width, stride in zip(settings.in_channels, settings.in_strides, strict=True)
        )
        assert [x.shape for x in neck(maps)] == [(1, 256, *size) for size in sizes], backbone


def fits(model):
    """Whether a detector can be built, and no part of it is made for other maps than it gets."""
    config = Config({'default_scope': 'mmdet', 'model': model})
    return list(misfits(config, build_model(config))) == []


# every small head with some of the small backbones, each with others
SAMPLED = [
    (f'{head}_small', backbone)
    for i, head in enumerate(JOINED)
    for k, backbone in enumerate(SMALL)
    if k % 3 == i % 3
]


@pytest.mark.parametrize(('head', 'backbone'), SAMPLED)
def test_a_small_head_fits_any_small_backbone(head, backbone, join):
    assert fits(join(head, backbone))


@pytest.mark.grid
@pytest.mark.parametrize('head', JOINED)
@pytest.mark.parametrize('backbone', FRAGMENTS)
def test_every_head_fits_every_backbone(head, backbone, join):
    assert fits(join(head, backbone))


@pytest.mark.parametrize('name', NAMES)
def test_header(name):
    """What it is in a line, where its number comes from, hardware, and the command."""
    header = ast.get_docstring(ast.parse(config_files()[name].read_text()))
    assert header.splitlines()[0].endswith('.')
    assert f'python tools/train.py {shown_path(name)}' in header
    assert 'Hardware:' in header
    if name.endswith('_coco'):
        total, trained = PARAMETERS[name]
        assert 'Published:' in header or 'Reproduces: nothing' in header
        assert f'Parameters: {total:.3f} M' in header
        assert total == trained or f'{trained:.3f} of them trained' in header
        assert load(name).model.backbone.init_cfg.checkpoint in header


@pytest.mark.parametrize('name', NAMES)
def test_every_key_and_type_is_known_and_classes_are_those_of_the_data(name):
    config = load(name)
    lint(config)
    require_agreement(config)
    classes = config.train_dataloader.dataset.get('metainfo', {}).get('classes', range(80))
    heads = [config.model.get('bbox_head'), *config.model.get('roi_head', {}).values()]
    counts = {
        head.num_classes for head in heads if isinstance(head, dict) and 'num_classes' in head
    }
    assert counts == {len(classes)}


@pytest.mark.parametrize('name', TWO_LINES)
def test_a_run_config_is_two_bases_and_the_line_that_joins_them(name):
    own = {k: v for k, v in ast_values(name).items() if k != '_base_'}
    assert own == {'model': 'dict(backbone=_base_.backbone, neck=_base_.maps)'}


def ast_values(name):
    """Return the source of every value that a config sets."""
    tree = ast.parse(config_files()[name].read_text())
    return {
        node.targets[0].id: ast.unparse(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign)
    }


@pytest.mark.parametrize('name', PARAMETERS)
def test_parameters(name):
    model = build(load(name).model)
    counts = [sum(p.numel() for p in model.parameters())]
    counts += [sum(p.numel() for p in model.parameters() if p.requires_grad)]
    assert tuple(round(count / 1e6, 3) for count in counts) == PARAMETERS[name]


def test_the_whole_table_is_there():
    assert {name for name in NAMES if name.endswith('_coco')} == PARAMETERS.keys()
    assert {f'{head}_pvt_s_shapes' for head in HEADS} <= {*NAMES}


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
    config = load(name)
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


@pytest.mark.parametrize('head', ['faster_rcnn', 'mask_rcnn'])
def test_masks_are_trained_on_and_measured_where_there_is_a_head_for_them(head):
    for data in ('coco', 'shapes'):
        config = load(f'{head}_pvt_s_{data}')
        masks = head == 'mask_rcnn'
        (steps,) = [
            step
            for step in config.train_dataloader.dataset.pipeline
            if step.type == 'LoadAnnotations'
        ]
        assert steps.get('with_mask', False) is masks
        assert ('segm' in config.val_evaluator.metric) is masks
