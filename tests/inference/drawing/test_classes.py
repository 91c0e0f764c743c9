"""Pictures of classifications: a right answer has the color of the truth."""

import numpy as np
from PIL import Image

from vitbackbones.inference.drawing.classes import name_classes
from vitbackbones.inference.drawing.sheet import PALETTE

CLASSES = ['ant', 'bee', 'cat', 'dog']


def colors(truth, *scores):
    picture = name_classes(Image.new('RGB', (400, 400)), truth, np.array(scores), CLASSES)
    found = {color for _, color in picture.getcolors(1 << 20)}
    return [name for name, color in zip(CLASSES, PALETTE, strict=False) if color in found]


def test_the_truth_and_the_three_best_answers_are_named():
    assert colors(0, 0.0, 0.5, 0.3, 0.2) == CLASSES
    assert colors(1, 0.0, 0.5, 0.3, 0.2) == ['bee', 'cat', 'dog']


def test_without_a_truth_the_answers_are_named():
    assert colors(None, 0.4, 0.0, 0.3, 0.3) == ['ant', 'cat', 'dog']


def test_fewer_classes_than_answers():
    picture = name_classes(Image.new('RGB', (400, 300)), 0, np.array([0.9, 0.1]), CLASSES)
    assert picture.width == 400
