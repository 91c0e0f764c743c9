"""Check the masks of objects in a COCO file before C code reads them.

pycocotools trusts what a file says: it may read and write beyond its memory, and walks along the
edges of a polygon in small steps, however long they are. mmdet stops at an object without a mask in
the middle of an epoch.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from pycocotools import mask as coco_mask

from ...errors import InputError
from ...utils.messages import cut, some
from ..loading.coco_masks import area_of, read_runs
from .coco_file import NUMBER, Table, read_coco
from .findings import fault_lines

SHARED = 0.5  # least IoU of a mask's bounds with its box; below, one of the two is wrong
FARTHEST = 1e6  # pixels, of a corner from the image
FORMS = 'polygons [[x, y, x, y, ...], ...] or RLE {"size": [height, width], "counts": ...}'
EMPTY = 'masks of fewer than three points, or without a pixel in their image'
APART = 'masks that are not where their boxes are (both are in pixels)'
Bounds = tuple[float, float, float, float]  # x1, y1, x2, y2


def check_masks(
    ann_file: str, images: Table, annotations: Table, read: np.ndarray, evaluated: bool
) -> list[str]:
    """Check the masks that will be read, and return warnings.

    Args:
        ann_file: the file, for messages.
        images, annotations: its tables.
        read: (A,) in bool, the annotations that are read; the others are not checked.
        evaluated: whether COCO evaluation reads them, which stops at polygons that mmdet leaves
            out.

    Raises:
        InputError: masks are missing, or cannot be used.
    """
    ids, masks = annotations['id'], annotations['segmentation']
    rows = np.flatnonzero(read).tolist()
    _require_masks(ann_file, [ids[row] for row in rows if not masks[row]], len(rows))
    sides = zip(map(int, images['height']), map(int, images['width']), strict=True)
    size_of = dict(zip(images['id'], sides, strict=True))
    faults = {}
    doubts = defaultdict(list)
    for row in rows:
        size = size_of[annotations['image_id'][row]]
        try:
            doubt = _doubt_of(masks[row], annotations['bbox'][row], *size, evaluated)
        except (ValueError, OverflowError) as error:
            faults[ids[row]] = error
            continue
        if doubt:
            doubts[doubt].append(ids[row])
    if faults:
        key, fault = next(iter(faults.items()))
        others = ''
        if len(faults) > 1:
            others = f' ({len(faults)} have this problem: ids {some(faults)})'
        raise InputError(
            f'{ann_file}: annotation {key}: the segmentation cannot be used: {fault}{others}. '
            'Correct it, or remove the annotation.'
        )
    if len(doubts[EMPTY]) == len(rows):
        raise InputError(
            f'{ann_file}: no usable mask: all {len(rows)} have fewer than three points, or no '
            f'pixel in their image. COCO masks are {FORMS}, in pixels.'
        )
    return fault_lines(ann_file, doubts)


class Usable(NamedTuple):
    """A mask as polygons or RLE, [] without any; whether parts were dropped, or cut at an edge."""

    mask: list | dict
    dropped: bool = False
    cut: bool = False


def usable_segmentation(mask: object, height: int, width: int) -> Usable:
    """Return what can be used of the mask of an annotation, for an image of this size.

    Polygons of fewer than three points, or without an area in the image, are dropped.

    Raises:
        ValueError, OverflowError: it is no mask of this image.
    """
    if mask is None or mask == []:
        return Usable([])
    if isinstance(mask, dict):
        runs = read_runs(mask, height, width)
        return Usable(mask) if any(runs[1::2]) else Usable([], dropped=True)
    _require_polygons(mask)
    if any(len(part) % 2 for part in mask):
        raise ValueError('a polygon has an odd number of coordinates')
    _bounds_of_polygons(mask)
    limits = np.array([width, height])
    inside = [np.reshape(part, (-1, 2)).clip(0, limits).ravel().tolist() for part in mask]
    kept = [part for part in inside if len(part) >= 6 and area_of(part) > 0]
    moved = any(new != old for new, old in zip(inside, mask, strict=True) if new in kept)
    same = [old for new, old in zip(inside, mask, strict=True) if new in kept]
    return Usable(kept if moved else same, dropped=len(kept) < len(mask), cut=moved)


def _require_polygons(mask: object) -> None:
    is_nested = isinstance(mask, list) and set(map(type, mask)) == {list}
    if not is_nested or set(map(type, chain.from_iterable(mask))) - set(NUMBER):
        raise ValueError(f'it is {cut(mask)} and not {FORMS}')


def require_masks(ann_file: str) -> None:
    """Raise an ``InputError`` if COCO evaluation cannot read the masks of a file."""
    images, annotations, _ = read_coco(ann_file)
    everything = np.ones(len(annotations['id']), bool)
    check_masks(ann_file, images, annotations, everything, evaluated=True)


def _require_masks(ann_file: str, bare: list, total: int) -> None:
    """Refuse a file in which some of ``total`` annotations, ``bare`` by id, are without a mask."""
    if not bare:
        return
    fault = f'{len(bare)} of {total} annotations have no "segmentation" (ids {some(bare)})'
    if len(bare) == total:
        fault = 'has only boxes: no annotation has a "segmentation"'
    raise InputError(
        f'{ann_file}: {fault}, but the model requires masks. Give each {FORMS}, or use a config '
        'without masks, such as quick_detector instead of quick_instance (with_mask=False, '
        "metric='bbox')."
    )


def _doubt_of(mask: object, box: Sequence[float], height: int, width: int, evaluated: bool) -> str:
    """Return what is suspicious of a mask; a ``ValueError`` says why it cannot be used."""
    if isinstance(mask, dict):
        runs = {'size': [height, width], 'counts': read_runs(mask, height, width)}
        x, y, w, h = coco_mask.toBbox(coco_mask.frPyObjects(runs, height, width)).tolist()
        bounds = x, y, x + w, y + h
    else:
        _require_polygons(mask)
        whole = [part for part in mask if len(part) >= 6 and len(part) % 2 == 0]
        if evaluated and len(mask[0]) < 5:
            raise ValueError(
                'its first polygon has fewer than 3 points, and COCO evaluation stops there'
            )
        bounds = _bounds_of_polygons(whole)
    x1, y1, x2, y2 = bounds
    inside = max(x1, 0), max(y1, 0), min(x2, width), min(y2, height)
    if inside[0] >= inside[2] or inside[1] >= inside[3]:
        return EMPTY
    x, y, w, h = box
    return APART if _iou(inside, (x, y, x + w, y + h)) < SHARED else ''


def _bounds_of_polygons(polygons: Sequence[list[float]]) -> Bounds:
    x = list(chain.from_iterable(part[::2] for part in polygons))
    y = list(chain.from_iterable(part[1::2] for part in polygons))
    if not polygons:
        return 0, 0, 0, 0
    bounds = min(x), min(y), max(x), max(y)
    if max(map(abs, bounds)) > FARTHEST or not math.isfinite(sum(x) + sum(y)):
        raise ValueError('a corner is not a finite number, or is a million pixels away')
    return bounds


def _iou(one: Bounds, other: Bounds) -> float:
    """Return the IoU of boxes, each grown by a pixel, as small ones are rounded."""
    width = min(one[2], other[2]) - max(one[0], other[0]) + 2
    height = min(one[3], other[3]) - max(one[1], other[1]) + 2
    both = max(width, 0) * max(height, 0)
    areas = sum((x2 - x1 + 2) * (y2 - y1 + 2) for x1, y1, x2, y2 in (one, other))
    return both / (areas - both)
