"""Every ADE20K config: header, keys, shapes, size and rates, and that it trains and predicts."""

import ast
import fnmatch
import inspect
import re
import runpy

import pytest
import torch
from mmengine.config import Config
from mmengine.optim import build_optim_wrapper
from mmengine.registry import DefaultScope
from mmengine.structures import PixelData
from mmseg.registry import DATASETS, MODELS, TRANSFORMS
from mmseg.structures import SegDataSample
from mmseg.utils import register_all_modules

from vitbackbones.catalog import config_files, shown_path
from vitbackbones.configuration.lint import lint
from vitbackbones.preflight.agreement import require_agreement

pytestmark = pytest.mark.compat

# Millions of parameters, with the heads for 150 classes and the auxiliary heads.
PARAMETERS = {
    'setr_mla_aug_pvt_s_ade20k': 30.941,
    'setr_mla_aug_t2t_14_ade20k': 26.961,
    'setr_mla_aug_vit_s_ade20k': 27.45,
    'setr_mla_deit_s_ade20k': 27.358,
    'setr_mla_msf_swin_t_ade20k': 35.032,
    'setr_mla_msf_vit_s_ade20k': 28.718,
    'setr_mla_msf_vit_s_g2_ade20k': 25.179,
    'setr_mla_pvt_s_ade20k': 30.858,
    'setr_mla_simple_vit_s_ade20k': 26.949,
    'setr_mla_sret_s_ade20k': 24.773,
    'setr_mla_tnt_s_ade20k': 29.077,
    'setr_naive_msf_vit_s_ade20k': 23.896,
    'setr_naive_simple_vit_s_ade20k': 22.126,
    'setr_pup_msf_vit_s_ade20k': 29.738,
    'setr_pup_simple_vit_s_ade20k': 27.969,
    'setr_pup_vit_l_ade20k': 317.923,
}
NAMES = sorted(PARAMETERS)


@pytest.fixture(autouse=True)
def scope():
    register_all_modules(init_default_scope=False)
    with DefaultScope.overwrite_default_scope('mmseg'):
        yield


def load(name):
    return Config.fromfile(config_files()[name])


def test_the_whole_table_is_there():
    assert set(NAMES) == {*fnmatch.filter(config_files(), 'setr_*_ade20k')}
    both = ('simple_vit_s', 'msf_vit_s')
    wanted = {f'setr_{kind}_{b}' for kind in ('naive', 'pup', 'mla') for b in both}
    others = ('deit_s', 'aug_vit_s', 'sret_s', 'tnt_s', 'pvt_s', 'aug_pvt_s', 'aug_t2t_14')
    others += ('msf_swin_t', 'msf_vit_s_g2')
    wanted |= {f'setr_mla_{b}' for b in others} | {'setr_pup_vit_l'}
    assert {f'{name}_ade20k' for name in wanted} == set(NAMES)


@pytest.mark.parametrize('name', NAMES)
def test_header(name):
    """What it is in a line, a published number, size, hardware, weights, and the command."""
    header = ast.get_docstring(ast.parse(config_files()[name].read_text()))
    assert header.splitlines()[0].endswith('.')
    assert f'python tools/train.py {shown_path(name)}' in header
    assert re.search('[Pp]ublished:|nothing published', header)
    assert 'Hardware:' in header
    assert f'Parameters: {PARAMETERS[name]:.3f} M' in header
    assert load(name).model.backbone.init_cfg.checkpoint in header


@pytest.mark.parametrize('name', NAMES)
def test_every_key_and_type_is_known(name):
    lint(load(name))
    require_agreement(load(name))


@pytest.mark.parametrize('name', NAMES)
def test_a_config_names_a_backbone_and_its_widths_and_nothing_else(name):
    own = {k: v for k, v in runpy.run_path(config_files()[name]).items() if k[0] != '_'}
    assert own.keys() == {'model'}
    about_it = ('backbone', 'data_preprocessor')
    heads = {key: set(value) for key, value in own['model'].items() if key not in about_it}
    if '_mla_' not in name:
        assert heads == {'decode_head': {'in_channels'}, 'auxiliary_head': {'in_channels'}}
    elif 'sret' in name:  # has three stages
        assert heads['decode_head'] == {'levels'}
    else:
        assert heads.keys() == {'neck'}
        assert heads['neck'] <= {'in_channels', 'in_strides'}


@pytest.mark.parametrize('name', NAMES)
def test_backbone_and_heads_fit_and_the_size_is_known(name):
    config = load(name)
    with torch.device('meta'):
        model = MODELS.build(config.model)
    backbone = model.backbone
    if '_mla_' in name:
        assert tuple(config.model.neck.in_channels) == backbone.out_channels
        assert model.neck.strides == backbone.out_strides
    else:
        widths = {config.model[head].in_channels for head in ('decode_head', 'auxiliary_head')}
        assert widths == set(backbone.out_channels)
    count = sum(p.numel() for p in model.parameters())
    assert round(count / 1e6, 3) == PARAMETERS[name]


@pytest.mark.parametrize('name', NAMES)
def test_protocol(name):
    """SETR's ADE20K settings and mmseg's pipeline, number by number."""
    config = load(name)
    steps = {step.type: step for step in config.train_pipeline}
    crop, with_zero = (
        steps['vitbackbones.RandomCrop'],
        DATASETS.get(config.train_dataloader.dataset.type),
    )
    assert inspect.signature(with_zero).parameters['reduce_zero_label'].default is True
    assert (steps['RandomResize'].scale, steps['RandomResize'].ratio_range) == (
        (2048, 512),
        (0.5, 2.0),
    )
    assert (crop.crop_size, crop.cat_max_ratio) == ((512, 512), 0.75)
    assert (config.model.data_preprocessor.size, config.model.data_preprocessor.seg_pad_val) == (
        (512, 512),
        255,
    )
    assert (config.model.test_cfg.crop_size, config.model.test_cfg.stride) == (
        (512,) * 2,
        (341,) * 2,
    )
    assert config.train_dataloader.batch_size * 8 == config.auto_scale_lr.base_batch_size == 16
    (schedule,) = config.param_scheduler
    assert (config.train_cfg.max_iters, schedule.power, schedule.end) == (160000, 0.9, 160000)
    last = schedule.eta_min_ratio * config.optim_wrapper.optimizer.lr
    assert last == pytest.approx(1e-4)
    assert config.model.auxiliary_head.loss_decode.loss_weight == 0.4


def test_the_transforms_of_several_scales_build():
    config = load(NAMES[0])
    (augment,) = [TRANSFORMS.build(s) for s in config.tta_pipeline if s['type'] == 'TestTimeAug']
    assert len(augment.subroutines) == 12


# ---------------------------------------------------------------------------- running them

SIDE = 64
NARROW = {'embed_dims': 64, 'depth': 24, 'num_heads': 2}  # ViT-L itself takes too long here


def small(name):
    """The config's model at small images, without weights; ViT-L narrower."""
    config = load(name)
    model = config.model
    model.backbone.init_cfg = None
    model.data_preprocessor.size = (SIDE, SIDE)
    model.test_cfg.update(crop_size=(SIDE, SIDE), stride=(48, 48))
    if model.backbone.get('arch') == 'l':
        model.backbone.arch = NARROW
        model.decode_head.in_channels = model.auxiliary_head.in_channels = 64
    return config


def batch(count, height, width):
    draw = torch.Generator().manual_seed(0)
    images = torch.randint(0, 256, (count, 3, height, width), generator=draw, dtype=torch.uint8)
    samples = []
    for _ in range(count):
        labels = torch.randint(0, 150, (1, height, width), generator=draw)
        samples.append(SegDataSample(gt_sem_seg=PixelData(data=labels)))
        samples[-1].set_metainfo({'ori_shape': (height, width), 'img_shape': (height, width)})
    return {'inputs': list(images), 'data_samples': samples}


@pytest.mark.parametrize('name', NAMES)
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
