"""Attention against softmax(q k^T / sqrt(c)) v written out."""

import numpy as np
import pytest
import torch
from torch import nn

from vitbackbones.layers import (
    Block,
    DotProductAttention,
    DropPath,
    MeanShiftAttention,
    drop_path_rates,
)


def reference(attention, x, context):
    heads, width = attention.num_heads, x.shape[-1] // attention.num_heads
    if context is None:
        q, k, v = attention.qkv(x).chunk(3, -1)
    else:
        q, (k, v) = attention.q(x), attention.kv(context).chunk(2, -1)
    q, k, v = (t.unflatten(-1, (heads, width)).transpose(1, 2) for t in (q, k, v))
    weights = (q @ k.transpose(-2, -1) / width**0.5).softmax(-1)
    return attention.proj((weights @ v).transpose(1, 2).flatten(2))


@pytest.mark.parametrize('cross', [False, True])
@pytest.mark.parametrize('qkv_bias', [False, True])
def test_equals_the_equation(cross, qkv_bias):
    attention = DotProductAttention(24, 3, qkv_bias=qkv_bias, cross=cross)
    x, context = torch.randn(2, 7, 24), torch.randn(2, 4, 24) if cross else None
    got = attention(x, context)
    torch.testing.assert_close(got, reference(attention, x, context), atol=1e-6, rtol=1e-5)


def test_some_tokens_may_ask_for_themselves_among_all():
    attention, x = DotProductAttention(24, 3), torch.randn(2, 7, 24)
    torch.testing.assert_close(attention(x[:, 2:4], x), attention(x)[:, 2:4], atol=1e-6, rtol=1e-5)


KINDS = [(DotProductAttention, {}), (MeanShiftAttention, {'probe': None})]


@pytest.mark.parametrize('learning', [False, True])
@pytest.mark.parametrize(('kind', 'own'), KINDS)
def test_a_bias_can_keep_tokens_apart(kind, own, learning):
    attention, x = kind(24, 3, **own), torch.randn(2, 7, 24)
    bias = torch.full((7, 7), -1e4).fill_diagonal_(0)
    with torch.set_grad_enabled(learning):
        alone = torch.cat([attention(token) for token in x.split(1, dim=1)], 1)
        torch.testing.assert_close(attention(x, bias=bias), alone)


@pytest.mark.parametrize('learning', [False, True])
@pytest.mark.parametrize(('kind', 'own'), KINDS)
def test_dropout_acts_on_the_weights_in_training_alone(kind, own, learning):
    """A token on its own has the weight 1 in every head, which is dropped or divided by 1 - p."""
    attention, without = kind(24, 3, attn_drop_rate=0.25, **own), kind(24, 3, **own)
    without.load_state_dict(attention.state_dict())
    attention.proj = without.proj = nn.Identity()
    x = torch.randn(2000, 1, 24)
    with torch.set_grad_enabled(learning):
        values = attention.eval()(x)
        torch.testing.assert_close(without.train()(x), values)
        factors = (attention.train()(x) / values).unflatten(-1, (3, 8))
    torch.testing.assert_close(factors, factors[..., :1].expand_as(factors))
    kept = factors[..., 0].detach().numpy().round(3)
    assert np.unique(kept).tolist() == pytest.approx([0, 1.333])
    assert (kept == 0).mean() == pytest.approx(0.25, abs=0.03)


def test_heads_must_divide_the_width():
    with pytest.raises(ValueError, match='num_heads=5'):
        DotProductAttention(24, 5)


def test_a_part_of_ones_own_needs_no_registration():
    class Mean(nn.Module):
        def __init__(self, embed_dims, **options):
            super().__init__()

        def forward(self, x, context=None):
            return x.mean(1, keepdim=True).expand_as(x)

    block = Block(24, 3, 4, {'type': Mean}, {'type': 'IdentityShortcut'})
    assert block(torch.randn(2, 6, 24), (2, 3)).shape == (2, 6, 24)


def test_drop_path_keeps_the_mean_and_drops_whole_samples():
    x = torch.ones(4000, 3)
    y = DropPath(0.25).train()(x)
    assert y.unique().tolist() == pytest.approx([0, 1 / 0.75])
    assert (y == y[:, :1]).all()
    assert abs(y.mean().item() - 1) < 0.05
    assert DropPath(0.25).eval()(x) is x


def test_drop_path_rates_rise_linearly_from_zero():
    assert drop_path_rates(0.2, 5) == pytest.approx([0, 0.05, 0.1, 0.15, 0.2])
    assert drop_path_rates(0.2, 2) == [0.0, 0.2]
    assert drop_path_rates(0.2, 1) == [0.0]
