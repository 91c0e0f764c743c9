"""Sheets of samples: pixels as they were, cells of one width, names of colors."""

import numpy as np
import pytest
import torch
from mmdet.models import DetDataPreprocessor
from PIL import Image

from vitbackbones.drawing import sample_sheet
from vitbackbones.drawing.sample_sheet import Drawn, sheet, to_pixels
from vitbackbones.drawing.sheet import FONT_SIZE, GAP, LINE

STATISTICS = {'mean': [123.675, 116.28, 103.53], 'std': [58.395, 57.12, 57.375]}
RED, BLUE = (200, 0, 0), (0, 0, 200)


@pytest.mark.parametrize('settings', [STATISTICS | {'bgr_to_rgb': True}, STATISTICS, {}])
def test_pixels_are_those_before_the_preprocessor(settings):
    image = torch.randint(0, 256, (3, 4, 5), dtype=torch.uint8)
    preprocessor = DetDataPreprocessor(**settings)
    normalized = preprocessor({'inputs': [image], 'data_samples': None})['inputs'][0]
    assert np.array_equal(to_pixels(normalized, settings), image.permute(1, 2, 0).numpy())


def picture(width, height, color=RED, **colors):
    return Drawn(Image.new('RGB', (width, height), color), **colors)


def test_cells_have_the_width_of_the_widest_picture():
    drawn = sheet([[('a', picture(50, 20)), ('b', picture(20, 40, BLUE))], [('c', picture(80, 9))]])
    pixels = np.array(drawn)
    assert drawn.width == 2 * 80 + 3 * GAP
    rows, columns = np.nonzero((pixels == BLUE).all(-1))
    assert columns.min() == GAP + 80 + GAP  # the second cell
    assert (np.ptp(rows) + 1, np.ptp(columns) + 1) == (40, 20)


def test_other_bands_stay_the_numbers_that_they_are():
    image = torch.rand(4, 2, 3) * 1000 - 500
    found = to_pixels(image, {})
    assert found.dtype == np.float32
    assert np.array_equal(found, image.permute(1, 2, 0).numpy())
    settings = {'mean': [1.0] * 4, 'std': [2.0] * 4}
    assert np.allclose(to_pixels(image, settings)[..., 0], image[0] * 2 + 1)
    exchanged = to_pixels(image, {'rgb_to_bgr': True})
    assert np.array_equal(exchanged, image.flip(0).permute(1, 2, 0).numpy())


def test_numbers_outside_of_bytes_are_cut():
    image = torch.tensor([-3.0, 0.6, 300.0]).view(3, 1, 1)
    assert to_pixels(image, {}).tolist() == [[[0, 1, 255]]]


def test_names_of_colors_stand_below_the_last_row():
    bare = sheet([[('a', picture(90, 20))]])
    named = sheet([[('a', picture(90, 20, colors={1: ('x', BLUE), 0: ('y', RED)}))]])
    assert bare.size == (90 + 2 * GAP, 20 + FONT_SIZE + GAP + 2 * GAP)
    assert named.width == bare.width
    assert named.height == bare.height + LINE + GAP + 2 * GAP
    _, columns = np.nonzero((np.array(named)[bare.height :] == RED).all(-1))
    assert columns.min() == GAP  # the first label comes first
    _, columns = np.nonzero((np.array(named) == BLUE).all(-1))
    assert columns.min() > 2 * GAP


def test_the_end_of_a_long_title_is_shown(monkeypatch):
    titles = []
    beside = sample_sheet.side_by_side
    monkeypatch.setattr(
        sample_sheet,
        'side_by_side',
        lambda cells, width: titles.append([title for title, _ in cells]) or beside(cells, width),
    )
    sheet([[('abcdefghijklmnopqrstuvwxyz' * 3 + 'end', picture(80, 9)), ('short', picture(9, 9))]])
    ((long, short),) = titles
    assert long.startswith('...')
    assert long.endswith('xyzend')
    assert 6 < len(long) < 20
    assert short == 'short'
