"""Published layouts of hosts of one width: values and shapes, wrappers, files of another form."""

from argparse import Namespace
from functools import partial

import pytest
import torch
import torch.nn.functional as F
from mmengine.registry import DefaultScope

from tests.reference.simple_vit import published_state
from vitbackbones import create_model
from vitbackbones.errors import InputError
from vitbackbones.weights.convert import FORMATS

from .random_weights import assert_same_logits, randomize

# ------------------------------------------------------------------------ TNT


NAMES = {'tnt_s_patch16_224': 'tnt_s', 'tnt_s_legacy_patch16_224': 'tnt_s_legacy'}


@pytest.fixture(params=NAMES)
def pair(request):
    """timm's model and the name of the same here."""
    timm = pytest.importorskip('timm')
    model = timm.create_model(request.param, num_classes=10, img_size=64)
    return randomize(model), NAMES[request.param]


def test_timms_weights_give_timms_logits(pair, tmp_path):
    theirs, name = pair
    ours = create_model(name, num_classes=10, img_size=64)
    assert_same_logits(theirs, ours, tmp_path, 'timm_tnt')


def test_a_tnt_of_the_other_form_is_refused(pair, tmp_path):
    theirs, name = pair
    torch.save(theirs.state_dict(), tmp_path / 'tnt.pth')
    (other,) = {*NAMES.values()} - {name}
    with pytest.raises(InputError, match='other shapes: '):
        create_model(other, num_classes=10, checkpoint=tmp_path / 'tnt.pth')


def test_squeeze_and_excitation_of_the_authors_layout():
    gate = {
        f'blocks.3.se_layer.fc.{layer}.{kind}': torch.tensor([float(i)])
        for i, (layer, kind) in enumerate((n, k) for n in (0, 1, 3) for k in ('weight', 'bias'))
    }
    converted = FORMATS['tnt'].convert(gate)
    names = [f'{part}.{kind}' for part in ('norm', 'fc1', 'fc2') for kind in ('weight', 'bias')]
    wanted = {f'blocks.3.outer.mlp.se.{name}': float(i) for i, name in enumerate(names)}
    assert {key: value.item() for key, value in converted.items()} == wanted
    assert wanted.keys() <= create_model('tnt_s_se').backbone.state_dict().keys()


# ------------------------------------------------------------------------ MSF-ViT


SMALL = {'embed_dims': 48, 'depth': 3, 'num_heads': 4}


def save(path, groups=1):
    state = published_state(48, 3, groups)
    ema = {'n_averaged': torch.tensor(1), **{f'module.{k}': v for k, v in state.items()}}
    args = Namespace(model='SimpleViTS_msf', epochs=100, amp=True)
    last = {key: 0 * value for key, value in state.items()}
    content = {'model': last, 'model_ema': ema, 'optimizer': {}, 'args': args, 'epoch': 99}
    torch.save(content, path)
    return state


def test_a_checkpoint_of_the_training_script_loads_and_fills_everything(tmp_path):
    state = save(tmp_path / 'best_model.pth', groups=2)
    options = {'num_classes': 10, 'arch': SMALL, 'groups': 2}
    model = create_model('msf_vit_s', checkpoint=tmp_path / 'best_model.pth', **options)
    stored = state['transformer.layers.1.0.to_qkvp.weight']
    assert torch.equal(model.backbone.blocks[1].attn.qkvp.weight, stored)


# ------------------------------------------------------------------------ mmpretrain


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
