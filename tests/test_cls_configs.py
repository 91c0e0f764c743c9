"""Classification configs: one for every model, in its paper's recipe."""

import copy
import fnmatch
import math

import pytest
import torch
from mmengine.optim import build_optim_wrapper
from mmengine.registry import PARAM_SCHEDULERS
from mmpretrain.registry import MODELS
from mmpretrain.utils import register_all_modules

import vitbackbones
from vitbackbones.backbones.names import MODELS as NAMED
from vitbackbones.configuration.names import config_files
from vitbackbones.openmmlab.widths import with_widths
from vitbackbones.registry import bare_name

from .shipped import PRINTED, header, shipped

pytestmark = pytest.mark.compat
NAMES = fnmatch.filter(config_files(), 'cls_*')
PRETRAINING = {f'cls_{name}_imagenet': name for name in vitbackbones.list_models()}
SMALLEST = ['deit_ti', 'pvt_t', 'aug_t2t_14', 'tnt_ti', 'sret_t', 'msf_swin_t']
# Epochs, global batch on the hardware of the header, rate, decay, warm-up and its first factor
RECIPES = {
    'deit_s': (300, 1024, 1e-3, 0.05, 5, 1e-3),
    'aug_vit_s': (310, 1024, 1e-3, 0.05, 5, 1e-3),
    'tnt_s': (310, 1024, 1e-3, 0.05, 5, 1e-3),
    'pvt_s': (300, 1024, 1e-3, 0.05, 5, 1e-3),
    't2t_14': (310, 512, 5e-4, 0.05, 10, 2e-3),
    't2t_24': (310, 512, 5e-4, 0.065, 10, 2e-3),
    'sret_t': (300, 1024, 2e-3, 0.05, 30, 5e-4),
    'sret_s': (300, 512, 1e-3, 0.05, 30, 1e-3),
    'sret_t_distill': (300, 1024, 1e-3, 0.05, 5, 1e-3),
    'sret_t_table8': (300, 1024, 1e-3, 0.05, 5, 1e-3),
    'sret_s_table8': (300, 512, 1e-3, 0.05, 5, 1e-3),
    'deit_ti_distilled': (300, 1024, 1e-3, 0.05, 5, 1e-3),
    'msf_vit_s': (100, 1024, 1e-3, 0.05, 10, 0.033),
    'msf_vit_s_300e': (300, 1024, 1e-3, 0.05, 10, 0.033),
}


@pytest.fixture(autouse=True)
def scope():
    register_all_modules(init_default_scope=True)


def build(config):
    ours = config.model.backbone.type.startswith('vitbackbones.')
    with torch.device('meta' if ours else 'cpu'):  # mmpretrain's ask tensors for their values
        return MODELS.build(copy.deepcopy(config.model)).to('meta')


def test_every_published_result_has_its_config():
    named = {each.config for each in (*PRINTED.RESULTS, *PRINTED.BEYOND)}
    assert {name for name in named if name.startswith('cls_')} <= set(NAMES)


@pytest.mark.parametrize('name', SMALLEST)
def test_heads_start_as_those_of_create_model(name):
    config = with_widths(shipped(f'cls_{name}_imagenet'))
    torch.manual_seed(0)
    head = MODELS.build(config.model.head)
    head.init_weights()
    expected = vitbackbones.create_model(name).head.fc
    for ours, theirs in ((head.fc.weight, expected.weight), (head.fc.bias, expected.bias)):
        assert ours.std().item() == pytest.approx(theirs.std().item(), rel=0.1)


@pytest.mark.parametrize(('name', 'rate'), [('t', 0.2), ('s', 0.3)])
def test_swin_drops_what_torchvisions_does(name, rate):
    torchvision = pytest.importorskip('torchvision.models')
    with torch.device('meta'):
        theirs = getattr(torchvision, f'swin_{name}')()
    assert max(getattr(m, 'p', 0) for m in theirs.modules()) == pytest.approx(rate)
    for kind in ('swin', 'msf_swin'):
        assert shipped(f'cls_{kind}_{name}_imagenet').model.backbone.drop_path_rate == rate


def test_pretraining_is_of_the_model_of_that_name():
    for name, model in PRETRAINING.items():
        backbone = dict(shipped(name).model.backbone)
        kind, arguments, out_type = NAMED[model]
        backbone.pop('drop_path_rate', None)
        wanted = {'type': f'vitbackbones.{kind.__name__}', **arguments, 'out_type': out_type}
        assert backbone == wanted, name


@pytest.mark.parametrize('name', RECIPES)
def test_recipe(name):
    config = shipped(f'cls_{name}_imagenet')
    epochs, batch, rate, decay, warm_up, factor = RECIPES[name]
    gpus = int(header(f'cls_{name}_imagenet').split('Hardware: ')[1].split()[0])
    assert config.train_cfg.max_epochs == epochs
    assert config.train_dataloader.batch_size * gpus == config.auto_scale_lr.base_batch_size
    assert config.auto_scale_lr.base_batch_size == batch
    assert not config.auto_scale_lr.enable
    assert config.optim_wrapper.optimizer == {'type': 'AdamW', 'lr': rate, 'weight_decay': decay}
    warm = config.param_scheduler[0]
    assert (warm.start_factor, warm.end) == (factor, warm_up + 1)


def one_weight(rate):
    return torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=rate)


def rates(config):
    """The rate in every epoch of a run."""
    optimizer = one_weight(config.optim_wrapper.optimizer.lr)
    schedulers = [
        PARAM_SCHEDULERS.build({**one, 'optimizer': optimizer}) for one in config.param_scheduler
    ]
    found = []
    for _ in range(config.train_cfg.max_epochs):
        found.append(optimizer.param_groups[0]['lr'])
        optimizer.step()
        for scheduler in schedulers:
            scheduler.step()
    return found


@pytest.mark.parametrize(('name', 'epochs'), [('msf_vit_s', 100), ('msf_vit_s_300e', 300)])
def test_rates_of_msf(name, epochs):
    """Linear from 0.033, whole after the warm-up, then a cosine over the rest to 0."""
    expected = [1e-3 * (0.033 + 0.967 * epoch / 10) for epoch in range(10)]
    rest = epochs - 10
    expected += [1e-3 * (1 + math.cos(math.pi * epoch / rest)) / 2 for epoch in range(rest)]
    assert rates(shipped(f'cls_{name}_imagenet')) == pytest.approx(expected, rel=1e-6)


# Rate, warm-up, epochs of the cosine and its end, where timm's schedule was used
TIMM = {
    'deit_s_imagenet': (1e-3, 5, 300, 1e-5),
    't2t_14_imagenet': (5e-4, 10, 300, 1e-5),
    'sret_t_imagenet': (2e-3, 30, 300, 1e-5),
    'deit_b_384_imagenet': (5e-6, 5, 30, 5e-6),
    'deit_b_cifar10': (0.01, 5, 1000, 1e-5),
    'sret_t_table8_imagenet': (1e-3, 5, 300, 1e-5),
    'msf_vit_s_inat2018': (7.5e-5, 5, 360, 1e-5),
    'tnt_s_cifar10': (5e-5, 5, 64, 1e-5),
}


@pytest.mark.parametrize('name', TIMM)
def test_rates_of_timm(name):
    """Within 0.2 % after the warm-up; in it ours already follows the cosine, at most 2.5 %."""
    timm = pytest.importorskip('timm.scheduler')
    rate, warm_up, epochs, last = TIMM[name]
    optimizer = one_weight(rate)
    scheduler = timm.CosineLRScheduler(
        optimizer, t_initial=epochs, lr_min=last, warmup_t=warm_up, warmup_lr_init=1e-6
    )
    ours, theirs = rates(shipped(f'cls_{name}')), []
    for epoch in range(len(ours)):
        scheduler.step(epoch)
        theirs.append(optimizer.param_groups[0]['lr'])
    assert ours[warm_up:] == pytest.approx(theirs[warm_up:], rel=2e-3)
    assert ours[:warm_up] == pytest.approx(theirs[:warm_up], rel=2.5e-2)


@pytest.mark.parametrize('model_name', SMALLEST)
def test_what_is_decayed(model_name):
    """MSF: everything. The others: no vectors, nor what the backbone's recipe exempts."""
    name = f'cls_{model_name}_imagenet'
    config = shipped(name)
    model = build(config)
    named = {id(parameter): key for key, parameter in model.named_parameters()}
    exempt = {f'backbone.{key}' for key in model.backbone.no_weight_decay()}
    msf = any('/msf_' in base for base in bases(name))
    for group in build_optim_wrapper(model, config.optim_wrapper).optimizer.param_groups:
        for parameter in group['params']:
            free = parameter.ndim == 1 or named[id(parameter)] in exempt
            assert (group['weight_decay'] == 0) == (free and not msf), named[id(parameter)]


def bases(name):
    return [line for line in config_files()[name].read_text().splitlines() if '_base_/' in line]


@pytest.mark.parametrize('name', ['deit_s', 'tnt_s', 'pvt_s', 't2t_14', 'sret_t', 'msf_vit_s'])
def test_augmentation(name):
    config = shipped(f'cls_{name}_imagenet')
    steps = {bare_name(step.type): step for step in config.train_dataloader.dataset.pipeline}
    preprocessor = config.model.data_preprocessor
    mixing = {one.type: one.alpha for one in config.model.train_cfg.augments}
    repeated = config.train_dataloader.sampler.get('num_repeats', 1)
    if name == 'msf_vit_s':
        assert mixing == {'Mixup': 0.2, 'CutMix': 0.2}
        three = [[step.type for step in way] for way in steps['RandomChoice'].transforms]
        assert three == [['RandomGrayscale'], ['Solarize'], ['GaussianBlur']]
        assert 'RandAugment' not in steps
        assert 'erase_prob' not in preprocessor
    else:
        assert mixing == {'Mixup': 0.8, 'CutMix': 1.0}
        wanted = {'num_policies': 2, 'magnitude_level': 9, 'magnitude_std': 0.5}
        assert wanted.items() <= dict(steps['RandAugment']).items()
        assert preprocessor.erase_prob == 0.25
        after_mixing = name in ('tnt_s', 't2t_14')
        assert preprocessor.get('before_mixing', False) != after_mixing
    assert 'RandomErasing' not in steps  # once is enough
    assert repeated == (1 if name == 't2t_14' else 3)
    assert config.train_dataloader.drop_last
    crop = 0.9 if name in ('tnt_s', 't2t_14') else 224 / 256
    assert config.test_steps.resize.scale == int(224 / crop)
    assert config.test_steps.crop.crop_size == 224
    hook = config.default_hooks.get('ema')
    assert (hook is not None) == (name not in ('pvt_s', 'msf_vit_s'))
    assert hook is None or hook.momentum == pytest.approx(1 - 0.99996)


OTHER_DATA = ('cifar10', 'cifar100', 'flowers102', 'pets', 'inat2018', 'inat2019')
TRANSFERS = [name for name in NAMES if name.rpartition('_')[2] in OTHER_DATA]


@pytest.mark.parametrize('name', TRANSFERS)
def test_a_transfer_augments_as_imagenet(name):
    """But for the size, decoding, what is erased, and whose name the data have."""
    config, name = shipped(name), name.removeprefix('cls_')
    half = name.startswith(('tnt', 'aug'))  # mean and std 0.5
    size = 384 if half or '_384_' in name else 224
    source = 'aug_vit_b_384' if half else 'deit_b_384' if size == 384 else 'deit_s'
    pretraining = shipped(f'cls_{source}_imagenet')
    for loader in ('train_dataloader', 'test_dataloader'):
        steps = [step for step in config[loader].dataset.pipeline if 'Load' not in step.type]
        wanted = [step for step in pretraining[loader].dataset.pipeline if 'Load' not in step.type]
        assert steps == wanted
    erased = 0.25 if name.startswith('tnt') else 0.1 if 'inat' in name else 0
    assert config.model.data_preprocessor.get('erase_prob', 0) == erased
    assert config.test_steps.crop.crop_size == size
    assert config.train_dataloader.sampler == pretraining.train_dataloader.sampler
    assert config.train_dataloader.drop_last


@pytest.mark.parametrize(('size', 'clip'), [('t', None), ('s', None), ('m', 1.0), ('l', 1.0)])
def test_deep_pvts_are_clipped(size, clip):
    config = shipped(f'cls_pvt_{size}_imagenet')
    assert config.optim_wrapper.get('clip_grad') == (clip and {'max_norm': clip})
    assert config.model.backbone.drop_path_rate == (0.3 if clip else 0.1)
