"""The three forms of block-circulant maps against the definition, and each other's gradients."""

import pytest
import torch

from vitbackbones.layers import circulant_dense, circulant_fft, circulant_halves, circulant_matrix

SHAPES = [(1, 4, 12), (2, 3, 7), (3, 1, 5), (2, 2, 1)]  # (paths, b, m), odd m too
EVEN = [(1, 4, 12), (2, 3, 6), (3, 1, 2)]


def columns(paths, b, m):
    """First columns, and a bias for their maps."""
    return [
        torch.randn(shape, dtype=torch.float64, requires_grad=True)
        for shape in ((paths, b, b, m), (paths, b * m))
    ]


@pytest.mark.parametrize('shape', SHAPES)
def test_matrix_follows_the_definition(shape):
    c, (paths, b, m) = columns(*shape)[0].detach(), shape
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
    c, bias = columns(*shape)
    x = torch.randn(2, 5, shape[1] * shape[2], dtype=torch.float64, requires_grad=True)
    results = []
    for product in (circulant_dense, form):
        y = product(x, c, bias)
        assert y.shape == (2, 5, shape[0], shape[1] * shape[2])
        results.append((y, *torch.autograd.grad(y.square().sum(), (x, c, bias))))
    for dense, other in zip(*results, strict=True):
        torch.testing.assert_close(dense, other, atol=1e-10, rtol=1e-10)


def test_a_gradient_that_comes_in_twice_is_not_written_over():
    c, bias = columns(2, 2, 4)
    x = torch.randn(3, 8, dtype=torch.float64, requires_grad=True)
    y, grad = circulant_halves(x, c, bias), torch.randn(3, 2, 8, dtype=torch.float64)
    given = grad.clone()
    first, second = (torch.autograd.grad(y, x, grad, retain_graph=True)[0] for _ in range(2))
    assert torch.equal(first, second)
    assert torch.equal(grad, given)


def test_the_halves_compile_into_one_graph_with_the_same_gradients():
    c, bias = columns(2, 2, 4)
    x = torch.randn(3, 8, dtype=torch.float64, requires_grad=True)
    compiled = torch.compile(circulant_halves, fullgraph=True, backend='aot_eager')
    answers = [form(x, c, bias) for form in (compiled, circulant_halves)]
    torch.testing.assert_close(*answers)
    gradients = [torch.autograd.grad(y.square().sum(), (x, c, bias)) for y in answers]
    torch.testing.assert_close(*gradients)
