"""SimpleViT and MSF-ViT: the plain reference, and what comes out."""

import pytest
import torch

from tests.converting import convert
from tests.reference.simple_vit import plain_logits, published_state
from vitbackbones import create_model
from vitbackbones.backbones import MSFViT, SimpleViT

SMALL = {'embed_dims': 48, 'depth': 3, 'num_heads': 4}


@pytest.mark.parametrize('name', ['msf_vit_s', 'simple_vit_s'])
@pytest.mark.parametrize('groups', [1, 2, 3])
@torch.no_grad()
def test_equals_the_plain_form_of_the_published_keys(groups, name):
    state = published_state(48, 3, groups, with_probe=name == 'msf_vit_s')
    model = create_model(name, num_classes=10, arch=SMALL, groups=groups).eval()
    model.load_state_dict(model.split_converted(convert(state)[0]))
    images = torch.randn(2, 3, 64, 160)
    torch.testing.assert_close(model(images), plain_logits(state, images, 4), atol=5e-6, rtol=1e-5)


@torch.no_grad()
def test_maps_are_the_residual_stream_and_the_vector_is_normalized_after_the_mean():
    torch.manual_seed(0)
    maps, vector = SimpleViT(SMALL).eval(), SimpleViT(SMALL, out_type='pooled').eval()
    vector.load_state_dict(maps.state_dict(), strict=False)
    image = torch.randn(2, 3, 48, 80)
    expected = vector.norm(maps(image)[0].flatten(2).mean(2))
    torch.testing.assert_close(vector(image)[0], expected)


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        ({'out_type': 'cls_token'}, 'no class token'),
        ({'arch': {**SMALL, 'embed_dims': 6}}, 'embed_dims=6'),
    ],
)
def test_what_it_cannot_do_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        MSFViT(**{'arch': SMALL, **options})


def test_another_attention_brings_no_bias_that_the_published_models_lack():
    attention = {'type': 'MeanShiftAttention', 'sharing': 'QKKKW'}
    names = [n for n, _ in create_model('msf_vit_ti', attention=attention).named_parameters()]
    assert not [n for n in names if '.attn.' in n and n.endswith('bias')]
    for model in (
        create_model('msf_vit_ti', proj_bias=True),
        create_model('msf_vit_ti', attention={**attention, 'proj_bias': True}),
    ):
        assert model.backbone.blocks[0].attn.proj.bias is not None
