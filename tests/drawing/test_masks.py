"""Pictures of segmentations: colors where the labels are, the image where nothing counts."""

import numpy as np
from PIL import Image

from vitbackbones.drawing.masks import LEGEND, OPACITY, legend, overlay

PALETTE = [[200, 0, 0], [0, 0, 200]]


def test_overlay():
    pixels = np.full((400, 400, 3), (40, 90, 140), np.uint8)
    labels = np.zeros((400, 400), np.uint8)
    labels[:, 100:] = 1
    labels[:, 300:] = 255
    drawn = np.array(overlay(Image.fromarray(pixels), labels, PALETTE))
    gray = np.dot((40, 90, 140), (0.299, 0.587, 0.114))
    for column, color in ((50, PALETTE[0]), (200, PALETTE[1])):
        expected = (1 - OPACITY) * gray + OPACITY * np.array(color)
        assert np.abs(drawn[200, column] - expected).max() <= 1.5
    assert (drawn[:, 301:] == (40, 90, 140)).all()
    assert (pixels == (40, 90, 140)).all()


def test_the_legend_names_the_largest_classes_in_rows():
    classes = [f'a rather long name {i}' for i in range(40)]
    palette = [[i, 255 - i, 0] for i in range(40)]
    labels = np.arange(40, dtype=np.uint8).repeat(40 - np.arange(40))  # the first are the largest
    strip = legend(labels[None], classes, palette, 400)
    colors = {color for _, color in strip.getcolors(1 << 20)}
    assert {i for i in range(40) if tuple(palette[i]) in colors} == set(range(LEGEND))
    assert strip.width == 400
    assert strip.height > 100
    nothing = legend(np.full((2, 2), 255, np.uint8), ['a'], PALETTE, 50)
    assert {color for _, color in nothing.getcolors()} == {(255, 255, 255)}
