"""One group for each set of options: few of them, and the same weights to the bit."""

import pytest
import torch
from mmengine.config import Config
from mmengine.optim import build_optim_wrapper
from torch import nn

from vitbackbones.backbones import ViT
from vitbackbones.configuration.checks.trial import build_model
from vitbackbones.configuration.names import config_files
from vitbackbones.configuration.read import read_config
from vitbackbones.training.param_groups import fused_option, group_parameters

pytestmark = pytest.mark.compat
PARAMWISE = {
    'flat_decay_mult': 0.0,
    'custom_keys': {'pos_embed': {'decay_mult': 0.0}, 'blocks.1': {'lr_mult': 0.1}},
}
IMPLEMENTATIONS = {
    'plain': {'foreach': False, 'fused': False},
    'foreach': {'foreach': True},
    'fused': {'fused': True},
}


def build(model, constructor, optimizer, **options):
    config = {'optimizer': optimizer, 'constructor': constructor, 'paramwise_cfg': PARAMWISE}
    return build_optim_wrapper(model, {'type': 'OptimWrapper', **config, **options})


def tiny():
    torch.manual_seed(0)
    return ViT(arch={'embed_dims': 24, 'depth': 2, 'num_heads': 2}, img_size=32)


@pytest.mark.parametrize('implementation', IMPLEMENTATIONS)
@pytest.mark.parametrize('kind', [{'type': 'AdamW'}, {'type': 'SGD', 'momentum': 0.9}], ids=str)
def test_weights_are_those_of_a_group_for_each_parameter(kind, implementation):
    optimizer = {'lr': 0.01, 'weight_decay': 0.1, **kind, **IMPLEMENTATIONS[implementation]}
    models = [tiny(), tiny()]
    kinds = ['DefaultOptimWrapperConstructor', 'vitbackbones.GroupedOptimWrapperConstructor']
    wrappers = [
        build(model, each, optimizer, clip_grad={'max_norm': 0.5})
        for model, each in zip(models, kinds, strict=True)
    ]
    counts = [len(wrapper.optimizer.param_groups) for wrapper in wrappers]
    assert counts == [len(list(models[0].parameters())), 4]
    for seed in range(3):
        for model, wrapper in zip(models, wrappers, strict=True):
            draw = torch.Generator().manual_seed(seed)
            for parameter in model.parameters():
                parameter.grad = torch.randn(parameter.shape, generator=draw)
            wrapper.step()
    pairs = zip(*(model.parameters() for model in models), strict=True)
    assert all(torch.equal(one, other) for one, other in pairs)
    assert not torch.equal(models[0].pos_embed, tiny().pos_embed)


@pytest.mark.parametrize('kind', ['AdamW', 'Adam', 'SGD', torch.optim.AdamW])
def test_the_fused_kernel_is_taken(kind):
    optimizer = {'type': kind, 'lr': 1, 'weight_decay': 0.1}
    wrapper = build(tiny(), 'vitbackbones.GroupedOptimWrapperConstructor', optimizer)
    assert all(group['fused'] for group in wrapper.optimizer.param_groups)


@pytest.mark.parametrize(
    ('optimizer', 'device'),
    [
        ({'type': 'AdamW', 'foreach': True}, 'cpu'),
        ({'type': 'AdamW', 'fused': False}, 'cpu'),
        ({'type': 'SGD', 'differentiable': True}, 'cpu'),
        ({'type': 'RMSprop'}, 'cpu'),
        ({'type': 'AdamW'}, 'meta'),
    ],
    ids=str,
)
def test_another_implementation_stays(optimizer, device):
    assert fused_option(optimizer, nn.Linear(1, 1, device=device)) == {}


def test_a_constructor_that_the_config_names_stays():
    before = Config({'optim_wrapper': {'optimizer': {}}})
    grouped = group_parameters(before)
    assert before.optim_wrapper == {'optimizer': {}}
    assert grouped.optim_wrapper.constructor == 'vitbackbones.GroupedOptimWrapperConstructor'
    named = Config({'optim_wrapper': {'constructor': 'Mine'}})
    assert group_parameters(named).optim_wrapper == named.optim_wrapper


@pytest.mark.parametrize(
    ('name', 'groups'),
    [('cls_deit_ti_imagenet', 3), ('detr_aug_vit_s_coco', 3), ('setr_mla_aug_vit_s_ade20k', 2)],
)
def test_groups_of_shipped_configs(name, groups):
    config = group_parameters(read_config(config_files()[name]))
    wrapper = build_optim_wrapper(build_model(config), config.optim_wrapper)
    assert len(wrapper.optimizer.param_groups) == groups
