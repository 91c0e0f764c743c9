"""Low-rank adapters: W + B A in every use of a weight, and nothing else of the network learns."""

from copy import deepcopy

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from vitbackbones.backbones import ViT
from vitbackbones.errors import InputError
from vitbackbones.layers import GroupedLinear
from vitbackbones.layers.lora import ADAPTERS, add_adapters, merged_state

ARCH = {'embed_dims': 16, 'depth': 2, 'num_heads': 2}
RANK = 2


def image(side=64):
    return torch.randn(2, 3, side, side, generator=torch.Generator().manual_seed(0))


@torch.no_grad()  # torch multiplies in another order where an input needs a gradient
def same(one, other, x):
    torch.testing.assert_close(one(x), other(x), rtol=0, atol=0)


def learned(network):
    """Move the adapters, as training does."""
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            if name.endswith(ADAPTERS):
                parameter.add_(torch.randn_like(parameter), alpha=0.3)
    return network


def learning(network):
    return {name for name, parameter in network.named_parameters() if parameter.requires_grad}


def adapted_vit(**options):
    backbone = ViT(ARCH, img_size=32, **options)
    add_adapters(backbone, RANK)
    return backbone


def loss_of(backbone, x):
    torch.manual_seed(0)
    return sum(each.square().mean() for each in backbone(x))


def test_every_backbone_starts_as_it_was_and_learns_by_its_adapters_alone(make_backbone):
    plain = make_backbone().eval()
    backbone = deepcopy(plain)
    add_adapters(backbone, RANK)
    x = image()
    same(backbone, plain, x)
    learned(backbone)
    loss_of(backbone, x).backward()
    names = {name for name, parameter in backbone.named_parameters() if parameter.grad is not None}
    assert names == learning(backbone)  # as processes that share a model need it
    assert names == {name for name in backbone.state_dict() if name.endswith(ADAPTERS)}


@torch.no_grad()
def test_every_backbone_answers_as_one_with_the_merged_weights(make_backbone):
    plain = make_backbone().eval()
    backbone = deepcopy(plain)
    add_adapters(backbone, RANK)
    learned(backbone)
    state = backbone.state_dict()
    merged, before = merged_state(state)
    assert merged.keys() == plain.state_dict().keys()
    assert {**merged, **before}.keys() == state.keys()
    first = [each.clone() for each in plain(image())]
    plain.load_state_dict(merged)
    same(backbone, plain, image())
    assert not any(torch.allclose(a, b) for a, b in zip(plain(image()), first, strict=True))


def test_a_layer_is_that_of_the_paper():
    network = nn.ModuleDict({'attn': nn.Linear(6, 4)})
    add_adapters(network, RANK)
    layer, x = learned(network)['attn'], torch.randn(5, 6)
    base, a, b = layer.state_dict()['weight'], layer.lora_A, layer.lora_B
    torch.testing.assert_close(layer(x), F.linear(x, base, layer.bias) + (x @ a.T) @ b.T)


@pytest.mark.parametrize(
    'attention',
    [
        {'sharing': 'QQQQ'},
        {'sharing': 'QKKW'},
        {'groups': 2},
        {'type': 'MeanShiftAttention', 'groups': 2},
    ],
    ids=str,
)
def test_matrices_in_several_roles_and_groups_have_one_adapter(attention):
    backbone = ViT(ARCH, img_size=32, attention=attention)
    add_adapters(backbone, RANK)
    learned(backbone)
    merged = ViT(ARCH, img_size=32, attention=attention)
    merged.load_state_dict(merged_state(backbone.state_dict())[0])
    x = image(32)
    same(backbone.eval(), merged.eval(), x)
    loss_of(backbone, x).backward()
    assert all(backbone.get_parameter(name).grad.abs().sum() > 0 for name in learning(backbone))
    if 'groups' in attention:
        layers = [part for part in backbone.modules() if isinstance(part, GroupedLinear)]
        assert layers[0].lora_A.shape == (RANK, 16 // 2)


def test_the_passes_of_a_recursion_share_an_adapter():
    backbone = adapted_vit(recursion={'passes': 3, 'nll_ratio': 1.0})
    loss_of(backbone, image(32)).backward()
    layers = [name for name in learning(backbone) if name.startswith('blocks.0.attn.qkv')]
    assert sorted(layers) == ['blocks.0.attn.qkv.lora_A', 'blocks.0.attn.qkv.lora_B']
    assert any(name.startswith('blocks.0.nlls.2.mlp.fc1') for name in learning(backbone))


def test_frozen_stages_get_none_and_stay():
    backbone = adapted_vit(frozen_stages=1)
    assert {name.split('.')[1] for name in learning(backbone.train())} == {'1'}


def test_weights_without_adapters_are_loaded_as_they_are():
    backbone, plain = learned(adapted_vit()).eval(), ViT(ARCH, img_size=32).eval()
    backbone.load_state_dict(plain.state_dict())
    same(backbone, plain, image(32))


def test_weights_with_adapters_are_loaded_whole():
    backbone, other = learned(adapted_vit()).eval(), adapted_vit().eval()
    other.load_state_dict(backbone.state_dict())
    same(backbone, other, image(32))
    same(deepcopy(backbone), other, image(32))


def test_recomputed_blocks_have_the_same_gradients():
    gradients = []
    for with_cp in (False, True):
        torch.manual_seed(0)
        backbone = learned(adapted_vit(with_cp=with_cp)).train()
        loss_of(backbone, image(32)).backward()
        gradients.append([backbone.get_parameter(name).grad for name in sorted(learning(backbone))])
    assert all(torch.equal(a, b) for a, b in zip(*gradients, strict=True))


def tied():
    network = nn.ModuleDict({'attn': nn.Sequential(*(nn.Linear(4, 4) for _ in range(3)))})
    network['attn'][2].weight = network['attn'][0].weight
    return network


@pytest.mark.parametrize(
    ('network', 'said'),
    [
        (
            tied(),
            'adapters do not support packed or shared weights, such as those of attn.0, attn.2$',
        ),
        (
            nn.ModuleDict({'attn': nn.MultiheadAttention(4, 2)}),
            'shared weights, such as those of attn$',
        ),
        (nn.Sequential(nn.Linear(3, 3)), 'no attention or MLP layer of Sequential is trained$'),
    ],
    ids=['shared', 'packed', 'none'],
)
def test_layers_that_cannot_be_adapted_are_named(network, said):
    before = learning(network)
    with pytest.raises(InputError, match=f'^--lora: .*{said}'):
        add_adapters(network, RANK)
    assert learning(network) == before


def test_a_rank_above_the_width_of_a_layer_is_refused():
    backbone = ViT(ARCH, img_size=32)
    with pytest.raises(InputError, match=r'--lora 1000: exceeds \d+, the smallest width of a lay'):
        add_adapters(backbone, 1000)
    assert all(parameter.requires_grad for parameter in backbone.parameters())
