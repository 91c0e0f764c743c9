"""Every SETR config of ADE20K: its lines, its protocol, and that it trains and predicts."""

import fnmatch

import pytest
import torch
from mmengine.optim import build_optim_wrapper
from mmengine.registry import DefaultScope
from mmseg.registry import MODELS
from mmseg.utils import register_all_modules

from vitbackbones.configuration.names import config_files

from .shipped import shipped
from .tasks.segmentation.setr import sample

pytestmark = pytest.mark.compat

NAMES = fnmatch.filter(config_files(), 'setr_*_ade20k')


@pytest.fixture(autouse=True)
def scope():
    register_all_modules(init_default_scope=False)
    with DefaultScope.overwrite_default_scope('mmseg'):
        yield


@pytest.mark.parametrize('name', NAMES)
def test_protocol(name):
    """SETR's ADE20K settings and mmseg's pipeline, number by number."""
    config = shipped(name)
    steps = {step.type: step for step in config.train_pipeline}
    resize, crop = steps['RandomResize'], steps['vitbackbones.RandomCrop']
    padding, windows = config.model.data_preprocessor, config.model.test_cfg
    assert (resize.scale, resize.ratio_range) == ((2048, 512), (0.5, 2.0))
    assert (crop.crop_size, crop.cat_max_ratio) == ((512, 512), 0.75)
    assert (padding.size, padding.seg_pad_val) == ((512, 512), 255)
    assert (windows.crop_size, windows.stride) == ((512, 512), (341, 341))
    assert config.train_dataloader.batch_size * 8 == config.auto_scale_lr.base_batch_size == 16
    (schedule,) = config.param_scheduler
    assert (config.train_cfg.max_iters, schedule.power, schedule.end) == (160000, 0.9, 160000)
    last = schedule.eta_min_ratio * config.optim_wrapper.optimizer.lr
    assert last == pytest.approx(1e-4)
    assert config.model.auxiliary_head.loss_decode.loss_weight == 0.4


# ---------------------------------------------------------------------------- running them

SIDE = 64
NARROW = {'embed_dims': 64, 'depth': 24, 'num_heads': 2}  # ViT-L itself takes too long here


def small(name):
    """The config's model at small images, without weights; ViT-L narrower."""
    config = shipped(name)
    model = config.model
    model.backbone.init_cfg = None
    model.data_preprocessor.size = (SIDE, SIDE)
    model.test_cfg.update(crop_size=(SIDE, SIDE), stride=(48, 48))
    if model.backbone.get('arch') == 'l':
        model.backbone.arch = NARROW
    return config


def batch(count, height, width):
    draw = torch.Generator().manual_seed(0)
    images = torch.randint(0, 256, (count, 3, height, width), generator=draw, dtype=torch.uint8)
    samples = [sample(height, width, seed) for seed in range(count)]
    return {'inputs': list(images), 'data_samples': samples}


# each head, and the two hosts of several stages
RUN = ['setr_naive_msf_vit_s', 'setr_pup_vit_l', 'setr_mla_simple_vit_s', 'setr_mla_pvt_s']
RUN += ['setr_mla_sret_s']


@pytest.mark.parametrize('name', [f'{name}_ade20k' for name in RUN])
def test_it_trains_and_predicts_in_windows(name):
    config = small(name)
    torch.manual_seed(0)
    model = MODELS.build(config.model)
    optimizer = build_optim_wrapper(model, config.optim_wrapper)
    rates = {p: group['lr'] for group in optimizer.param_groups for p in group['params']}
    rate = 1e-2 if '_naive_' in name else 1e-3
    for key, parameter in model.named_parameters():
        heads = key.startswith(('decode_head', 'auxiliary_head'))
        if parameter.requires_grad:
            assert rates[parameter] == pytest.approx(rate * (10 if heads else 1))
    before = model.decode_head.conv_seg.weight.clone()
    for _ in range(2):
        losses = model.train_step(batch(2, SIDE, SIDE), optimizer)
    assert torch.isfinite(losses['loss'])
    assert not before.equal(model.decode_head.conv_seg.weight)
    trained = {p for p in model.parameters() if p.requires_grad}
    assert set(optimizer.optimizer.state) == trained  # each has had a gradient
    result = model.eval().val_step(batch(1, 70, 90))[0]
    assert result.pred_sem_seg.shape == (70, 90)
