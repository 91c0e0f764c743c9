"""Attention and its slices, each against its definition written out."""

import itertools

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.reference.plain import scores_and_values
from vitbackbones.layers import (
    DotProductAttention,
    MeanShiftAttention,
    SlicedAttention,
    fixed_permutation,
    number_slices,
)

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


SHARINGS = sorted(
    {
        ''.join('QKVW'[word.index(letter)] for letter in word)
        for word in itertools.product(range(4), repeat=4)
    }
)


def shared_reference(attention, sharing, x, context):
    """The equation with the matrix of each letter; W's is the transpose where it shares."""
    letters = list(dict.fromkeys(sharing[:3]))
    own = [p for name, p in attention.named_parameters() if 'proj' not in name]
    matrices = dict(zip(letters, torch.cat(own).split(x.shape[-1]), strict=True))
    q, k, v = (
        (source @ matrices[letter].T).unflatten(-1, (3, -1)).transpose(1, 2)
        for source, letter in zip((x, context, context), sharing[:3], strict=True)
    )
    back = matrices[sharing[3]].T if sharing[3] in matrices else attention.proj.weight
    average = scores_and_values(q, k, v, q.shape[-1] ** -0.5).transpose(1, 2).flatten(2)
    return average @ back.T


@pytest.mark.parametrize('cross', [False, True])
@pytest.mark.parametrize('sharing', SHARINGS)
def test_sharing_has_one_matrix_per_letter_and_equals_the_equation(sharing, cross):
    options = {'qkv_bias': False, 'proj_bias': False, 'cross': cross}
    attention = DotProductAttention(12, 3, sharing=sharing, **options).double()
    parameters = list(attention.parameters())
    assert sum(p.numel() for p in parameters) == 144 * len(set(sharing))
    x, context = torch.randn(2, 2, 5, 12).double()
    results = [
        attention(x, context) if cross else attention(x),
        shared_reference(attention, sharing, x, context if cross else x),
    ]
    torch.testing.assert_close(*results)
    gradients = [torch.autograd.grad(y.square().sum(), parameters) for y in results]
    for ours, plain in zip(*gradients, strict=True):
        assert ours.abs().sum() > 0
        torch.testing.assert_close(ours, plain)


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        ({'sharing': 'QKVPW'}, "sharing='QKVPW': must be four letters out of QKVW"),
        ({'sharing': 4}, 'sharing=4: must be four letters'),
        ({'attn_drop_rate': 1.5}, 'attn_drop_rate=1.5: must be in'),
        ({'drop_rate': -0.1}, 'drop_rate=-0.1: must be in'),
        ({'sharing': 'QKVV', 'groups': 2}, 'groups=2: W is never grouped'),
        ({'num_heads': 5}, 'embed_dims=24 is not a multiple of num_heads=5'),
    ],
)
def test_bad_options_of_the_dot_product_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        DotProductAttention(24, **{'num_heads': 3, **options})


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


@pytest.mark.parametrize('count', [1, 3, 4, 14, 49])
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


def test_fixed_permutation_shuffles_in_training_and_neither_changes_nor_draws_in_eval():
    attention = SlicedAttention(24, 3, slices=2, permutation='fixed')
    x = torch.randn(2, 16, 24)
    assert not torch.equal(attention.train()(x), attention(x))
    before = torch.get_rng_state()
    assert torch.equal(attention.eval()(x), attention(x))
    assert torch.equal(before, torch.get_rng_state())


def test_fixed_permutations_are_those_of_earlier_releases():
    """A network's answers depend on them."""
    first, second = (fixed_permutation(12, torch.device('cpu'), n).tolist() for n in (0, 1))
    assert first == [9, 0, 11, 5, 7, 3, 4, 10, 8, 1, 2, 6]
    assert second == [10, 6, 11, 2, 4, 0, 3, 9, 7, 1, 5, 8]


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


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        ({'cross': True}, 'attend to other tokens'),
        ({'slices': 0}, 'groups=0'),
        ({'permutation': 'shuffle'}, "permutation='shuffle'.*fixed"),
    ],
)
def test_bad_options_of_slices_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        SlicedAttention(24, 3, **options)


@pytest.mark.parametrize('kind', [DotProductAttention, MeanShiftAttention])
def test_a_graph_does_not_rest_on_how_the_kernel_lays_out_its_answers(kind):
    """The kernel of a graph that is taken apart for ONNX, with gradients on, is another one."""
    runtime = pytest.importorskip('onnxruntime')
    pytest.importorskip('onnxscript')
    attention, x = kind(16, 2).eval(), torch.rand(3, 5, 16)
    dynamic = {0: torch.export.Dim('batch', min=1), 1: torch.export.Dim('tokens')}
    with torch.no_grad():
        graph = torch.export.export(attention, (x,), dynamic_shapes=(dynamic,), strict=False)
        wanted = attention(x[:1, :4])
    model = torch.onnx.export(graph, dynamo=True, verbose=False).model_proto
    session = runtime.InferenceSession(model.SerializeToString())
    (found,) = session.run(None, {session.get_inputs()[0].name: x[:1, :4].numpy()})
    torch.testing.assert_close(torch.from_numpy(found), wanted)
