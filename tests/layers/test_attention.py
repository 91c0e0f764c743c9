"""Attention, its projections and its slices, each against its definition written out."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from vitbackbones.layers import (
    Block,
    DotProductAttention,
    GroupedLinear,
    MeanShiftAttention,
    SlicedAttention,
    Slicing,
    fixed_permutation,
    number_slices,
)


def reference(attention, x, context):
    """softmax(q k^T / sqrt(c)) v."""
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


WEIGHING = {
    'dot': (DotProductAttention, {}),
    'dot, cross': (DotProductAttention, {'cross': True}),
    'dot, grouped': (DotProductAttention, {'groups': 2}),
    'mean shift': (MeanShiftAttention, {'probe': None}),
    'mean shift, cross': (MeanShiftAttention, {'probe': None, 'cross': True}),
    'raster slices': (SlicedAttention, {'slices': 3, 'permutation': 'none'}),
    'shuffled slices': (SlicedAttention, {'slices': 3}),
    'drawn slices': (SlicedAttention, {'slices': 3, 'permutation': 'random'}),
}


@pytest.mark.parametrize('name', WEIGHING)
def test_the_values_averaged_by_the_weights_are_what_the_attention_projects(name):
    kind, options = WEIGHING[name]
    attention = kind(24, 3, attn_drop_rate=0.5, **options).eval()
    x = torch.randn(2, 7, 24)
    given = {'context': torch.randn(2, 4, 24)} if options.get('cross') else {}
    source = given.get('context', x)
    if kind is not SlicedAttention:
        given['bias'] = torch.randn(3, 7, source.shape[1])
    seen = torch.Generator().manual_seed(7).get_state()
    torch.set_rng_state(seen)
    weights = attention.weights(x, **given)
    projection = next(p for n, p in attention.named_children() if 'kv' in n)
    v = projection(source).unflatten(-1, (-1, 3, 8))[:, :, -1].transpose(1, 2)
    average = (weights @ v).transpose(1, 2).flatten(2)
    torch.set_rng_state(seen)
    assert weights.shape == (2, 3, 7, source.shape[1])
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 3, 7))
    torch.testing.assert_close(attention.proj(average), attention(x, **given), atol=1e-6, rtol=1e-5)


def test_tokens_of_different_slices_have_no_weight_for_each_other():
    attention = SlicedAttention(24, 3, slices=3, permutation='none')
    weights = attention.weights(torch.randn(1, 7, 24), bias=torch.randn(7, 7))
    expected = torch.block_diag(*(torch.ones(n, n) for n in (3, 2, 2))).bool()
    assert torch.equal(weights[0, 0] > 0, expected)


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


def dense(linear, group_of_output):
    """The dense matrix that the stored rows stand for; groups of outputs from a function."""
    out, columns = linear.weight.shape
    matrix = torch.zeros(out, columns * linear.groups)
    seen = [0] * linear.groups
    for o in range(out):
        g = group_of_output(o)
        row = linear.weight[g * (out // linear.groups) + seen[g]]
        matrix[o, g * columns : (g + 1) * columns] = row
        seen[g] += 1
    return matrix


@pytest.mark.parametrize('groups', [2, 3, 4])
def test_interleaved_output_o_reads_group_o_mod_g(groups):
    linear = GroupedLinear(24, 96, groups=groups, parts=4)
    x = torch.randn(2, 5, 24)
    expected = F.linear(x, dense(linear, lambda o: o % groups), linear.bias)
    torch.testing.assert_close(linear(x), expected, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize('groups', [2, 3])
def test_blocks_lie_within_each_part(groups):
    linear = GroupedLinear(24, 72, groups=groups, layout='block', parts=3)
    x = torch.randn(2, 5, 24)
    expected = F.linear(x, dense(linear, lambda o: o % 24 // (24 // groups)), linear.bias)
    torch.testing.assert_close(linear(x), expected, atol=1e-6, rtol=1e-5)


def test_interleaving_is_a_grouped_convolution_and_a_channel_shuffle():
    linear = GroupedLinear(24, 48, bias=False, groups=3)
    x = torch.randn(2, 5, 24)
    y = F.conv1d(x.transpose(1, 2), linear.weight[..., None], groups=3)  # (2, 48, 5)
    y = y.unflatten(1, (3, 16)).transpose(1, 2).flatten(1, 2).transpose(1, 2)
    torch.testing.assert_close(linear(x), y, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize('layout', ['interleave', 'block'])
@pytest.mark.parametrize('groups', [1, 2])
def test_a_part_alone_is_that_part_of_the_whole(groups, layout):
    linear = GroupedLinear(8, 24, groups=groups, layout=layout, parts=3)
    x = torch.randn(4, 8)
    torch.testing.assert_close(linear(x, slice(1, 3)), linear(x)[:, 8:])


def test_one_group_is_a_linear_layer():
    linear, usual = GroupedLinear(8, 24, parts=3), nn.Linear(8, 24)
    usual.load_state_dict(linear.state_dict())
    x = torch.randn(4, 8)
    assert torch.equal(linear(x), usual(x))


def test_grouping_keeps_the_variance_at_the_start():
    torch.manual_seed(0)
    x = torch.randn(64, 384)
    spread = [GroupedLinear(384, 768, False, groups)(x).std().item() for groups in (1, 4)]
    assert spread[0] == pytest.approx(spread[1], rel=0.05)


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [
        ({'groups': 5}, 'groups=5'),
        ({'groups': 0}, 'groups=0'),
        ({'groups': 2.0}, 'groups=2.0: a number of groups is an integer'),
        ({'groups': '2'}, "groups='2'"),
        ({'groups': 16, 'parts': 3}, 'groups=16 does not divide the widths 16 and 8'),
        ({'layout': 'rows'}, "layout='rows'"),
    ],
)
def test_bad_values_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        GroupedLinear(16, 24, **arguments)


@pytest.mark.parametrize('cross', [False, True])
def test_dot_product_attention_takes_groups(cross):
    attention = DotProductAttention(24, 3, cross=cross, groups=2)
    plain = DotProductAttention(24, 3, cross=cross)
    for name in ('q', 'kv') if cross else ('qkv',):
        linear, target = getattr(attention, name), getattr(plain, name)
        target.weight.data = dense(linear, lambda o: o % 2)
        target.bias.data = linear.bias.data
    plain.proj = attention.proj
    x, context = torch.randn(2, 7, 24), torch.randn(2, 4, 24) if cross else None
    torch.testing.assert_close(attention(x, context), plain(x, context), atol=1e-6, rtol=1e-5)


def test_groups_reach_the_attention_of_a_block():
    attention = {'type': 'DotProductAttention', 'groups': 2}
    block = Block(24, 3, 4, attention, {'type': 'IdentityShortcut'})
    assert block.attn.qkv.weight.shape == (72, 12)
    assert block(torch.randn(2, 6, 24), (2, 3)).shape == (2, 6, 24)


def masked_attention(attention, x, groups, order):
    """All scores at once; tokens of different slices do not see each other."""
    count = x.shape[1]
    slice_of = torch.empty(count, dtype=torch.long)
    for g, members in enumerate(order.tensor_split(groups)):
        slice_of[members] = g
    q, k, v = (
        t.unflatten(-1, (attention.num_heads, -1)).transpose(1, 2)
        for t in attention.qkv(x).chunk(3, -1)
    )
    mask = slice_of[:, None] == slice_of[None]
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return attention.proj(out.transpose(1, 2).flatten(2))


@pytest.mark.parametrize('count', [1, 3, 4, 5, 12, 14, 15, 49])
@pytest.mark.parametrize('permutation', ['none', 'fixed'])
def test_any_token_count_equals_a_mask_over_the_slices(count, permutation):
    attention = SlicedAttention(24, 3, slices=4, permutation=permutation).eval()
    x = torch.randn(2, count, 24, requires_grad=True)
    order = torch.arange(count)
    if permutation == 'fixed':
        order = fixed_permutation(count, x.device)
    got, expected = attention(x), masked_attention(attention, x, 4, order)
    torch.testing.assert_close(got, expected, atol=1e-6, rtol=1e-5)
    parameters = [x, *attention.parameters()]
    for a, b in zip(
        torch.autograd.grad(got.square().sum(), parameters),
        torch.autograd.grad(expected.square().sum(), parameters),
        strict=True,
    ):
        torch.testing.assert_close(a, b, atol=2e-5, rtol=1e-4)


def test_random_permutations_are_the_global_generators_draws_in_order():
    attention = SlicedAttention(24, 3, slices=2, permutation='random').eval()
    x = torch.randn(2, 16, 24)
    torch.manual_seed(5)
    got = [attention(x), attention(x)]
    torch.manual_seed(5)
    for y in got:
        expected = masked_attention(attention, x, 2, torch.randperm(16))
        torch.testing.assert_close(y, expected, atol=1e-6, rtol=1e-5)


def test_fixed_permutation_shuffles_in_training_and_neither_changes_nor_draws_in_eval():
    attention = SlicedAttention(24, 3, slices=2, permutation='fixed')
    x = torch.randn(2, 16, 24)
    assert not torch.equal(attention.train()(x), attention(x))
    before = torch.get_rng_state()
    assert torch.equal(attention.eval()(x), attention(x))
    assert torch.equal(before, torch.get_rng_state())


def test_one_group_is_plain_attention_without_a_draw():
    attention = SlicedAttention(24, 3, slices=1, permutation='random')
    x = torch.randn(2, 7, 24)
    before = torch.get_rng_state()
    expected = masked_attention(attention, x, 1, torch.arange(7))
    torch.testing.assert_close(attention(x), expected, atol=1e-6, rtol=1e-5)
    assert torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize('count', [1, 2, 49, 784, 4200, 20000])
def test_fixed_permutation_is_a_permutation(count):
    order = fixed_permutation(count, torch.device('cpu'))
    assert torch.equal(order.sort().values, torch.arange(count))


def test_fixed_permutations_are_those_of_earlier_releases():
    """A network's answers depend on them."""
    first, second = (fixed_permutation(12, torch.device('cpu'), n).tolist() for n in (0, 1))
    assert first == [9, 0, 11, 5, 7, 3, 4, 10, 8, 1, 2, 6]
    assert second == [10, 6, 11, 2, 4, 0, 3, 9, 7, 1, 5, 8]


@pytest.mark.parametrize('count', [784, 2304, 4200])
@pytest.mark.parametrize('number', [0, 1, 2])
def test_fixed_permutation_mixes_like_a_random_one(count, number):
    # cells: 8 runs of the raster order x 2 runs of the shuffled one; chi square of 7 degrees
    halves = fixed_permutation(count, torch.device('cpu'), number).tensor_split(2)
    cells = torch.stack([(half * 8 // count).bincount(minlength=8) for half in halves]).double()
    expected = count / 16
    assert ((cells - expected).square() / expected).sum() < 18.5  # 1 % of random ones exceed it


@pytest.mark.parametrize('count', [49, 196, 784])
def test_fixed_permutations_of_two_numbers_have_nothing_to_do_with_each_other(count):
    """Of a half of one permutation, nearly half the tokens lie in the same half of another."""
    first = [
        set(fixed_permutation(count, torch.device('cpu'), n)[: count // 2].tolist())
        for n in range(12)
    ]
    for a, b in zip(first, first[1:], strict=False):
        deviation = (len(a & b) - count / 4) / (count / 16) ** 0.5
        assert abs(deviation) < 3.5


def test_tokens_of_all_slices_meet_in_depth():
    layers = torch.nn.Sequential(*(SlicedAttention(12, 3, slices=2) for _ in range(4))).eval()

    def reach():
        """How many of the tokens change what the first becomes."""
        x = torch.randn(1, 30, 12, requires_grad=True)
        layers(x)[0, 0].sum().backward()
        return int((x.grad[0].abs().sum(1) > 0).sum())

    assert reach() == 15  # alike in all layers: those of its own slice
    number_slices(layers)
    assert reach() == 30


def test_any_attention_can_be_sliced():
    slicing = Slicing(3)
    x = torch.randn(2, 6, 4)
    means = slicing(lambda run: run.mean(1, keepdim=True).expand_as(run), x)
    assert torch.allclose(means[:, 2], x[:, 2:4].mean(1))


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        ({'cross': True}, 'keys of other tokens'),
        ({'slices': 0}, 'groups=0'),
        ({'slices': 2.5}, 'groups=2.5'),
        ({'permutation': 'shuffle'}, "permutation='shuffle'.*fixed"),
    ],
)
def test_bad_options_are_refused_by_name(options, message):
    with pytest.raises(ValueError, match=message):
        SlicedAttention(24, 3, **options)


def test_projections_can_be_grouped_too():
    attention = SlicedAttention(24, 3, slices=3, groups=2)
    assert (attention.slicing.groups, attention.qkv.groups) == (3, 2)
    assert attention(torch.randn(2, 8, 24)).shape == (2, 8, 24)


def test_dropout_reaches_the_weights():
    attention = SlicedAttention(24, 3, slices=2, permutation='none', attn_drop_rate=0.5)
    x = torch.randn(2, 8, 24)
    assert not torch.equal(attention.train()(x), attention.eval()(x))
