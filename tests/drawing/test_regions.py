"""Regions of pictures: filled, outlined, and small ones above large ones."""

import numpy as np
from PIL import Image

from vitbackbones.drawing.predictions import OPACITY, PERIOD, STRIPE, shade, stripe

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


def test_masks_are_stretched_over_the_picture_and_holes_have_outlines():
    mask = np.zeros((30, 40), bool)
    mask[5:25, 5:35] = True
    mask[10:20, 15:25] = False
    pixels = shaded(mask)
    assert pixels[30, 40].tolist() == list(GRAY)  # in the hole
    assert pixels[20, 20].tolist() != list(GRAY)
    red = (pixels == RED).all(-1)
    assert red[15:26, 28:34].any()
    assert red[:, 8:13].sum() > 30
    assert np.array_equal(shaded(np.zeros((60, 80), bool)), np.full((60, 80, 3), 100))
    everything = shaded(np.ones((60, 80), bool))
    mixed = (1 - OPACITY) * 100 + OPACITY * np.array(RED)
    assert everything[30, 40].tolist() == mixed.round().astype(int).tolist()


def test_all_grays_shine_through():
    ramp = np.repeat(np.arange(0, 256, 3, dtype=np.uint8)[None, :, None], 3, 2).repeat(40, 0)
    pixels = np.array(shade(Image.fromarray(ramp), np.ones((1, 40, 86), bool), [RED]))
    expected = ((1 - OPACITY) * ramp + OPACITY * np.array(RED)).round()
    assert np.abs(pixels[10:-10, 5:-5] - expected[10:-10, 5:-5]).max() <= 1


def test_stripes_are_white_beside_black():
    picture = Image.new('RGB', (80, 60), GRAY)
    pixels = np.array(stripe(picture, rectangle(0, 60, 0, 40)))[..., 0]
    period = [255] * STRIPE + [0] * STRIPE + [100] * STRIPE * (PERIOD - 2)
    assert pixels[0, :30].tolist() == [*period, *period][:30]
    assert pixels[1, :29].tolist() == pixels[0, 1:30].tolist()  # slanted
    assert (pixels[:, 40:] == 100).all()
    small = np.array(stripe(picture, np.array([[True, False]])))[..., 0]
    assert np.array_equal(small, pixels)
