"""What counts as a difference between two answers."""

import numpy as np
import pytest

from vitbackbones.export.parity import (
    TOLERANCE,
    boxes_around,
    differences,
    exceeded,
    in_words,
    worst_of,
)


def detections(scores, labels, left=0.0):
    """Boxes of 10 x 10 pixels side by side, of one image."""
    first = np.arange(len(scores)) * 10.0 + left
    zero = np.zeros_like(first)
    boxes = np.stack([first, zero, first + 10, zero + 10], 1)
    return {
        'boxes': boxes[None].astype(np.float32),
        'scores': np.float32([scores]),
        'labels': np.int64([labels]),
    }


@pytest.mark.parametrize(
    ('found', 'wanted', 'expected'),
    [
        # numbers with the largest, masks by the share of pixels, boxes with the longer side
        ({'logits': np.array([4.0, 1.1])}, {'logits': np.array([4.0, 1.0])}, {'logits': 0.025}),
        ({'mask': np.eye(10, dtype=int)}, {'mask': np.zeros((10, 10), int)}, {'mask': 0.1}),
        (
            detections([0.9, 0.1], [1, 1], left=0.5),
            detections([0.9, 0.1], [1, 1]),
            {'boxes': 0.01, 'scores': 0, 'labels': 0},
        ),
    ],
    ids=['logits', 'mask', 'boxes'],
)
def test_what_a_difference_is_measured_by(found, wanted, expected):
    measured = differences(found, wanted, (40, 50))
    assert {name: measured[name] for name in expected} == pytest.approx(expected)


@pytest.mark.parametrize('spoiled', [np.zeros(3), np.array([np.nan, 0.0])], ids=['shape', 'nan'])
def test_another_shape_or_what_is_no_number_is_too_far(spoiled):
    found = differences({'logits': spoiled}, {'logits': np.zeros(2)}, (8, 8))
    assert exceeded(found).keys() == {'logits'}


def test_equal_scores_may_change_places():
    wanted = detections([0.9, 0.9, 0.1, 0], [1, 2, 1, -1])
    found = {name: value[:, [1, 0, 2, 3]] for name, value in wanted.items()}
    found['boxes'][0, 3] += 5  # a place without an object
    assert max(differences(found, wanted, (40, 40)).values()) == 0


@pytest.mark.parametrize(
    ('found', 'wanted', 'too_far'),
    [
        (([0.9, 0.1], [2, 0]), ([0.9, 0.1], [1, 0]), {'labels'}),
        (([0.5, 0.5], [1, 2], 0.5), ([0.5, 0.5], [1, 2]), {'boxes'}),
        # the last place of a full list may go to another of its score
        (([0.9, 0.5], [1, 2]), ([0.9, 0.5], [1, 0]), set()),
        (([0.9, 0.5, 0], [1, 2, -1]), ([0.9, 0.6, 0], [1, 2, -1]), {'scores', 'labels'}),
        # no object of a list with free places may be another
        (([0.9, 5e-5, 0], [1, 0, -1]), ([0.9, 5e-5, 0], [1, 2, -1]), {'labels'}),
    ],
)
def test_what_is_another_object(found, wanted, too_far):
    found = differences(detections(*found), detections(*wanted), (40, 40))
    assert exceeded(found).keys() == too_far


def test_the_worst_of_several_keeps_what_is_no_number():
    several = [{'logits': 1e-7}, {'logits': float('nan')}, {'logits': 2e-7}]
    assert np.isnan(worst_of(several)['logits'])
    assert worst_of(several[::2]) == {'logits': 2e-7}
    assert in_words({'boxes': 1.23e-7, 'labels': 0.0}) == 'boxes 1.2e-07, labels 0'
    assert exceeded({'logits': TOLERANCE}) == exceeded({'mask': 0.0005}) == {}


def with_masks(answer, sides, size=20):
    """Add square masks of these sides, each in a corner of its own, and the boxes around them."""
    masks = np.zeros((1, len(sides), size, size), bool)
    for i, side in enumerate(sides):
        masks[0, i, :side, i : i + side] = True
    return answer | {'masks': masks, 'boxes': boxes_around(masks[0])[None].astype(np.float32)}


def test_a_pixel_of_a_mask_may_flip_and_moves_the_box_around_it():
    wanted = with_masks(detections([0.9, 0.1], [1, 1]), [5, 6])
    found = {name: value.copy() for name, value in wanted.items()}
    found['masks'][0, 0, 19, 19] = True
    found['boxes'][0, 0] = [0, 0, 20, 20]
    assert max(differences(found, wanted, (20, 20)).values()) == 0
    found['boxes'][0, 0] = wanted['boxes'][0, 0]  # no longer that around the mask
    assert exceeded(differences(found, wanted, (20, 20))).keys() == {'boxes'}


def test_the_mask_of_a_small_object_is_compared_with_its_size():
    wanted = with_masks(detections([0.9, 0.1], [1, 1]), [2, 3], size=200)
    found = {name: value.copy() for name, value in wanted.items()}
    found['masks'][0, 0, 0, 0] = found['masks'][0, 0, 1, 1] = False  # 2 of 40000 pixels, 2 of 4
    differing = differences(found, wanted, (200, 200))
    assert differing == {'boxes': 0, 'scores': 0, 'labels': 0, 'masks': 0.25}
