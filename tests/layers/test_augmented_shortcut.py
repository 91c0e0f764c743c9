"""Augmented shortcuts against Eq. 8-11 written out."""

import pytest
import torch
import torch.nn.functional as F

from vitbackbones.layers import AugmentedShortcut, Block, IdentityShortcut, fuse_for_inference
from vitbackbones.layers.circulant import (
    circulant_dense,
    circulant_fft,
    circulant_halves,
    circulant_matrix,
    circulant_product,
)

# the form that the paths of a CPU in float32 take at a width, with blocks of even size
FORMS = {
    24: circulant_dense,
    256: circulant_halves,
    384: circulant_halves,
    768: circulant_fft,
}
WIDE = 384


def tokens(*seeds, dims=24):
    return [torch.randn(2, 5, dims, generator=torch.Generator().manual_seed(s)) for s in seeds]


def plain(shortcut, x, normed, branch, act):
    """x + branch + the paths one by one, with ``act`` after or before each map; no factor."""
    source = x if shortcut.source == 'stream' else normed
    total = x + branch
    if shortcut.weight is None:
        return total + act(source)
    dense = shortcut.projection == 'dense'
    matrices = shortcut.weight if dense else circulant_matrix(shortcut.weight)
    for matrix, bias in zip(matrices, shortcut.bias, strict=True):
        if shortcut.order == 'activation_first':
            total = total + (act(source) @ matrix.T + bias)
        else:
            total = total + act(source @ matrix.T + bias)
    return total


ROWS = {
    'Eq. 8': ({'paths': 1, 'source': 'stream', 'scale': 1}, None),
    'Eq. 9': ({'paths': 1, 'activation': 'GELU'}, F.gelu),
    'two linear paths': ({'activation': None, 'scale': 1}, None),
    'activation alone': ({'paths': 1, 'projection': 'none', 'activation': 'GELU'}, F.gelu),
    'alone, from the stream': (
        {'paths': 1, 'projection': 'none', 'activation': 'GELU', 'source': 'stream'},
        F.gelu,
    ),
    'activation first': ({'order': 'activation_first', 'scale': 1}, F.gelu),
    'one, activation first': (
        {'paths': 1, 'activation': 'GELU', 'order': 'activation_first', 'projection': 'dense'},
        F.gelu,
    ),
    'activation last': ({'scale': 1, 'source': 'stream'}, F.gelu),
    'three paths': ({'paths': 3}, F.gelu),
    'dense paths': ({'projection': 'dense', 'scale': 1}, F.gelu),
}


@pytest.mark.parametrize('dims', [24, 256])
@pytest.mark.parametrize('name', ROWS)
def test_rows_of_the_papers_tables_equal_the_sum_of_their_paths(name, dims):
    options, act = ROWS[name]
    shortcut = AugmentedShortcut(dims, **options).double()
    inputs = [x.double().requires_grad_() for x in tokens(0, 1, 2, dims=dims)]
    answers = [shortcut(*inputs), plain(shortcut, *inputs, act or (lambda x: x))]
    torch.testing.assert_close(*answers)
    read = inputs if shortcut.source == 'normed' else [inputs[0], inputs[2]]
    read = [*read, *shortcut.parameters()]
    ours, expected = (torch.autograd.grad(y.square().sum(), read) for y in answers)
    for a, b in zip(ours, expected, strict=True):
        torch.testing.assert_close(a, b)


@pytest.mark.parametrize('dims', FORMS)
def test_the_published_form_is_the_same_in_every_form_of_its_maps(dims):
    shortcut, inputs = AugmentedShortcut(dims), tokens(0, 1, 2, dims=dims)
    assert circulant_product(inputs[1], shortcut.weight) is FORMS[dims]
    wanted = 0.75 * plain(shortcut, *inputs, F.gelu)
    torch.testing.assert_close(shortcut(*inputs), wanted, atol=2e-6, rtol=1e-5)


@pytest.fixture
def halves(monkeypatch):
    """Take the form of the widths from 256 at any width."""
    part = 'vitbackbones.layers.augmented_shortcut'
    monkeypatch.setattr(f'{part}.circulant_product', lambda x, columns: circulant_halves)


@pytest.mark.parametrize(
    'options', [{}, {'projection': 'dense'}, {'paths': 3, 'scale': 0.5}], ids=str
)
def test_second_derivatives_are_those_of_finite_differences(options, halves):
    shortcut = AugmentedShortcut(4, blocks=2, **options).double()
    inputs = [torch.randn(1, 2, 4, dtype=torch.float64, requires_grad=True) for _ in range(3)]
    given = (*inputs, shortcut.weight, shortcut.bias)

    def call(x, normed, branch, *parameters):
        return torch.func.functional_call(
            shortcut, dict(zip(('weight', 'bias'), parameters, strict=True)), (x, normed, branch)
        )

    torch.autograd.gradcheck(call, given)
    torch.autograd.gradgradcheck(call, given)


@pytest.mark.parametrize('dims', [24, 256])
def test_function_transforms_give_the_gradients_of_autograd(dims):
    shortcut, inputs = AugmentedShortcut(dims), tokens(0, 1, 2, dims=dims)

    def loss(*inputs):
        return shortcut(*inputs).square().sum()

    wanted = torch.autograd.grad(loss(*(x.requires_grad_() for x in inputs)), inputs)
    found = torch.func.grad(loss, (0, 1, 2))(*(x.detach() for x in inputs))
    torch.testing.assert_close(found, wanted, atol=1e-4, rtol=1e-5)


@pytest.mark.parametrize('grad', [False, True])
def test_tokens_may_lie_in_memory_in_any_order(grad, halves):
    """A convolution's answer is turned into tokens without a copy."""
    shortcut = AugmentedShortcut(24)
    inputs = tokens(0, 1, 2)
    turned = [x.transpose(1, 2).contiguous().transpose(1, 2) for x in inputs]
    with torch.set_grad_enabled(grad):
        torch.testing.assert_close(shortcut(*turned), shortcut(*inputs))


def test_training_keeps_what_a_path_gives_to_its_gelu_and_what_the_paths_read():
    """And nothing else of the size of the tokens."""
    shortcut, length = AugmentedShortcut(WIDE), 4096
    inputs = [torch.randn(1, length, WIDE, requires_grad=True) for _ in range(3)]
    kept = {}

    def keep(x):
        kept[x.untyped_storage().data_ptr()] = x.untyped_storage().nbytes()
        return x

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda x: x):
        total = shortcut(*inputs)
    of_tokens = [size for size in kept.values() if size >= inputs[0].nbytes]
    assert sorted(size / inputs[0].nbytes for size in of_tokens) == [1, 2]
    total.sum().backward()


@torch.no_grad()
@pytest.mark.parametrize('name', ROWS)
def test_folded_all_paths_are_matrices(name):
    shortcut, inputs = AugmentedShortcut(24, **ROWS[name][0]), tokens(0, 1, 2)
    folded = fuse_for_inference(shortcut)
    torch.testing.assert_close(folded(*inputs), shortcut(*inputs), atol=2e-6, rtol=1e-5)
    assert folded.weight is None or folded.weight.shape[1:] == (24, 24)


def test_blocks_of_odd_size_cannot_be_halved():
    shortcut, x = AugmentedShortcut(260, blocks=4, paths=1), torch.randn(2, 5, 260)
    wanted = F.linear(x, circulant_matrix(shortcut.weight)[0], shortcut.bias[0])
    found = shortcut.augment(x, torch.zeros_like(x))
    torch.testing.assert_close(found, wanted, atol=2e-6, rtol=1e-5)


def test_half_precision_takes_the_matrix_form():
    shortcut = AugmentedShortcut(WIDE)
    inputs = tokens(0, 1, 2, dims=WIDE)
    assert circulant_product(inputs[1].bfloat16(), shortcut.weight) is circulant_dense
    with torch.autocast('cpu', torch.bfloat16):
        assert circulant_product(inputs[1], shortcut.weight) is circulant_dense
        got = shortcut(*inputs)
    torch.testing.assert_close(got.float(), shortcut(*inputs), atol=0.1, rtol=0.05)


def test_paths_start_as_published():
    circulant, dense = AugmentedShortcut(400), AugmentedShortcut(400, projection='dense')
    for values in (circulant.weight, circulant.bias):
        assert -0.05 <= values.min() < -0.045
        assert 0.045 < values.max() <= 0.05
    assert (dense.bias == 0).all()
    assert dense.weight.std().item() == pytest.approx(0.02, rel=0.02)


@pytest.mark.parametrize(
    ('location', 'kinds'),
    [
        ('both', (AugmentedShortcut, AugmentedShortcut)),
        ('attention', (AugmentedShortcut, IdentityShortcut)),
        ('mlp', (IdentityShortcut, AugmentedShortcut)),
    ],
)
def test_it_sits_where_it_is_told(location, kinds):
    config = {'type': 'AugmentedShortcut', 'location': location}
    block = Block(24, 3, 4, {'type': 'DotProductAttention'}, config)
    assert (type(block.shortcut_attn), type(block.shortcut_mlp)) == kinds
    with pytest.raises(ValueError, match="location='head'"):
        Block(24, 3, 4, {'type': 'DotProductAttention'}, {**config, 'location': 'head'})


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        ({'blocks': 5}, 'blocks=5'),
        ({'projection': 'sparse'}, 'sparse'),
        ({'paths': 0}, 'paths=0'),
        ({'activation': 'ReLU'}, "activation='ReLU': must be one of 'published', 'GELU', None"),
        ({'order': 'both'}, "order='both'"),
        ({'source': 'branch'}, "source='branch'"),
        ({'projection': 'none', 'paths': 1}, "projection='none' requires an activation"),
        ({'projection': 'none'}, 'all paths would be equal'),
        ({'order': 'activation_first', 'paths': 1}, 'requires both an activation and a projection'),
        (
            {**ROWS['activation alone'][0], 'order': 'activation_first'},
            'requires both an activation and a projection',
        ),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        AugmentedShortcut(24, **options)
