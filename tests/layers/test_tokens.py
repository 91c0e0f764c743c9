"""Position codes: learned ones resized, fixed ones against their formulas."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim, export

from vitbackbones.layers import (
    Origin,
    average_map,
    cut_map,
    fit_position,
    max_map,
    pad_map,
    pad_to_multiple,
    resize_position,
    sincos_position,
    sinusoid_position,
)


def cubic(distance):
    """The kernel of cubic convolution with a = -0.75, as Pillow, OpenCV and torch have it."""
    d, a = abs(distance), -0.75
    if d <= 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else 0.0


def linear(distance):
    return max(0.0, 1 - abs(distance))


@pytest.mark.parametrize(
    ('mode', 'kernel'), [({}, cubic), ({'mode': 'bicubic'}, cubic), ({'mode': 'bilinear'}, linear)]
)
def test_a_single_code_becomes_the_kernel_of_its_mode(mode, kernel):
    """From 9 x 9 to 18 x 18 tokens, whose centers lie at quarters between the old ones."""
    code = torch.zeros(1, 81, 1)
    code[0, 4 * 9 + 4] = 1
    weights = torch.tensor([kernel((i + 0.5) / 2 - 0.5 - 4) for i in range(18)])
    wanted = (weights[:, None] * weights).reshape(1, 324, 1)
    torch.testing.assert_close(resize_position(code, (9, 9), (18, 18), **mode), wanted)
    torch.testing.assert_close(fit_position(code, 0, (18, 18), **mode), wanted)
    maps = [each.unflatten(1, (side, side))[..., 0] for each, side in ((code, 9), (wanted, 18))]
    torch.testing.assert_close(fit_position(maps[0][None], 0, (18, 18), **mode), maps[1][None])


def test_the_code_of_a_row_is_that_of_vaswani():
    code = sinusoid_position(60, 8)
    assert code.shape == (1, 60, 8)
    for place, i in ((0, 0), (1, 1), (37, 2), (59, 3)):
        angle = place / 10000 ** (2 * i / 8)
        assert code[0, place, 2 * i].item() == pytest.approx(math.sin(angle), abs=1e-6)
        assert code[0, place, 2 * i + 1].item() == pytest.approx(math.cos(angle), abs=1e-6)


def test_the_code_of_a_grid_has_columns_before_rows():
    code = sincos_position((5, 7), 12, torch.device('cpu')).reshape(5, 7, 12)
    waves = [1, 1e-2, 1e-4]
    for y, x in ((0, 0), (4, 0), (0, 6), (3, 5)):
        angles = [place * wave for place in (x, y) for wave in waves]
        parts = [[math.sin(a) for a in angles], [math.cos(a) for a in angles]]
        wanted = parts[0][:3] + parts[1][:3] + parts[0][3:] + parts[1][3:]
        assert code[y, x].tolist() == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize(('stored', 'extra'), [(18, 2), (18, 0), (17, 1), (17, 0), (16, 0)])
def test_a_stored_code_fits_a_larger_grid_with_or_without_class_token(stored, extra):
    fitted = fit_position(torch.randn(1, stored, 2), extra, (6, 8))
    assert fitted.shape == (1, extra + 48, 2)


def test_a_class_token_is_told_from_a_square_grid_where_the_size_decides():
    code = torch.randn(1, 16, 2)  # a grid of 4 x 4, or one of 3 x 5 with a class token
    assert torch.equal(fit_position(code, 0, (3, 5), leading=1), code[:, 1:])
    assert torch.equal(fit_position(code, 0, (4, 4)), code)


@pytest.mark.parametrize('size', [(4, 4), (6, 8)])
def test_of_two_leading_tokens_a_model_with_one_takes_the_class_tokens(size):
    code = torch.randn(1, 18, 2)
    fitted = fit_position(code, 1, size)
    assert torch.equal(fitted[:, :1], code[:, :1])
    assert torch.equal(fitted[:, 1:], resize_position(code[:, 2:], (4, 4), size))


@pytest.mark.parametrize(('stored', 'extra'), [(16, 1), (17, 2), (13, 0)])
def test_what_cannot_fit_is_refused(stored, extra):
    with pytest.raises(ValueError, match=f'{stored} tokens'):
        fit_position(torch.randn(1, stored, 2), extra, (6, 8))


def test_a_map_is_copied_only_where_there_is_something_to_pad():
    x = torch.randn(2, 3, 4, 5)
    assert pad_map(x, (0, 0, 0, 0)) is x
    padded = pad_map(x, (0, 1, 0, 2))
    assert padded.shape == (2, 3, 6, 6)
    assert torch.equal(padded[..., :4, :5], x)
    assert not padded[..., 4:, :].any()
    assert not padded[..., 5:].any()
    # traced, it is for maps of any size
    traced = torch.jit.trace(lambda x: pad_map(x, (0, 0, 0, 0)), x)
    assert 'aten::pad' in str(traced.graph)


class Part(nn.Module):
    def __init__(self, compute):
        super().__init__()
        self.compute = compute

    def forward(self, x):
        return self.compute(x)


# what rounds a size up, with the padding of its example or of another one
ROUNDING = {
    'averages': lambda x: average_map(x, 4),
    'maxima': lambda x: max_map(x, 4),
    'padding': lambda x: pad_to_multiple(x, 4, 2.0),
    'cutting': lambda x: cut_map(F.interpolate(pad_to_multiple(x, 4), scale_factor=2), x.shape[2:]),
}


@torch.no_grad()
@pytest.mark.parametrize('example', [(16, 24), (17, 23)], ids=str)
@pytest.mark.parametrize('name', ROUNDING)
def test_a_graph_for_any_size_rounds_up_whatever_its_example_left_over(name, example):
    part, sides = Part(ROUNDING[name]), {2: Dim.DYNAMIC, 3: Dim.DYNAMIC}
    graph = export(part, (torch.rand(2, 3, *example),), dynamic_shapes=(sides,), strict=False)
    for size in [(16, 24), (17, 23), (30, 50)]:
        x = torch.rand(2, 3, *size) - 2  # below zero, so that zeros are no maxima
        torch.testing.assert_close(graph.module()(x), part(x))


# a grid of the file, the size that it is noted with, what is done in doubt, the grid that is read
GRIDS = [
    ((4, 4), None, 'square', (4, 4)),
    ((4, 4), (64, 64), 'ask', (4, 4)),
    ((2, 8), (32, 128), 'ask', (2, 8)),
    ((8, 2), (120, 20), 'square', (8, 2)),  # rounded up to whole cells
    ((2, 8), None, 'same', (2, 8)),
]


@pytest.mark.parametrize(('old', 'noted', 'doubt', 'read'), GRIDS)
def test_a_code_of_as_many_cells_in_another_shape_is_resized(old, noted, doubt, read):
    code = torch.randn(1, 1 + old[0] * old[1], 3)
    fitted = fit_position(code, 1, (2, 8), origin=Origin(noted, doubt))
    assert torch.equal(fitted, resize_position(code, read, (2, 8)))


@pytest.mark.parametrize(('cells', 'size'), [(16, (2, 8)), (15, (3, 5))])
def test_a_file_that_may_be_of_two_grids_asks_for_its_size(cells, size):
    with pytest.raises(ValueError, match=rf'{cells} positions, .* Give .* stored_size='):
        fit_position(torch.randn(1, cells, 3), 0, size, origin=Origin(doubt='ask'))


def test_a_class_token_is_not_counted_as_two_where_the_file_has_one():
    code = torch.randn(1, 17, 3)  # 4 x 4 behind a class token, or 3 x 5 behind two tokens
    fitted = fit_position(code, 1, (3, 5), leading=1)
    assert torch.equal(fitted, resize_position(code, (4, 4), (3, 5)))


def test_a_missing_distillation_token_is_named():
    with pytest.raises(ValueError, match='the model has 2: the distillation token is missing'):
        fit_position(torch.randn(1, 17, 3), 2, (4, 4), leading=1)
