"""Pictures of mistakes: dashed and orange where something is wrong, thin and blue where not."""

import numpy as np
import pytest
from PIL import Image

from vitbackbones.reporting.coco import class_names, evaluate
from vitbackbones.reporting.matching import match_all
from vitbackbones.reporting.mistakes import CROWD, RIGHT, WRONG, draw_mistakes

from . import toy

pytestmark = pytest.mark.compat
SCALE = 400 / toy.SIDE
GAP = 8


def panels(evaluated, kind, place):
    """Draw a picture of the toy set; returns the pixels of both panels, without their titles."""
    evaluation = evaluate(evaluated(metric=[kind])[0], kind)
    matches = list(match_all(evaluation, 0.3))[place]
    image = Image.new('RGB', (toy.SIDE, toy.SIDE), 'black')
    pixels = np.array(draw_mistakes(image, matches, class_names(evaluation), kind))
    assert pixels.shape[1] == 2 * 400 + GAP
    return pixels[-400:, :400], pixels[-400:, -400:]


def share(pixels, box, color):
    """How much of the left side of a box has a color, below its label."""
    x, y, width, height = (round(value * SCALE) for value in box)
    line = pixels[y + 30 : y + height - 5, x - 2 : x + 3]
    return (line == color).all(-1).any(1).mean()


@pytest.mark.parametrize('kind', ['bbox', 'segm'])
def test_what_is_right_and_what_is_wrong(evaluated, kind):
    truth, found = panels(evaluated, kind, 0)
    dog, answer = toy.BOXES[1][1][1], toy.FOUND[1][1][2]
    for panel, box in ((truth, dog), (found, answer)):
        assert 0.4 < share(panel, box, WRONG) < 0.75  # dashes
    cat = toy.BOXES[1][0][1]
    assert share(truth, cat, RIGHT) > 0.9


def test_crowds_have_a_color_of_their_own(evaluated):
    truth, found = panels(evaluated, 'bbox', 1)
    for panel in (truth, found):
        assert (panel == CROWD).all(-1).sum() > 100
