"""Masks in COCO's forms, and back through pycocotools: exact."""

import json

import cv2
import numpy as np
import pytest

from vitbackbones.data.loading.coco_masks import to_mask, to_polygons, to_rle


def blobs(seed):
    """A mask of many parts, with holes, and parts in the holes."""
    noise = np.random.default_rng(seed).random((40, 37))
    return cv2.GaussianBlur(noise, (0, 0), 0.5 + seed / 10) > 0.5


@pytest.mark.parametrize('form', [to_polygons, to_rle])
def test_any_mask_is_said_exactly(form):
    for seed in range(30):
        mask = blobs(seed)
        said = json.loads(json.dumps(form(mask)))
        assert np.array_equal(to_mask(said, *mask.shape), mask)


def test_every_part_is_a_polygon_along_its_pixels():
    mask = np.zeros((12, 17), bool)
    mask[2:5, 1:9] = mask[11, 10:] = True
    assert to_polygons(mask) == [[10, 11, 10, 12, 17, 12, 17, 11], [1, 2, 1, 5, 9, 5, 9, 2]]


def test_corners_are_written_once():
    mask = np.ones((4, 4), bool)
    mask[0, 0] = False
    assert len(to_polygons(mask)[0]) == 2 * 6


def test_an_empty_mask():
    mask = np.zeros((3, 4), bool)
    assert to_polygons(mask) == []
    assert np.array_equal(to_mask(to_rle(mask), 3, 4), mask)


def test_run_lengths_that_are_not_compressed():
    assert to_mask({'size': [2, 2], 'counts': [1, 2, 1]}, 2, 2).tolist() == [[0, 1], [1, 0]]
