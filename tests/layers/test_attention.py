"""Attention against softmax(q k^T / sqrt(c)) v written out."""

import pytest
import torch
from torch import nn

from vitbackbones.layers import Block, DotProductAttention, DropPath, drop_path_rates


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
    assert drop_path_rates(0.2, 1) == [0.0]
