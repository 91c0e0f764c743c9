"""Augmented shortcuts against Eq. 8-11 written out, for any number of paths."""

import pytest
import torch
import torch.nn.functional as F

from vitbackbones.layers import AugmentedShortcut, Block, IdentityShortcut, circulant_matrix


def tokens(*seeds):
    return [torch.randn(2, 5, 24, generator=torch.Generator().manual_seed(s)) for s in seeds]


@pytest.mark.parametrize('projection', ['circulant', 'dense'])
@pytest.mark.parametrize(('paths', 'scale'), [(1, 1.0), (2, 0.75), (3, 1.0)])
def test_equals_the_sum_of_separate_paths(projection, paths, scale):
    shortcut = AugmentedShortcut(24, paths=paths, blocks=4, projection=projection)
    x, normed, branch = tokens(0, 1, 2)
    total = x + branch
    matrices = shortcut.weight if projection == 'dense' else circulant_matrix(shortcut.weight)
    for matrix, bias in zip(matrices, shortcut.bias, strict=True):
        path = normed @ matrix.T + bias
        total = total + (path if paths == 1 else F.gelu(path))
    torch.testing.assert_close(shortcut(x, normed, branch), total * scale, atol=2e-6, rtol=1e-5)


def test_the_factor_is_an_option():
    shortcut = AugmentedShortcut(24)
    x, normed, branch = tokens(0, 1, 2)
    published = shortcut(x, normed, branch)
    shortcut.scale = AugmentedShortcut(24, scale=1.0).scale
    torch.testing.assert_close(shortcut(x, normed, branch) * 0.75, published)


def test_half_precision_takes_the_matrix_form():
    shortcut = AugmentedShortcut(24)
    inputs = tokens(0, 1, 2)
    wanted = shortcut(*inputs)
    got = shortcut.bfloat16()(*(x.bfloat16() for x in inputs))
    torch.testing.assert_close(got.float(), wanted, atol=0.1, rtol=0.05)


def test_autocast_gives_the_same_function():
    shortcut = AugmentedShortcut(24)
    inputs = tokens(0, 1, 2)
    with torch.autocast('cpu', torch.bfloat16):
        got = shortcut(*inputs)
    torch.testing.assert_close(got.float(), shortcut(*inputs), atol=0.1, rtol=0.05)


@pytest.mark.parametrize(
    ('options', 'counts'),
    [({}, 4 * 24 * 2), ({'paths': 1, 'blocks': 2}, 2 * 24), ({'projection': 'dense'}, 24 * 48)],
)
def test_number_of_weights_is_b_times_d_a_path(options, counts):
    assert AugmentedShortcut(24, **options).weight.numel() == counts


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


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        ({'blocks': 5}, 'blocks=5'),
        ({'projection': 'sparse'}, 'sparse'),
        ({'paths': 0}, 'paths=0'),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        AugmentedShortcut(24, **options)


def test_a_bad_location_is_named():
    config = {'type': 'AugmentedShortcut', 'location': 'head'}
    with pytest.raises(ValueError, match="location='head'"):
        Block(24, 3, 4, {'type': 'DotProductAttention'}, config)
