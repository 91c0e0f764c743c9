# ruff: noqa: C408
"""Heads of segmentation: their configs, the toolboxes' own, any backbone, and no objects."""

import copy
import fnmatch
from importlib import import_module
from pathlib import Path

import mmdet
import mmdet.registry
import mmdet.utils
import mmseg
import mmseg.utils
import numpy as np
import pytest
import torch
from mmdet.structures import DetDataSample
from mmdet.structures.mask import BitmapMasks
from mmengine.config import Config
from mmengine.optim import build_optim_wrapper
from mmengine.registry import DefaultScope
from mmengine.structures import InstanceData, PixelData
from mmseg.structures import SegDataSample

from vitbackbones.configuration.names import config_files
from vitbackbones.configuration.read import read_config
from vitbackbones.preparing.schedules import simulated

from .shipped import shipped
from .small_backbones import small

pytestmark = pytest.mark.compat
CONFIGS = Path(__file__).parents[1] / 'configs'
NAMES = [
    name
    for head in ('mask2former', 'semantic_fpn', 'upernet')
    for name in fnmatch.filter(config_files(), f'{head}_*')
]
PUBLISHED_DATA = [name for name in NAMES if not name.endswith('_shapes')]


@pytest.fixture(autouse=True)
def registered():
    for toolbox in (mmseg, mmdet):
        toolbox.utils.register_all_modules(init_default_scope=False)


def build(config, **device):
    """Build the model of a config, without weights from a file."""
    scope, settings = config.default_scope, copy.deepcopy(config.model)
    settings.backbone.init_cfg = None
    with DefaultScope.overwrite_default_scope(scope), torch.device(device.get('device', 'cpu')):
        return import_module(f'{scope}.registry').MODELS.build(settings)


# ---------------------------------------------------------------------------- what they say


SCHEDULES = {  # iterations, base batch, rate, decay
    'upernet': (160000, 16, 6e-5, 0.01),
    'semantic_fpn': (40000, 32, 2e-4, 1e-4),
    'mask2former': (160000, 16, 1e-4, 0.05),
    'mask2former_instance': (368750, 16, 1e-4, 0.05),
    'mask2former_panoptic': (368750, 16, 1e-4, 0.05),
}


@pytest.mark.parametrize('name', PUBLISHED_DATA)
def test_protocol(name):
    config = shipped(name)
    optimizer = config.optim_wrapper.optimizer
    batch = 8 * config.train_dataloader.batch_size
    assert batch == config.auto_scale_lr.base_batch_size
    head = max((head for head in SCHEDULES if name.startswith(f'{head}_')), key=len)
    found = (config.train_cfg.max_iters, batch, optimizer.lr, optimizer.weight_decay)
    assert found == SCHEDULES[head]
    assert config.param_scheduler[-1].end == config.train_cfg.max_iters


@pytest.mark.parametrize('name', ['upernet_swin_t_ade20k', 'mask2former_swin_t_ade20k'])
def test_what_is_published_as_undecayed_is(name):
    """Norms and position biases of the backbone, and embeddings; Mask2Former's norms, too."""
    config = shipped(name)
    model = build(config, device='meta')
    wrapper = build_optim_wrapper(model, config.optim_wrapper)
    decays = {p: g['weight_decay'] for g in wrapper.param_groups for p in g['params']}
    rates = {p: g['lr'] for g in wrapper.param_groups for p in g['params']}
    flat = {name for name, p in model.named_parameters() if decays[p] == 0}
    expected = {
        n for n, _ in model.backbone.named_parameters() if 'norm' in n or '_bias_table' in n
    }
    expected = {f'backbone.{name}' for name in expected}
    if 'mask2former' in name:
        norms = ('.gn.', '.norms.', 'post_norm', 'query_embed', 'query_feat', 'level_embed')
        head = [name for name, _ in model.decode_head.named_parameters()]
        expected |= {f'decode_head.{name}' for name in head if any(n in f'.{name}' for n in norms)}
        assert {rates[p] for p in model.backbone.parameters()} == {1e-5}
        assert {rates[p] for p in model.decode_head.parameters()} == {1e-4}
    assert flat == expected


# ---------------------------------------------------------------------------- as the toolboxes'

R18 = dict(type='ResNet', depth=18, num_stages=4, out_indices=(0, 1, 2, 3), norm_eval=True)
R18['norm_cfg'] = dict(type='BN')
WIDTHS = [64, 128, 256, 512]
READS = dict(neck=dict(out_channels=None))
FEW = dict(pixel_decoder=dict(encoder=dict(num_layers=1)), transformer_decoder=dict(num_layers=2))
FEWER = dict(panoptic_head=FEW)
M2F = 'mask2former/mask2former_r50_8xb2-'
# ours, theirs, how the heads of ours read the maps, what both have less of
PAIRS = {
    'upernet': ('mmseg', '_base_/models/upernet_r50', READS, {}),
    'semantic_fpn': ('mmseg', '_base_/models/fpn_r50', {}, {}),
    'mask2former': ('mmseg', f'{M2F}160k_ade20k-512x512', READS, dict(decode_head=FEW)),
    'mask2former_instance': ('mmdet', f'{M2F}lsj-50e_coco', READS, FEWER),
    'mask2former_panoptic': ('mmdet', f'{M2F}lsj-50e_coco-panoptic', READS, FEWER),
}


def ours_and_theirs(kind):
    """Build a base of ours and the toolbox's config on a ResNet-18, with the same weights."""
    toolbox, path, joined, less = PAIRS[kind]
    folder = Path(import_module(toolbox).__file__).parent / '.mim' / 'configs'
    theirs = Config.fromfile(folder / f'{path}.py')
    ours = Config.fromfile(CONFIGS / '_base_' / 'models' / f'{kind}.py')
    ours.merge_from_dict(dict(model=joined))
    if theirs.model.get('neck'):
        theirs.model.neck.in_channels = WIDTHS
    else:
        for name in ('decode_head', 'panoptic_head'):
            theirs.model.get(name, {})['in_channels'] = WIDTHS
        theirs.model.get('auxiliary_head', {})['in_channels'] = WIDTHS[2]
    if kind in ('upernet', 'semantic_fpn'):  # their bases are of Cityscapes
        for name in ('decode_head', 'auxiliary_head'):
            ours.model.get(name, {})['num_classes'] = 19
    models = []
    for config in (ours, theirs):
        config.merge_from_dict(dict(model=less))
        config.model.backbone = R18
        config.model.pretrained = None
        if toolbox == 'mmdet' or kind == 'mask2former':
            del config.model.pretrained
        config.default_scope = toolbox
        models.append(build(config))
    models[1].load_state_dict(models[0].state_dict())
    return models


def pixels(count, height, width):
    draw = torch.Generator().manual_seed(0)
    return torch.randint(0, 256, (count, 3, height, width), generator=draw, dtype=torch.uint8)


def semantic(labels):
    """A sample of mmseg with the labels (H, W)."""
    size = dict(ori_shape=labels.shape, img_shape=labels.shape)
    return SegDataSample(gt_sem_seg=PixelData(data=labels[None]), metainfo=size)


def panoptic(labels, things):
    """A sample of mmdet: labels (H, W), and a mask for each number below ``things`` in them."""
    size = dict(ori_shape=labels.shape, img_shape=labels.shape, batch_input_shape=labels.shape)
    kinds = [label for label in labels.unique().tolist() if label < things]
    masks = np.array([(labels == kind).numpy() for kind in kinds], np.uint8)
    sample = DetDataSample(metainfo=size | dict(pad_shape=labels.shape, scale_factor=(1, 1)))
    sample.gt_instances = InstanceData(
        labels=torch.tensor(kinds, dtype=torch.long),
        bboxes=torch.zeros(len(kinds), 4),
        masks=BitmapMasks(masks.reshape(-1, *labels.shape), *labels.shape),
    )
    sample.gt_sem_seg = PixelData(sem_seg=labels[None])
    return sample


def blocks(side, classes):
    """Labels (side, side) in quarters of different classes."""
    quarters = torch.tensor([[0, 1], [2, classes - 1]])
    return quarters.repeat_interleave(side // 2, 0).repeat_interleave(side // 2, 1)


@pytest.mark.parametrize('kind', PAIRS)
def test_without_a_projection_a_base_is_the_config_of_the_toolbox(kind):
    """The same weights, and with the same draws the same losses to the bit."""
    losses = []
    for model in ours_and_theirs(kind):
        things = getattr(model, 'num_things_classes', 0)
        label = blocks(64, 19 if not things else model.num_classes)
        sample = panoptic(label, things) if things else semantic(label)
        if kind == 'mask2former_instance':
            del sample.gt_sem_seg
        torch.manual_seed(0)
        found = model.train().loss(pixels(2, 64, 64).float(), [sample, sample.clone()])
        losses.append({name: value.item() for name, value in found.items()})
    assert losses[0] == losses[1]
    assert all(np.isfinite(value) for value in losses[0].values())


# ---------------------------------------------------------------------------- any backbone

HEADS = [name.removesuffix('_pvt_s_shapes') for name in NAMES if name.endswith('_shapes')]
THREE = ['ViT', 'SReT', 'PVT']  # one map, three, four


def scope_of(head):
    return 'mmdet' if head.startswith(('mask2former_instance', 'mask2former_panoptic')) else 'mmseg'


def on(head, backbone):
    """The config of a head's base on a small backbone."""
    config = Config.fromfile(CONFIGS / '_base_' / 'models' / f'{head}.py')
    config.default_scope = scope_of(head)
    config.model.backbone = small(backbone)
    return config


def batch(head, model, label):
    """Two images of a size and the label for both, as data loaders give them."""
    things = getattr(model, 'num_things_classes', 0)
    sample = panoptic(label, things) if things else semantic(label)
    if head.startswith('mask2former_instance'):
        del sample.gt_sem_seg
    return {'inputs': [*pixels(2, *label.shape)], 'data_samples': [sample, sample.clone()]}


def answer(sample):
    """What a model says of each pixel, or of the instances."""
    for name in ('pred_sem_seg', 'pred_panoptic_seg'):
        if name in sample:
            return next(iter(sample.get(name).values()))
    return sample.pred_instances.masks


@pytest.mark.parametrize('backbone', THREE)
@pytest.mark.parametrize('head', HEADS)
def test_a_head_learns_on_any_number_of_maps(head, backbone):
    """Every parameter learns, and an image of any size is answered."""
    config = on(f'{head}_small', backbone)
    model = build(config)
    data = model.data_preprocessor(batch(head, model, blocks(128, 4)), training=True)
    losses = model.train()(**data, mode='loss')
    sum(value for name, value in losses.items() if 'loss' in name).backward()
    unused = [name for name, p in model.named_parameters() if p.requires_grad and p.grad is None]
    assert unused == []
    odd = batch(head, model, torch.zeros(70, 90, dtype=torch.long))
    assert answer(model.eval().val_step(odd)[1]).shape[-2:] == (70, 90)


@pytest.mark.parametrize('head', HEADS)
def test_nothing_to_find_is_a_finite_loss(head):
    """Images without objects, and crops of ignored pixels alone."""
    config = on(f'{head}_small', 'PVT')
    model = build(config).train()
    nothing = torch.full((128, 128), 255)
    losses = model(
        **model.data_preprocessor(batch(head, model, nothing), training=True), mode='loss'
    )
    total = sum(value.sum() for name, value in losses.items() if 'loss' in name)
    total.backward()
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    assert all(bool(gradient.isfinite().all()) for gradient in [total, *gradients])


def test_upernets_rate_falls_from_the_first_iteration_under_the_warm_up():
    """6e-5 (1 - t / 160000), times t / 1500 until there: 5.94e-5 at the highest."""
    config = read_config('upernet_swin_t_ade20k')
    rates = simulated(config.param_scheduler, [6e-5], 160_000, by_iterations=True)
    assert max(rate for (rate,) in rates) == pytest.approx(5.94e-5, rel=2e-3)
    assert rates[500][0] == pytest.approx(6e-5 / 2, rel=1e-2)
