"""Masks in COCO's forms, and back: exact, and no run lengths that C code would trust in vain."""

import json

import cv2
import numpy as np
import pytest

from vitbackbones.data.loading.coco_masks import (
    from_mmdet,
    read_runs,
    to_colors,
    to_ids,
    to_mask,
    to_polygons,
)
from vitbackbones.runtime.run_lengths import to_rle


def blobs(seed):
    """A mask of many parts, with holes, and parts in the holes."""
    noise = np.random.default_rng(seed).random((40, 37))
    noise = cv2.GaussianBlur(noise, (0, 0), 0.5 + seed / 10)
    return noise > np.quantile(noise, (seed + 1) / 32)


@pytest.mark.parametrize('seed', range(0, 30, 3))
def test_any_mask_is_said_exactly(seed):
    mask = blobs(seed)
    for form in (to_polygons, to_rle):
        said = json.loads(json.dumps(form(mask)))
        assert np.array_equal(to_mask(said, *mask.shape), mask)


def test_every_part_is_a_polygon_along_its_pixels():
    mask = np.zeros((12, 17), bool)
    mask[2:5, 1:9] = mask[11, 10:] = True
    assert to_polygons(mask) == [[10, 11, 10, 12, 17, 12, 17, 11], [1, 2, 1, 5, 9, 5, 9, 2]]
    mask = np.ones((4, 4), bool)
    mask[0, 0] = False
    assert len(to_polygons(mask)[0]) == 2 * 6  # each corner once


def test_run_lengths_that_are_not_compressed():
    assert read_runs({'size': [2, 3], 'counts': [1, 2, 3]}, 2, 3) == [1, 2, 3]
    assert to_mask({'size': [2, 2], 'counts': [1, 2, 1]}, 2, 2).tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ('size', 'counts', 'message'),
    [
        ([3, 2], [6], r"its 'size' is \[3, 2\], but the size of the image is \[2, 3\]"),
        ([2, 3], None, "its 'counts' is None, but must be text or a list"),
        ([2, 3], [], 'its runs add up to 0, but the image has 6 pixels'),
        ([2, 3], [8, -2], 'a run is negative'),
        ([2, 3], '1P', 'truncated, or contain a character that RLE does'),
        ([2, 3], 'oooooooooo1', 'truncated, or contain a character'),
        ([2, 3], '/6', 'truncated, or contain a character'),
        ([2, 3], 'ooooo?' * 20, f'its runs add up to {101 * (2**29 - 1)}'),
        ([2, 3], '1O', 'a run is negative'),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_stands_for_no_mask_is_refused(size, counts, message):
    with pytest.raises(ValueError, match=message):
        read_runs({'size': size, 'counts': counts}, 2, 3)


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
