"""Pictures of mistakes: thick and orange where something is wrong, thin and blue where not."""

import numpy as np
import pytest
from PIL import Image

from vitbackbones.results.report import mistakes
from vitbackbones.results.report.coco import match
from vitbackbones.results.report.mistakes import RIGHT, WRONG, count_mistakes, draw_mistakes

from . import toy

pytestmark = pytest.mark.compat
SCALE = 400 / toy.SIDE
NAMES = dict(enumerate(toy.CLASSES, start=1))


def share(pixels, box, color):
    """How much of the left side of a box has a color, below its label."""
    x, y, width, height = (round(value * SCALE) for value in box)
    line = pixels[y + 30 : y + height - 5, x - 2 : x + 4]
    return (np.abs(line.astype(int) - color) < 40).all(-1).mean()


@pytest.mark.parametrize('kind', ['bbox', 'segm'])
def test_what_is_right_and_what_is_wrong(evaluated, kind, monkeypatch):
    labels = []
    write = mistakes.write_labels
    monkeypatch.setattr(
        mistakes, 'write_labels', lambda *given: labels.append(given[2]) or write(*given)
    )
    metric, _ = evaluated(metric=[kind])
    pairs = match(metric, kind, 0.3)
    assert [count_mistakes(own) for own in pairs.values()] == [(1, 2), (1, 1), (0, 1)]
    image = Image.new('RGB', (toy.SIDE, toy.SIDE), 'black')
    pixels = np.array(draw_mistakes(image, pairs[1], NAMES, kind))
    assert labels == [
        ['cat', 'dog, taken for cat'],
        ['cat 0.90', 'cat 0.80, is dog', 'false: dog 0.40'],
    ]
    truth, found = pixels[-400:, :400], pixels[-400:, -400:]
    (_, cat), (_, dog) = toy.BOXES[1]
    answer = toy.FOUND[1][1][2]
    assert share(truth, cat, RIGHT) > 0.3
    assert share(truth, dog, RIGHT) == share(truth, cat, WRONG) == 0
    assert share(truth, dog, WRONG) > 0.6
    assert share(found, answer, WRONG) > 0.6
