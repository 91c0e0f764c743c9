"""Masks as COCO writes them: polygons, run lengths (RLE), and panoptic images.

The first two are exact: pycocotools draws the same mask from either. Its C code trusts what a file
says and may read and write beyond its memory, so :func:`read_runs` reads run lengths of unknown
origin first. What is written here needs no pycocotools, as exported files are used without; run
lengths are written by :mod:`vitbackbones.runtime.run_lengths`, which says how.

In a panoptic image the color of a pixel, red + 256 green + 65536 blue, is the id of its segment. A
JSON file beside the image gives the category of each id. Id 0 is void: nothing is annotated there.
mmdet's models predict the label plus 1000 times the number of a thing among all things; the label
after the last class means that nothing was found.
"""

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np

from ...runtime.run_lengths import to_rle as to_rle  # its place in 1.0
from ...utils.messages import cut

VOID = 0  # COCO's number of pixels that belong to no segment
OFFSET = 1000  # mmdet's INSTANCE_OFFSET
MOST_DIGITS = 6  # of a number: 30 bits, more than any image has pixels


# ---------------------------------------------------------------------------- run lengths


def read_runs(code: dict, height: int, width: int) -> list[int]:
    """Return the lengths of runs of an RLE, compressed or not.

    Args:
        code: what stands in a file for the mask of an image of this size.

    Raises:
        ValueError: says why the code stands for no mask of this image.
    """
    size, counts = code.get('size'), code.get('counts')
    if size != [height, width]:
        raise ValueError(
            f"its 'size' is {cut(size)}, but the size of the image is {[height, width]}"
        )
    if isinstance(counts, str):
        lengths = _decompressed(counts)
        runs = lengths.tolist()
        least = lengths.min()
        total = int(lengths.sum(dtype=np.float64))  # integers could wrap around
    elif not isinstance(counts, list) or set(map(type, counts)) - {int}:
        raise ValueError(f"its 'counts' is {cut(counts)}, but must be text or a list of integers")
    else:
        runs = counts
        least = min(runs, default=0)
        total = sum(runs)
    if least < 0:
        raise ValueError('a run is negative')
    if total != height * width:
        raise ValueError(
            f'its runs add up to {cut(total)}, but the image has {height * width} pixels'
        )
    return runs


def _decompressed(counts: str) -> np.ndarray:
    """Return the lengths of runs that letters stand for, see :mod:`...runtime.run_lengths`."""
    letters = np.frombuffer(counts.encode(errors='surrogatepass'), np.uint8)
    digits = letters - np.uint8(ord('0'))  # a letter before 0 becomes a large number
    ends = np.flatnonzero(digits < 32)  # of numbers
    starts = np.concatenate([[0], ends + 1])[:-1]
    sizes = ends - starts + 1  # in digits
    is_right = len(ends) and ends[-1] == len(digits) - 1 and sizes.max() <= MOST_DIGITS
    if not is_right or digits.max() > 63:
        raise ValueError(
            'its compressed counts are truncated, or contain a character that RLE does not use'
        )
    values = (digits & 31).astype(np.int64)
    runs = values[starts]
    for place in range(1, sizes.max()):  # most numbers have one digit
        longer = np.flatnonzero(sizes > place)
        runs[longer] += values[starts[longer] + place] << 5 * place
    negative = np.flatnonzero(digits[ends] & 16)
    runs[negative] -= 1 << 5 * sizes[negative]  # two's complement
    for first in (1, 2):  # each is written as its difference from the last but one
        runs[first::2] = runs[first::2].cumsum()
    return runs


# ---------------------------------------------------------------------------- masks


def to_polygons(mask: np.ndarray) -> list[list[int]]:
    """Return a mask (H, W) as polygons [x, y, x, y, ...] along the edges of its pixels.

    Each part of the mask is one polygon. COCO joins the polygons of an object, so a hole cannot be
    one of them: it is joined to the outline around it by a cut without width. An empty mask has no
    polygon.
    """
    if not mask.any():
        return []
    left, top, right, bottom = box_around(mask)  # most objects are small in their picture
    part = mask[top:bottom, left:right].astype(np.uint8)  # (h, w)
    # A contour runs through centers of pixels. At twice the size those of the outermost quarters
    # are a quarter inside of the edges, to which (position + 1) // 2 moves them.
    double = part.repeat(2, axis=0).repeat(2, axis=1)  # (2h, 2w)
    outlines, tree = cv2.findContours(double, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    points = (np.concatenate(outlines)[:, 0] + 1) // 2 + (left, top)  # (K, 1, 2) -> (K, 2)
    sizes = np.array([len(outline) for outline in outlines])
    starts = sizes.cumsum() - sizes
    before = np.arange(len(points)) - 1
    before[starts] += sizes  # an outline is closed
    # contours cut corners that turn inward: two of them become one
    kept = (points != points[before]).any(1)
    ends = 2 * np.add.reduceat(kept, starts, dtype=int).cumsum()
    numbers = points[kept].ravel().tolist()
    rings = [numbers[i:j] for i, j in zip([0, *ends], ends, strict=False)]
    links = tree[0].tolist()
    polygons = []
    for ring, (_, _, hole, around) in zip(rings, links, strict=True):
        if around >= 0:  # itself a hole
            continue
        path = [*ring]
        while hole >= 0:
            path += ring[:2] + rings[hole] + rings[hole][:2]
            hole, *_ = links[hole]  # the next one in the same outline
        polygons.append(path)
    return polygons


def area_of(polygon: Sequence[float]) -> float:
    """Return the area of a polygon x, y, x, y ... by the shoelace formula."""
    x, y = polygon[::2], polygon[1::2]
    return abs(sum(x[i - 1] * y[i] - x[i] * y[i - 1] for i in range(len(x)))) / 2


def box_around(mask: np.ndarray) -> list[int]:
    """Return x1, y1, x2, y2 around the pixels of a mask (H, W) that is not empty."""
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    return [int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1]


def to_mask(segmentation: list | dict, height: int, width: int) -> np.ndarray:
    """Return the mask (H, W) in bool of sound polygons or RLE, compressed or not."""
    from pycocotools import mask as coco_mask

    return coco_mask.decode(to_code(segmentation, height, width)).astype(bool)


def to_code(segmentation: list | dict, height: int, width: int) -> dict:
    """Return the compressed RLE of sound polygons or RLE."""
    from pycocotools import mask as coco_mask

    if isinstance(segmentation, list):
        return coco_mask.merge(coco_mask.frPyObjects(segmentation, height, width))
    if isinstance(segmentation['counts'], list):
        return coco_mask.frPyObjects(segmentation, height, width)
    return segmentation


# ---------------------------------------------------------------------------- panoptic


class Segments(NamedTuple):
    """Numbers (H, W) in COCO's way; label and whether it is a thing, of segment 1, 2, ..."""

    ids: np.ndarray
    labels: list[int]
    are_things: list[bool]


def to_colors(ids: np.ndarray) -> np.ndarray:
    """Return the colors (H, W, 3), red first, of segment numbers (H, W) below 2^24."""
    return np.stack([ids % 256, ids // 256 % 256, ids // 65536], axis=-1).astype(np.uint8)


def to_ids(colors: np.ndarray) -> np.ndarray:
    """Return the segment numbers (H, W) of colors (H, W, 3), red first."""
    return colors.astype(np.int32) @ np.array([1, 256, 65536], np.int32)


def from_mmdet(found: np.ndarray, classes: int) -> Segments:
    """Number the segments that a model of so many classes found, (H, W) in mmdet's way, from 1."""
    numbers, places = np.unique(found, return_inverse=True)
    kept = numbers % OFFSET < classes
    ids = np.where(kept, np.cumsum(kept), VOID)[places].reshape(found.shape)
    numbers = numbers[kept]
    return Segments(ids, (numbers % OFFSET).tolist(), (numbers >= OFFSET).tolist())
