"""Masks of objects as COCO writes them: polygons, and the lengths of runs (RLE).

Both are exact: pycocotools draws the very mask from either. It is imported to read them alone.
"""

import cv2
import numpy as np


def to_rle(mask: np.ndarray) -> dict:
    """Return a mask (H, W) as compressed RLE that JSON can hold."""
    return {'size': list(mask.shape), 'counts': _letters(_runs(mask.astype(bool)))}


def _runs(mask: np.ndarray) -> np.ndarray:
    """Return how many pixels are outside, inside, outside, ..., column after column."""
    pixels = mask.ravel(order='F')
    changes = np.flatnonzero(pixels[1:] != pixels[:-1]) + 1
    outside_is_empty = [0] if pixels[0] else []
    return np.diff(np.concatenate([[0], outside_is_empty, changes, [pixels.size]]).astype(int))


def _letters(runs: np.ndarray) -> str:
    """Write run lengths as COCO compresses them.

    From the fourth on, what is written is the difference to the run before the last. A number has
    one letter for each 5 bits, lowest first, as many as keep its sign; the sixth bit says that
    another one follows.
    """
    rest = runs.copy()
    rest[3:] -= runs[1:-2]
    letters, going = [], np.ones(len(rest), bool)
    while going.any():
        low, rest = rest & 31, rest >> 5
        more = going & (rest != np.where(low & 16, -1, 0))
        letters.append(np.where(going, 48 + low + 32 * more, 0))
        going = more
    written = np.stack(letters, axis=1)  # (runs, letters), 0 behind the last of a number
    return written[written > 0].astype(np.uint8).tobytes().decode()


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
    from pycocotools import mask as coco_mask

    code = segmentation
    if isinstance(code, list):
        code = coco_mask.merge(coco_mask.frPyObjects(code, height, width))
    elif isinstance(code['counts'], list):
        code = coco_mask.frPyObjects(code, height, width)
    return coco_mask.decode(code).astype(bool)
