"""Layer-wise learning rates and no-decay rules, for every backbone, wherever it sits."""

import pytest
import torch
from mmengine.optim import build_optim_wrapper
from mmengine.registry import DefaultScope
from torch import nn

from vitbackbones.backbones import ViT
from vitbackbones.errors import InputError
from vitbackbones.training.layer_decay import LayerDecayOptimWrapperConstructor

pytestmark = pytest.mark.compat
RATE = 0.5


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


def test_with_a_rate_for_the_backbone(make_backbone):
    backbone = make_backbone()
    keys = {'backbone': {'lr_mult': 0.1}}
    found, _ = settings(Host(backbone), layer_decay_rate=RATE, custom_keys=keys)
    plain, _ = settings(Host(backbone), layer_decay_rate=RATE)
    for name, (rate, decay) in plain.items():
        factor = 0.1 if name.startswith('backbone') else 1.0
        assert found[name] == (pytest.approx(factor * rate), decay)


def test_no_decay_rules_alone(make_backbone):
    backbone = make_backbone()
    found, _ = settings(Host(backbone))
    undecayed = {f'backbone.{name}' for name in backbone.no_weight_decay()} & set(found)
    assert {name for name, (_, decay) in found.items() if decay == 0.0} == undecayed
    assert {rate for rate, _ in found.values()} == {1.0}


def test_a_model_without_our_backbone():
    with pytest.raises(InputError, match='need a backbone of vitbackbones, which the model Lin'):
        settings(nn.Linear(2, 2), layer_decay_rate=RATE)


@pytest.mark.parametrize('toolbox', ['mmdet', 'mmseg', 'mmpretrain'])
def test_in_the_models_of_every_toolbox(toolbox):
    backbone = {'type': 'vitbackbones.ViT', 'arch': {'embed_dims': 16, 'depth': 2, 'num_heads': 2}}
    models = {
        'mmdet': {'type': 'mmdet.SingleStageDetector', 'bbox_head': HEADS['mmdet']},
        'mmseg': {'type': 'mmseg.EncoderDecoder', 'decode_head': HEADS['mmseg']},
        'mmpretrain': {'type': 'mmpretrain.ImageClassifier', 'head': HEADS['mmpretrain']},
    }
    registry = __import__(f'{toolbox}.registry', fromlist=['MODELS']).MODELS
    with DefaultScope.overwrite_default_scope(toolbox):
        model = registry.build({**models[toolbox], 'backbone': backbone})
    found, _ = settings(model, layer_decay_rate=RATE)
    assert found['backbone.blocks.0.attn.qkv.weight'][0] == RATE**2
    assert found['backbone.norm.weight'][0] == 1.0
    assert {rate for name, (rate, _) in found.items() if 'backbone' not in name} == {1.0}


HEADS = {
    'mmdet': {
        'type': 'mmdet.FCOSHead',
        'num_classes': 2,
        'in_channels': 16,
        'feat_channels': 32,
        'strides': (16,),
        'regress_ranges': ((-1, 1e8),),
    },
    'mmseg': {'type': 'mmseg.FCNHead', 'num_classes': 2, 'in_channels': 16, 'channels': 8},
    'mmpretrain': {'type': 'mmpretrain.LinearClsHead', 'num_classes': 2, 'in_channels': 16},
}


def test_recomputed_windows_take_the_same_step_at_layer_wise_rates():
    """On a grid of 5 x 7, which windows of 3 x 3 do not divide."""
    arch = {'embed_dims': 24, 'depth': 2, 'num_heads': 3}
    image, answers = torch.randn(2, 3, 70, 112), []
    for with_cp in (False, True):
        torch.manual_seed(0)
        options = {'window_size': 3, 'global_attn_indexes': [1], 'with_cp': with_cp}
        model = ViT(arch, img_size=64, drop_path_rate=0.3, **options).train()
        build = LayerDecayOptimWrapperConstructor(
            {'type': 'OptimWrapper', 'optimizer': {'type': 'AdamW', 'lr': 0.1}},
            {'layer_decay_rate': RATE},
        )
        before = [parameter.clone() for parameter in model.parameters()]
        build(model).update_params(model(image)[0].square().mean())
        answers.append([*model.parameters()])
        assert not any(map(torch.equal, before, answers[-1]))
    assert all(map(torch.equal, *answers))
    rates = settings(Host(model), layer_decay_rate=RATE)[0]
    plain = settings(Host(ViT(arch, img_size=64)), layer_decay_rate=RATE)[0]
    assert rates == plain
