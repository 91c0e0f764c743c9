"""Pictures of detections: where boxes and labels come to lie."""

import numpy as np
import pytest
from PIL import Image

from vitbackbones.inference.drawing.boxes import GRAY as IGNORED_COLOR
from vitbackbones.inference.drawing.boxes import Objects, _places, draw_objects
from vitbackbones.inference.drawing.sheet import LINE, PALETTE, SIDES

GRAY = (128, 128, 128)


def image(width=160, height=160):
    return Image.new('RGB', (width, height), GRAY)


def objects(*boxes, labels=None, scores=None):
    boxes = np.array(boxes, float).reshape(-1, 4)
    labels = np.zeros(len(boxes), int) if labels is None else np.array(labels)
    return Objects(boxes, labels, None if scores is None else np.array(scores))


@pytest.mark.parametrize(
    ('size', 'drawn'),
    [
        ((160, 160), (400, 400)),
        ((40, 20), (400, 200)),
        ((500, 700), (500, 700)),
        ((1333, 800), (1000, 600)),
        ((20000, 1), (1000, 1)),
    ],
)
def test_small_images_grow_and_large_ones_shrink(size, drawn):
    assert draw_objects(image(*size), objects(), ['a']).size == drawn
    assert max(drawn) in range(SIDES[0], SIDES[1] + 1)


def test_boxes_are_where_they_belong():
    pixels = np.array(draw_objects(image(), objects([40, 60, 120, 140], labels=[1]), ['a', 'b']))
    colored = np.argwhere((pixels == PALETTE[1]).all(-1))  # rows of (y, x)
    scale = 400 / 160
    assert colored[:, 1].min() == 40 * scale
    assert colored[:, 1].max() == 120 * scale
    assert colored[:, 0].max() == 140 * scale
    assert (pixels[250, 200] == GRAY).all()  # nothing is drawn inside


def test_the_given_image_stays_as_it_is():
    given = image(400, 400)
    draw_objects(given, objects([40, 60, 120, 140]), ['a'])
    assert given.getcolors() == [(400 * 400, GRAY)]


def test_scores_are_written():
    box = [40, 60, 120, 140]
    plain = draw_objects(image(), objects(box), ['a'])
    scored = draw_objects(image(), objects(box, scores=[0.5]), ['a'])
    other = draw_objects(image(), objects(box, scores=[0.7]), ['a'])
    assert plain.tobytes() != scored.tobytes() != other.tobytes()


def test_labels_of_equal_boxes_do_not_cover_each_other():
    def label_area(count):
        drawn = draw_objects(image(), objects(*[[40, 60, 150, 150]] * count), ['abcdef'])
        return (np.array(drawn) == PALETTE[0]).all(-1).sum()

    one, two, three = (label_area(count) for count in (1, 2, 3))
    # a label lies partly on its box's edge, which has the same color
    assert two - one == pytest.approx(three - two, rel=0.3)
    assert two > one


def test_labels_stay_inside_the_image():
    at_corner = draw_objects(image(), objects([155, 0, 160, 5]), ['a rather long name'])
    pixels = np.array(at_corner)
    assert (pixels[5] == PALETTE[0]).all(-1).sum() > 50


def test_many_classes_share_the_palette():
    label = len(PALETTE) + 2
    drawn = draw_objects(image(), objects([40, 60, 120, 140], labels=[label]), ['x'] * 20)
    assert (np.array(drawn) == PALETTE[2]).all(-1).any()


def test_labels_for_which_there_is_no_room_are_below_the_picture():
    places = _places(np.array([[1.0, 2, 30, 40]] * 9), ['a'] * 9, (99, 3 * LINE))
    assert [y // LINE for _, y in places] == [0, 1, 2] + [3] * 6  # each was compared with all


@pytest.mark.parametrize('masked', [False, True])
def test_what_is_ignored_is_gray_and_striped_and_says_so(masked):
    found = objects([40, 60, 120, 140], labels=[1])
    if masked:
        found.masks = np.zeros((1, 160, 160), bool)
        found.masks[0, 60:140, 40:120] = True
    found.ignored = np.array([True])
    pixels = np.array(draw_objects(image(), found, ['a', 'b']))
    inside = pixels[160:340, 110:290].reshape(-1, 3)  # of 400 x 400
    assert len(np.unique(inside, axis=0)) >= 3  # two kinds of stripes, and the picture
    assert not (pixels == PALETTE[1]).all(-1).any()
    assert (pixels == IGNORED_COLOR).all(-1).any()
    found.ignored = np.array([False])
    assert (np.array(draw_objects(image(), found, ['a', 'b'])) == PALETTE[1]).all(-1).any()
