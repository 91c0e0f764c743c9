"""Sheets of samples: pixels as they were, cells of one width, names of colors."""

import numpy as np
import pytest
import torch
from mmdet.models import DetDataPreprocessor
from PIL import Image

from vitbackbones.drawing.sample_sheet import Drawn, sheet, to_pixels
from vitbackbones.drawing.sheet import GAP

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
