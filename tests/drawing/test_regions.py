"""Regions of pictures: filled, outlined, and small ones above large ones."""

import numpy as np
from PIL import Image

from vitbackbones.drawing.regions import OPACITY, shade

GRAY, RED, BLUE = (100, 100, 100), (255, 0, 0), (0, 0, 255)


def shaded(*masks, colors=(RED, BLUE)):
    picture = Image.new('RGB', (80, 60), GRAY)
    return np.array(shade(picture, np.stack(masks), colors[: len(masks)]))


def rectangle(top, bottom, left, right):
    mask = np.zeros((60, 80), bool)
    mask[top:bottom, left:right] = True
    return mask


def test_the_picture_shines_through_and_an_outline_does_not():
    pixels = shaded(rectangle(10, 40, 20, 60))
    mixed = (1 - OPACITY) * np.array(GRAY) + OPACITY * np.array(RED)
    assert np.abs(pixels[25, 40] - mixed).max() <= 0.5
    assert pixels[25, 20].tolist() == list(RED)
    assert pixels[5, 5].tolist() == list(GRAY)


def test_small_regions_lie_on_large_ones():
    small, large = rectangle(20, 30, 30, 40), rectangle(5, 55, 5, 75)
    pixels = shaded(small, large)
    assert pixels[20, 30].tolist() == list(RED)
    assert np.array_equal(pixels, shaded(large, small, colors=(BLUE, RED)))
