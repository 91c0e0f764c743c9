"""Attention in windows, against windows cut out one by one."""

import pytest
import torch

from vitbackbones.layers import Block, DotProductAttention, MeanShiftAttention, Windows

FIRST = [0, 1, 2]
GRIDS = [(8, 6), (7, 9), (1, 11), (5, 3)]


def plain(attention, x, first, size, most):
    """Cut every window out, attend, and put it back; the first tokens' answers are averaged."""
    number = torch.arange(size[0] * size[1]).view(size)
    bands = number.tensor_split(-(-size[0] // most), 0)
    windows = [w for band in bands for w in band.tensor_split(-(-size[1] // most), 1)]
    out, shared = torch.zeros_like(x), []
    for window in windows:
        members = window.flatten() + first
        assert max(window.shape) <= most
        answer = attention(torch.cat([x[:, :first], x[:, members]], 1))
        shared.append(answer[:, :first])
        out[:, members] = answer[:, first:]
    out[:, :first] = torch.stack(shared).mean(0)
    return out


@pytest.mark.parametrize('kind', [DotProductAttention, MeanShiftAttention])
@pytest.mark.parametrize('first', FIRST)
@pytest.mark.parametrize('size', GRIDS, ids=str)
def test_it_equals_windows_cut_out_one_by_one_with_gradients(kind, first, size):
    attention, windows = kind(24, 3).double(), Windows(3)
    x = torch.randn(2, first + size[0] * size[1], 24).double().requires_grad_()
    answers = [windows(attention, x, first, size), plain(attention, x, first, size, 3)]
    torch.testing.assert_close(*answers)
    inputs, upstream = [x, *attention.parameters()], torch.randn_like(x)
    gradients = [torch.autograd.grad((y * upstream).sum(), inputs) for y in answers]
    for ours, wanted in zip(*gradients, strict=True):
        assert ours.abs().sum() > 0
        torch.testing.assert_close(ours, wanted)


def test_the_grid_is_cut_into_as_few_windows_as_it_needs_of_nearly_one_size():
    seen = []
    Windows(14)(lambda x: seen.append(x.shape[:2]) or x, torch.randn(1, 64 * 64, 1), 0, (64, 64))
    assert seen == [(16, 13 * 13), (4, 13 * 12), (4, 12 * 13), (1, 12 * 12)]


def test_the_bias_between_windows_does_the_same():
    windows, attention, x = Windows(3), DotProductAttention(24, 3), torch.randn(2, 35, 24)
    apart = windows.apart(x, (7, 5))
    torch.testing.assert_close(attention(x, bias=apart), windows(attention, x, 0, (7, 5)))


@pytest.mark.parametrize('size', [0, -1, 2.5, (3, 3)])
def test_what_is_no_size_is_refused(size):
    with pytest.raises(ValueError, match='window_size'):
        Windows(size)


@torch.no_grad()
def test_one_graph_for_each_size_with_the_same_result():
    parts = ({'type': 'MeanShiftAttention'}, {'type': 'IdentityShortcut'})
    block = Block(24, 3, 2.0, *parts, window_size=3).eval().requires_grad_(False)
    inputs = [(torch.randn(2, 1 + h * w, 24), (h, w)) for h, w in GRIDS[:2]]
    compiled = torch.compile(block, fullgraph=True, backend='aot_eager')
    for x, size in inputs:
        torch.testing.assert_close(compiled(x, size), block(x, size))
    torch._dynamo.reset()
