"""Masks as COCO writes them: exact, whatever their form."""

import numpy as np
from pycocotools import mask as coco_mask

from vitbackbones.datasets.shapes_annotations import segmentation, segments
from vitbackbones.datasets.shapes_scene import Scene, Shape


def two_parts_and_a_diagonal():
    mask = np.zeros((12, 17), bool)
    mask[2:5, 1:9] = mask[8, 3] = mask[9, 4] = True
    mask[11, 10:] = True
    return mask


def test_every_part_of_a_mask_is_a_polygon_along_its_pixels():
    mask = two_parts_and_a_diagonal()
    polygons = segmentation(mask)
    assert len(polygons) == 3
    assert [1, 2, 1, 5, 9, 5, 9, 2] in polygons
    decoded = coco_mask.decode(coco_mask.merge(coco_mask.frPyObjects(polygons, *mask.shape)))
    assert np.array_equal(decoded.astype(bool), mask)


def test_a_mask_with_a_hole_is_rle():
    mask = np.ones((6, 5), bool)
    mask[2, 3] = False
    assert np.array_equal(coco_mask.decode(segmentation(mask)).astype(bool), mask)


def test_a_picture_that_is_filled_has_no_ground():
    full = np.ones((4, 4), bool)
    scene = Scene(np.zeros((4, 4, 3), np.uint8), ~full, [Shape(2, np.zeros((3, 2)), full)])
    ids, infos = segments(scene, ['a', 'b'])
    assert np.array_equal(ids, full)
    box = [0, 0, 4, 4]
    assert infos == [{'id': 1, 'category_id': 1, 'area': 16, 'bbox': box, 'iscrowd': 0}]
