"""Sliced attention against dot-product attention under a mask that keeps the slices apart."""

import pytest
import torch
import torch.nn.functional as F

from vitbackbones.layers import SlicedAttention, Slicing, fixed_permutation, number_slices


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
