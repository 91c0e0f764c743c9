"""Resizing of learned position codes."""

import pytest
import torch

from vitbackbones.layers import fit_position, resize_position


@pytest.mark.parametrize('mode', ['bicubic', 'bilinear'])
def test_a_constant_code_stays_constant_and_the_class_token_untouched(mode):
    code = torch.cat([torch.full((1, 1, 2), 9.0), torch.full((1, 12, 2), 4.0)], 1)
    resized = resize_position(code, (3, 4), (6, 5), mode)
    assert resized.shape == (1, 31, 2)
    assert (resized[:, 0] == 9).all()
    torch.testing.assert_close(resized[:, 1:], torch.full((1, 30, 2), 4.0))


def test_rows_and_columns_are_not_swapped():
    rows = torch.arange(3.0)[:, None].expand(3, 4).reshape(1, 12, 1)
    resized = resize_position(rows, (3, 4), (3, 8), 'bilinear').reshape(3, 8)
    assert (resized == resized[:, :1]).all()


def test_the_same_grid_is_returned_as_it_is():
    code = torch.randn(1, 12, 2)
    assert resize_position(code, (3, 4), (3, 4)) is code


@pytest.mark.parametrize(('stored', 'extra'), [(17, 1), (17, 0), (16, 0)])
def test_a_stored_code_fits_a_larger_grid_with_or_without_class_token(stored, extra):
    fitted = fit_position(torch.randn(1, stored, 2), extra, (6, 8))
    assert fitted.shape == (1, extra + 48, 2)


def test_a_class_token_is_told_from_a_square_grid_where_the_size_decides():
    code = torch.randn(1, 16, 2)  # a grid of 4 x 4, or one of 3 x 5 with a class token
    assert torch.equal(fit_position(code, 0, (3, 5)), code[:, 1:])
    assert torch.equal(fit_position(code, 0, (4, 4)), code)


@pytest.mark.parametrize(('stored', 'extra'), [(16, 1), (13, 0)])
def test_what_cannot_fit_is_refused(stored, extra):
    with pytest.raises(ValueError, match=f'{stored} tokens'):
        fit_position(torch.randn(1, stored, 2), extra, (6, 8))
