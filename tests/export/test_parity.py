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


def test_numbers_are_compared_with_the_largest():
    found = differences({'logits': np.array([4.0, 1.1])}, {'logits': np.array([4.0, 1.0])}, (8, 8))
    assert found['logits'] == pytest.approx(0.025)


@pytest.mark.parametrize('spoiled', [np.zeros(3), np.array([np.nan, 0.0])], ids=['shape', 'nan'])
def test_another_shape_or_what_is_no_number_is_too_far(spoiled):
    found = differences({'logits': spoiled}, {'logits': np.zeros(2)}, (8, 8))
    assert exceeded(found).keys() == {'logits'}


def test_masks_are_compared_by_the_share_of_pixels():
    wanted = np.zeros((1, 10, 10), np.uint8)
    found = wanted.copy()
    found[0, 0, 0] = 1
    assert differences({'mask': found}, {'mask': wanted}, (10, 10)) == {'mask': 0.01}
    assert exceeded({'mask': 0.01}) == {'mask': 0.01}
    assert exceeded({'mask': 0.0005}) == {}


def test_boxes_are_compared_with_the_longer_side():
    found = differences(
        detections([0.9, 0.1], [1, 1], left=0.5), detections([0.9, 0.1], [1, 1]), (40, 50)
    )
    assert found == {'boxes': pytest.approx(0.01), 'scores': 0, 'labels': 0}


def test_equal_scores_may_change_places():
    wanted = detections([0.9, 0.9, 0.1], [1, 2, -1])
    found = {name: value[:, [1, 0, 2]] for name, value in wanted.items()}
    assert max(differences(found, wanted, (40, 40)).values()) == 0


def test_another_label_is_seen():
    found = differences(detections([0.9, 0.1], [2, 0]), detections([0.9, 0.1], [1, 0]), (40, 40))
    assert exceeded(found).keys() == {'labels'}


def test_the_worst_of_several_keeps_what_is_no_number():
    several = [{'logits': 1e-7}, {'logits': float('nan')}, {'logits': 2e-7}]
    assert np.isnan(worst_of(several)['logits'])
    assert worst_of(several[::2]) == {'logits': 2e-7}
    assert in_words({'boxes': 1.23e-7, 'labels': 0.0}) == 'boxes 1.2e-07, labels 0'
    assert exceeded({'logits': TOLERANCE}) == {}


def with_masks(answer, sides, size=20):
    """Add square masks of these sides, each in a corner of its own, and the boxes around them."""
    masks = np.zeros((1, len(sides), size, size), bool)
    for i, side in enumerate(sides):
        masks[0, i, :side, i : i + side] = True
    return answer | {'masks': masks, 'boxes': boxes_around(masks[0])[None].astype(np.float32)}


def test_the_only_object_of_a_list_is_compared():
    found, wanted = detections([0.9], [1], left=0.5), detections([0.9], [1])
    assert differences(found, wanted, (40, 50))['boxes'] == pytest.approx(0.01)


def test_objects_of_one_score_are_compared():
    found, wanted = detections([0.5, 0.5], [1, 2], left=0.5), detections([0.5, 0.5], [1, 2])
    assert exceeded(differences(found, wanted, (40, 40))).keys() == {'boxes'}


def test_the_last_place_of_a_full_list_may_go_to_another_of_its_score():
    found, wanted = detections([0.9, 0.5], [1, 2]), detections([0.9, 0.5], [1, 0])
    assert exceeded(differences(found, wanted, (40, 40))) == {}
    found, wanted = (detections([0.9, score, 0], [1, 2, -1]) for score in (0.5, 0.6))
    assert exceeded(differences(found, wanted, (40, 40))).keys() == {'scores', 'labels'}


def test_no_object_of_a_list_with_free_places_may_be_another():
    found, wanted = (detections([0.9, 5e-5, 0], [1, label, -1]) for label in (0, 2))
    assert exceeded(differences(found, wanted, (40, 40))).keys() == {'labels'}


def test_places_without_an_object_are_not_compared():
    found, wanted = (detections([0.9, 0], [1, -1]) for _ in range(2))
    found['boxes'][0, 1] += 5
    assert max(differences(found, wanted, (40, 40)).values()) == 0


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
