"""Masks of objects as COCO writes them: polygons, and the lengths of runs (RLE).

Both are exact: pycocotools draws the very mask from either.
"""

import cv2
import numpy as np
from pycocotools import mask as coco_mask


def to_rle(mask: np.ndarray) -> dict:
    """Return a mask (H, W) as compressed RLE that JSON can hold."""
    code = coco_mask.encode(np.asfortranarray(mask, np.uint8))
    return code | {'counts': code['counts'].decode()}


def to_polygons(mask: np.ndarray) -> list[list[int]]:
    """Return a mask (H, W) as polygons [x, y, x, y, ...] along the edges of its pixels.

    Each part of the mask is one polygon. COCO joins the polygons of an object, so a hole cannot be
    one of them: it is joined to the outline around it by a cut without width. An empty mask has no
    polygon.
    """
    # A contour runs through centers of pixels. At twice the size those of the outermost quarters
    # are a quarter inside of the edges, to which (position + 1) // 2 moves them.
    double = mask.astype(np.uint8).repeat(2, axis=0).repeat(2, axis=1)  # (2H, 2W)
    outlines, tree = cv2.findContours(double, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    rings = [_without_repeats((outline[:, 0] + 1) // 2) for outline in outlines]
    polygons = []
    for place, ring in enumerate(rings):
        _, _, hole, around = tree[0, place]
        if around >= 0:  # itself a hole
            continue
        path = [ring]
        while hole >= 0:
            path += [ring[:1], rings[hole], rings[hole][:1]]
            hole = tree[0, hole, 0]  # the next one in the same outline
        polygons.append(np.concatenate(path).ravel().tolist())
    return polygons


def _without_repeats(ring: np.ndarray) -> np.ndarray:
    """Leave out corners (K, 2) that equal the one before: contours cut corners that turn inward."""
    return ring[(ring != np.roll(ring, 1, axis=0)).any(1)]


def box_around(mask: np.ndarray) -> list[int]:
    """Return x1, y1, x2, y2 around the pixels of a mask (H, W) that is not empty."""
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    return [int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1]


def to_mask(segmentation: list | dict, height: int, width: int) -> np.ndarray:
    """Return the mask (H, W) in bool of sound polygons or RLE, compressed or not."""
    code = segmentation
    if isinstance(code, list):
        code = coco_mask.merge(coco_mask.frPyObjects(code, height, width))
    elif isinstance(code['counts'], list):
        code = coco_mask.frPyObjects(code, height, width)
    return coco_mask.decode(code).astype(bool)
