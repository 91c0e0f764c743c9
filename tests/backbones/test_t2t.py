"""T2T-ViT: equality with its equations, positions and dropouts."""

import pytest
import torch

from tests.reference.t2t import t2t
from tests.small_backbones import away, image
from vitbackbones.backbones import T2T
from vitbackbones.layers import sinusoid_position

ARCH = {'embed_dims': 48, 'depth': 2, 'num_heads': 3}
TOKENS = ('performer', 'transformer')


def make(**options):
    """A small T2T-ViT whose parameters are all away from their initial zeros and ones."""
    torch.manual_seed(0)
    return away(T2T(**{'arch': ARCH, 'img_size': (64, 96), **options}))


@pytest.mark.parametrize('tokens', TOKENS)
def test_both_forms_equal_their_equations(tokens):
    model, x = make(tokens=tokens), image()
    expected = t2t(dict(model.named_parameters()), x, heads=3)
    as_map = expected[:, 1:].transpose(1, 2).reshape(2, 48, 4, 6)
    torch.testing.assert_close(model(x)[0], as_map, atol=2e-5, rtol=1e-5)
    model.out_type = 'cls_token'
    torch.testing.assert_close(model(x)[0], expected[:, 0], atol=2e-5, rtol=1e-5)


@torch.no_grad()
def test_token_dropouts_are_the_published_ones_and_for_training_only():
    drops = {tokens: make(tokens=tokens).patch_embed.attention1.drop for tokens in TOKENS}
    assert drops['performer'].p == 0.1
    assert type(drops['transformer']) is torch.nn.Identity
    published, without = make().train(), make(token_drop_rate=0.0).train()
    x = image()
    assert not torch.equal(published(x)[0], published(x)[0])
    assert torch.equal(without(x)[0], without(x)[0])
    assert torch.equal(published.eval()(x)[0], without.eval()(x)[0])


def test_positions_are_the_fixed_sinusoid_until_a_checkpoint_brings_its_own():
    model = make()
    code = model.pos_embed
    assert not code.requires_grad
    assert torch.equal(code, sinusoid_position(1 + 4 * 6, 48))
    stored = {**model.state_dict(), 'pos_embed': torch.randn_like(code)}
    model.load_state_dict(stored)
    assert torch.equal(model.pos_embed, stored['pos_embed'])


@pytest.mark.parametrize(
    ('option', 'message'),
    [
        ({'tokens': 'convolution'}, 'tokens='),
        ({'patch_size': 8}, 'patch_size=8'),
        ({'arch': 15}, 'known: 14, 19, 24'),
    ],
)
def test_bad_options_are_refused_by_name(option, message):
    with pytest.raises(ValueError, match=message):
        make(**option)


@torch.no_grad()
def test_the_performer_stays_in_float32_under_autocast():
    attention = make().patch_embed.attention1.attn
    q, k, v = (torch.randn(1, 40, 64) for _ in range(3))
    expected = attention.attend(q, k, v)
    with torch.autocast('cpu', torch.bfloat16):
        assert torch.equal(attention.attend(q, k, v), expected)
