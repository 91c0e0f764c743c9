"""SimpleViT and MSF-ViT: the plain reference, the paper's counts, the position code."""

import pytest
import torch

from tests.reference.simple_vit import plain_logits, published_state
from vitbackbones import create_model
from vitbackbones.backbones import MSFViT, SimpleViT
from vitbackbones.layers import sincos_position
from vitbackbones.weights.convert import convert

SMALL = {'embed_dims': 48, 'depth': 3, 'num_heads': 4}


def small_model(state, groups=1, with_probe=True):
    name = 'msf_vit_s' if with_probe else 'simple_vit_s'
    model = create_model(name, num_classes=10, arch=SMALL, groups=groups).eval()
    model.load_state_dict(model.split_converted(convert(state)[0]))
    return model


@pytest.mark.parametrize('size', [(224, 224), (64, 160)], ids=str)
@pytest.mark.parametrize('with_probe', [True, False])
@pytest.mark.parametrize('groups', [1, 2, 3])
@torch.no_grad()
def test_equals_the_plain_form(groups, with_probe, size):
    state = published_state(48, 3, groups, with_probe)
    image = torch.randn(2, 3, *size)
    ours = small_model(state, groups, with_probe)(image)
    torch.testing.assert_close(ours, plain_logits(state, image, 4), atol=5e-6, rtol=1e-5)


def test_gradients_equal_those_of_the_plain_form():
    state = published_state(48, 3, groups=2)
    model = small_model(state, groups=2)
    image = torch.randn(2, 3, 64, 64)
    plain = {key: value.clone().requires_grad_() for key, value in state.items()}
    plain_logits(plain, image, 4).square().sum().backward()
    model(image).square().sum().backward()
    expected = model.split_converted(convert({k: v.grad for k, v in plain.items()})[0])
    for name, parameter in model.named_parameters():
        torch.testing.assert_close(parameter.grad, expected[name], atol=2e-4, rtol=1e-3)


def test_a_larger_grid_goes_on_counting():
    small = sincos_position((3, 5), 16, torch.device('cpu')).reshape(3, 5, 16)
    large = sincos_position((7, 8), 16, torch.device('cpu')).reshape(7, 8, 16)
    torch.testing.assert_close(large[:3, :5], small)
    assert torch.equal(large[4, 2, :4], large[0, 2, :4])  # sin(x w) is the same in every row
    assert large[1, 0, 8] == pytest.approx(0.841471, abs=1e-5)  # sin(1) for row 1


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
        ({'groups': 5}, 'groups=5'),
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
