"""Pictures of classifications: a right answer has the color of the truth."""

import numpy as np
import pytest
from PIL import Image

from vitbackbones.drawing.classes import name_classes
from vitbackbones.drawing.sheet import PALETTE

CLASSES = ['ant', 'bee', 'cat', 'dog']


@pytest.mark.parametrize(
    ('truth', 'scores', 'named'),
    [
        (0, (0.0, 0.5, 0.3, 0.2), CLASSES),
        (1, (0.0, 0.5, 0.3, 0.2), CLASSES[1:]),
        (None, (0.4, 0.0, 0.3, 0.3), ['ant', 'cat', 'dog']),
        (0, (0.9, 0.1), ['ant', 'bee']),
    ],
)
def test_the_truth_and_the_three_best_answers_are_named(truth, scores, named):
    picture = name_classes(Image.new('RGB', (400, 300)), truth, np.array(scores), CLASSES)
    found = {color for _, color in picture.getcolors(1 << 20)}
    assert [name for name, color in zip(CLASSES, PALETTE, strict=False) if color in found] == named
    assert picture.width == 400
