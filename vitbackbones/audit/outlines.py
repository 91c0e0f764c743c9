"""Outlines of objects: which pools have them, and what is strange, spoiled or suggested of them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import cv2
import numpy as np
from pycocotools import mask as masks

from ..data.checks.coco_file import require_box
from ..data.checks.segmentations import usable_segmentation
from ..data.loading.coco_masks import area_of, to_mask, to_polygons
from ..data.own.pool import Pool

FULL = 0.95  # share of its bounds that a mask fills if it is only a box
DEPTH = 0.12  # of the sides of an object, by which its outline is moved, grown or shrunk


# ------------------------------------------------------------------------ labels


def with_outlines(pool: Pool) -> Pool:
    """Return the pool with polygons for each label, or as it is where most labels are boxes.

    Parts of polygons outside of an image are cut off. RLE and objects of several polygons become
    polygons that share no pixel. A label without a usable outline gets its box as one.

    Raises:
        InputError: such a label has no box either.
    """
    content = pool.content
    images = content['images']
    anns = [
        ann | {'segmentation': polygons_of(ann, images[ann['image_id']])}
        for ann in content['annotations']
    ]
    outlined = [_is_outlined(ann['segmentation']) for ann in anns if not ann['iscrowd']]
    if 2 * sum(outlined) < max(len(outlined), 1):
        return pool
    for ann in anns:
        if not ann['segmentation']:
            require_box(f'{pool.root}: annotation {ann["label_id"]}', ann.get('bbox'))
            ann['segmentation'] = [around(ann['bbox'])]
    return replace(pool, content=content | {'annotations': anns}, outlined=True)


def polygons_of(ann: dict, img: dict) -> list:
    """Return the polygons of an annotation that share no pixel, [] without a usable outline."""
    try:
        size = (img['height'], img['width'])
        found = usable_segmentation(ann['segmentation'], *size).mask
        is_simple = isinstance(found, list) and len(found) < 2
        return found if is_simple else to_polygons(to_mask(found, *size))
    except (KeyError, TypeError, ValueError, OverflowError):  # no image or mask has such values
        return []


def _is_outlined(polygons: Sequence[Sequence[float]]) -> bool:
    """Tell whether polygons are more than a box; [] are not."""
    points = np.concatenate([np.zeros(0), *polygons]).reshape(-1, 2)
    return bool(polygons) and sum(map(area_of, polygons)) < FULL * np.ptp(points, axis=0).prod()


def around(box: Sequence[float]) -> list[float]:
    """Return the polygon of a box x, y, width, height."""
    x, y, width, height = box
    return [x, y, x + width, y, x + width, y + height, x, y + height]


# ------------------------------------------------------------------------ faults


def cut_off(mask: np.ndarray, box: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return what is right of a line through a mask (H, W), or below it."""
    axis = int(rng.integers(2))  # of x or y
    line = math.ceil(box[axis] + box[2 + axis] * rng.uniform(0.3, 0.7))
    kept = mask.copy()
    kept.swapaxes(0, 1 - axis)[:line] = 0
    return kept


def moved(mask: np.ndarray, box: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a mask (H, W) at a place beside its own."""
    right, down = (rng.choice([-1, 1], 2) * DEPTH * box[2:]).round().astype(int)
    return np.roll(mask, (down, right), (0, 1))


def grown(mask: np.ndarray, box: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a mask (H, W) that is wider on all sides."""
    return cv2.dilate(mask, _kernel(box))


def shrunk(mask: np.ndarray, box: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a mask (H, W) that is narrower on all sides."""
    return cv2.erode(mask, _kernel(box))


def filled(mask: np.ndarray, box: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the mask (H, W) of a box."""
    return to_mask([around(box)], *mask.shape).astype(np.uint8)


Spoil = Callable[[np.ndarray, np.ndarray, np.random.Generator], np.ndarray]
WAYS: tuple[Spoil, ...] = (cut_off, moved, grown, shrunk, filled)


def _kernel(box: np.ndarray) -> np.ndarray:
    depth = max(round(DEPTH * float(box[2:].prod()) ** 0.5), 1)
    return np.ones((2 * depth + 1, 2 * depth + 1), np.uint8)


def spoiled(code: dict, rng: np.random.Generator) -> dict:
    """Return the RLE of a mask after one of the :data:`WAYS`."""
    way = WAYS[rng.integers(len(WAYS))]
    mask = way(masks.decode(code), masks.toBbox(code), rng)
    return masks.encode(np.asfortranarray(mask))


# ------------------------------------------------------------------------ suggestions


def suggested(code: dict, box: Sequence[float]) -> tuple[tuple[float, ...], ...]:
    """Return the polygons of a mask within a pixel of its outline; its box where it is empty."""
    rings = [np.reshape(ring, (-1, 1, 2)) for ring in to_polygons(masks.decode(code))]
    simple = [cv2.approxPolyDP(ring.astype(np.int32), 1, True).ravel() for ring in rings]
    found = [tuple(ring.tolist()) for ring in simple if len(ring) >= 6]
    return tuple(found) or (tuple(around(box)),)
