"""mmpretrain's ViT, T2T-ViT and TNT with random weights give the same logits here."""

from functools import partial

import pytest
import torch.nn.functional as F
from mmengine.registry import DefaultScope

from vitbackbones import create_model

from .random_weights import assert_same_logits, randomize

VIT_HEAD = {'type': 'VisionTransformerClsHead', 'num_classes': 10, 'in_channels': 384}
LINEAR_HEAD = {'type': 'LinearClsHead', 'num_classes': 10, 'in_channels': 384}


def build(backbone, head):
    import mmpretrain.models  # noqa: F401  (fills its registry)
    from mmpretrain.registry import MODELS

    classifier = {'type': 'mmpretrain.ImageClassifier', 'backbone': backbone, 'head': head}
    with DefaultScope.overwrite_default_scope('mmpretrain'):  # whatever was tested before
        return randomize(MODELS.build(classifier))


def scale_as_documented(classifier):
    """Give mmpretrain's T2T-ViT its documented scale.

    Its attention divides the scores by ``head_dims ** -0.5`` wherever a scale is given, that is it
    multiplies by 8, where its own documentation and the published code have
    ``input_dims ** -0.5`` as a factor.
    """
    for module in classifier.modules():
        if hasattr(module, 'v_shortcut') and hasattr(module, 'qkv'):
            scale = (module.input_dims // module.num_heads) ** -0.5
            attention = partial(F.scaled_dot_product_attention, scale=scale)
            module.scaled_dot_product_attention = attention
    return classifier


@pytest.mark.compat
@pytest.mark.parametrize(
    ('name', 'backbone', 'head', 'layout'),
    [
        ('tnt_s_legacy', {'type': 'TNT', 'arch': 's'}, LINEAR_HEAD, 'mmpretrain_tnt'),
        ('deit_s', {'type': 'VisionTransformer', 'arch': 'deit-s'}, VIT_HEAD, 'mmpretrain_vit'),
        (
            'deit_s_distilled',
            {'type': 'DistilledVisionTransformer', 'arch': 'deit-small'},
            {**VIT_HEAD, 'type': 'DeiTClsHead'},
            'mmpretrain_vit',
        ),
        (
            't2t_t_14',
            {'type': 'T2T_ViT', 't2t_cfg': {'token_dims': 64, 'use_performer': False}},
            VIT_HEAD,
            'mmpretrain_t2t',
        ),
    ],
)
def test_mmpretrains_weights_give_mmpretrains_logits(name, backbone, head, layout, tmp_path):
    theirs = scale_as_documented(build({**backbone, 'img_size': 64}, head))
    ours = create_model(name, num_classes=10, img_size=64)
    assert_same_logits(theirs, ours, tmp_path, layout, mode='tensor')
