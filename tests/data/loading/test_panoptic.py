"""Numbers of segments as colors, and back."""

import numpy as np

from vitbackbones.data.loading.panoptic import from_mmdet, to_colors, to_ids


def test_a_number_is_spread_over_red_green_and_blue():
    ids = np.array([[0, 255, 256], [8345037, 2**24 - 1, 65536]])
    colors = to_colors(ids)
    assert colors.dtype == np.uint8
    assert colors[1, 0].tolist() == [8345037 % 256, 8345037 // 256 % 256, 8345037 // 65536]
    assert np.array_equal(to_ids(colors), ids)


def test_segments_of_a_model_are_numbered_from_1():
    found = np.array([[4, 2001, 1001], [3, 3, 1001]])  # void, things of label 1, stuff of label 3
    ids, labels, are_things = from_mmdet(found, classes=4)
    assert ids.tolist() == [[0, 3, 2], [1, 1, 2]]
    assert labels == [3, 1, 1]
    assert are_things == [False, True, True]


def test_a_model_that_found_nothing():
    ids, labels, _ = from_mmdet(np.full((2, 3), 4), classes=4)
    assert not ids.any()
    assert labels == []
