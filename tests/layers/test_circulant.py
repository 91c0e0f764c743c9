"""The block-circulant products against the definition, element by element."""

import pytest
import torch

from vitbackbones.layers import circulant_dense, circulant_fft, circulant_halves, circulant_matrix

SHAPES = [(1, 4, 12), (2, 3, 7), (3, 1, 5), (2, 2, 1)]  # (paths, b, m), odd m too
EVEN = [(1, 4, 12), (2, 3, 6), (3, 1, 2)]


def columns(paths, b, m):
    return torch.randn(paths, b, b, m, dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize('shape', SHAPES)
def test_matrix_follows_the_definition(shape):
    c, (paths, b, m) = columns(*shape).detach(), shape
    wanted = torch.empty(paths, b * m, b * m, dtype=torch.float64)
    for i in range(b * m):
        for j in range(b * m):
            wanted[:, i, j] = c[:, i // m, j // m, (i % m - j % m) % m]
    assert torch.equal(circulant_matrix(c), wanted)


@pytest.mark.parametrize(
    ('shape', 'form'),
    [(s, circulant_fft) for s in SHAPES] + [(s, circulant_halves) for s in EVEN],
)
def test_all_forms_are_the_same_map_with_the_same_gradients(shape, form):
    c = columns(*shape)
    x = torch.randn(2, 5, shape[1] * shape[2], dtype=torch.float64, requires_grad=True)
    results = []
    for product in (circulant_dense, form):
        y = product(x, c)
        assert y.shape == (2, 5, shape[0], shape[1] * shape[2])
        results.append((y, *torch.autograd.grad(y.square().sum(), (x, c))))
    for dense, other in zip(*results, strict=True):
        torch.testing.assert_close(dense, other, atol=1e-10, rtol=1e-10)


@pytest.mark.parametrize('form', [circulant_fft, circulant_halves])
def test_float32_forms_agree_to_1e_5(form):
    c, x = torch.randn(2, 4, 4, 96) / 384**0.5, torch.randn(8, 197, 384)
    torch.testing.assert_close(circulant_dense(x, c), form(x, c), atol=1e-5, rtol=0)
