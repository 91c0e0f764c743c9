"""Layer-wise learning rates and no-decay rules, for every backbone, wherever it sits."""

import pytest
from mmengine.optim import build_optim_wrapper
from torch import nn

from vitbackbones.backbones import ViT
from vitbackbones.backbones.foreign.timm_models import Timm
from vitbackbones.errors import InputError
from vitbackbones.layers.lora import ADAPTERS, add_adapters

pytestmark = pytest.mark.compat
RATE = 0.5
ARCH = {'embed_dims': 16, 'depth': 2, 'num_heads': 2}


class Host(nn.Module):
    """What a detector, a segmentor and a classifier have in common."""

    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone
        self.head = nn.Linear(3, 2)


def settings(model, **paramwise):
    """{name of a parameter: (learning rate, weight decay)}, and the number of groups."""
    config = {
        'type': 'OptimWrapper',
        'optimizer': {'type': 'AdamW', 'lr': 1.0, 'weight_decay': 0.1},
        'constructor': 'vitbackbones.LayerDecayOptimWrapperConstructor',
        'paramwise_cfg': paramwise,
    }
    groups = build_optim_wrapper(model, config).optimizer.param_groups
    found = {id(p): (g['lr'], g['weight_decay']) for g in groups for p in g['params']}
    assert len(found) == sum(len(group['params']) for group in groups)
    trained = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
    return {name: found[id(p)] for name, p in trained}, len(groups)


def test_every_backbone(make_backbone):
    backbone = make_backbone()
    found, groups = settings(Host(backbone), layer_decay_rate=RATE, flat_decay_mult=0.0)
    undecayed = backbone.no_weight_decay()
    rates = set()
    for name, parameter in backbone.named_parameters():
        if not parameter.requires_grad:  # T2T's fixed random features
            continue
        rate, decay = found[f'backbone.{name}']
        depth, depths = backbone.layer_depth(name)
        assert rate == pytest.approx(RATE ** (depths - 1 - depth)), name
        assert decay == (0.0 if name in undecayed or parameter.ndim == 1 else 0.1), name
        rates.add(rate)
    assert min(rates) == pytest.approx(RATE ** (depths - 1))  # the stem
    assert found['head.weight'] == (1.0, 0.1)
    assert found['head.bias'] == (1.0, 0.0)
    assert groups <= 2 * (len(rates) + 1)


def test_with_a_rate_for_the_backbone():
    backbone = ViT(ARCH, img_size=32)
    keys = {'backbone': {'lr_mult': 0.1}}
    found, _ = settings(Host(backbone), layer_decay_rate=RATE, custom_keys=keys)
    plain, _ = settings(Host(backbone), layer_decay_rate=RATE)
    for name, (rate, decay) in plain.items():
        factor = 0.1 if name.startswith('backbone') else 1.0
        assert found[name] == (pytest.approx(factor * rate), decay)


def test_no_decay_rules_alone():
    found, _ = settings(Host(ViT(ARCH, img_size=32)))
    undecayed = {'backbone.cls_token', 'backbone.pos_embed'}
    assert {name for name, (_, decay) in found.items() if decay == 0.0} == undecayed
    assert {rate for rate, _ in found.values()} == {1.0}


def test_a_model_without_our_backbone():
    with pytest.raises(InputError, match='require a backbone of vitbackbones; Linear has none'):
        settings(nn.Linear(2, 2), layer_decay_rate=RATE)


@pytest.mark.parametrize('kind', ['ours', 'timm'])
def test_adapters_learn_at_the_rate_of_their_layer(kind):
    if kind == 'timm':
        pytest.importorskip('timm')
        backbone = Timm('test_vit', img_size=32)
    else:
        backbone = ViT(ARCH, img_size=32)
    plain, _ = settings(Host(backbone), layer_decay_rate=RATE)
    add_adapters(backbone, 2)
    found, _ = settings(Host(backbone), layer_decay_rate=RATE, flat_decay_mult=0.0)
    adapters = [name for name in found if name.endswith(ADAPTERS)]
    assert {*found} == {*adapters, 'head.weight', 'head.bias'}
    for name in adapters:
        assert found[name] == plain[f'{name.rpartition(".")[0]}.weight']
        assert found[name][1] == 0.1
