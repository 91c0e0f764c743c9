"""Check the masks of objects in a COCO file before C code reads them.

pycocotools trusts what a file says: it may read and write beyond its memory, and walks along the
edges of a polygon in small steps, however long they are. mmdet stops at an object without a mask in
the middle of an epoch.
"""

from array import array
from itertools import chain
from typing import NamedTuple

import numpy as np
from pycocotools import mask as coco_mask

from ...errors import InputError
from ...utils.messages import cut, some
from ..loading.coco_masks import area_of, read_runs
from .coco_file import NUMBER, Table, read_coco
from .findings import BLOCK, fault_lines, joined

SHARED = 0.5  # least IoU of a mask's bounds with its box; below, one of the two is wrong
FARTHEST = 1e6  # pixels, of a corner from the image
FORMS = 'polygons [[x, y, x, y, ...], ...] or RLE {"size": [height, width], "counts": ...}'
EMPTY = 'masks of fewer than three points, or without a pixel in their image'
APART = 'masks that are not where their boxes are (both are in pixels)'


def outlines(masks: list) -> Table:
    """Return what :func:`check_masks` has to know of the masks of annotations, in two columns.

    ``segmentation`` has how many numbers the first polygon of a mask has, an RLE, the reason why a
    mask cannot be used, or None where there is none. ``bounds`` (A, 4) has x1, y1, x2, y2 around
    polygons of at least three points, zeros where there are none.
    """
    try:
        return _outlines(masks)
    except ValueError as error:
        if len(masks) == 1:
            return {'segmentation': [str(error)], 'bounds': np.zeros((1, 4))}
    middle = len(masks) // 2
    first = outlines(masks[:middle])
    second = outlines(masks[middle:])
    return {
        'segmentation': first['segmentation'] + second['segmentation'],
        'bounds': np.concatenate([first['bounds'], second['bounds']]),
    }


def _outlines(masks: list) -> Table:
    """Return the same; a ``ValueError`` says why the first mask cannot be used, or another one."""
    are_polygons = np.array([bool(mask) and not isinstance(mask, dict) for mask in masks], bool)
    polygons = [masks[row] for row in np.flatnonzero(are_polygons)]
    _require_polygons(polygons)
    whole = [[part for part in mask if len(part) >= 6 and len(part) % 2 == 0] for mask in polygons]
    flat = [*chain.from_iterable(chain.from_iterable(whole))]
    try:
        points = np.fromiter(flat, float, len(flat)).reshape(-1, 2)  # one mask after the other
    except OverflowError:  # a whole number of more than 308 digits
        points = np.array([np.nan])
    if not (abs(points) <= FARTHEST).all():  # NaN too
        raise ValueError('a corner is not a finite number, or is a million pixels away')
    counts = np.zeros(len(masks), int)
    counts[are_polygons] = [sum(map(len, parts)) // 2 for parts in whole]
    ends = counts.cumsum()
    bounds = np.zeros((len(masks), 4))
    if len(points):
        drawn = counts > 0
        starts = (ends - counts)[drawn]
        bounds[drawn, :2] = np.minimum.reduceat(points, starts)
        bounds[drawn, 2:] = np.maximum.reduceat(points, starts)
    kept = [
        _packed_runs(mask) if isinstance(mask, dict) else len(mask[0]) if mask else None
        for mask in masks
    ]
    return {'segmentation': kept, 'bounds': bounds}


def _packed_runs(mask: dict) -> dict:
    """Return an RLE whose counts are an array where possible: a quarter of a list's memory."""
    counts = mask.get('counts')
    if not isinstance(counts, list) or set(map(type, counts)) != {int}:
        return mask
    try:
        return {**mask, 'counts': array('q', counts)}
    except OverflowError:  # read_runs says what is wrong
        return mask


def check_masks(
    ann_file: str, images: Table, annotations: Table, read: np.ndarray, evaluated: bool
) -> list[str]:
    """Check the masks that will be read, and return warnings.

    Args:
        ann_file: the file, for messages.
        images, annotations: its tables, with the columns of :func:`outlines`.
        read: (A,) in bool, the annotations that are read; the others are not checked.
        evaluated: whether COCO evaluation reads them, which stops at polygons that mmdet leaves
            out.

    Raises:
        InputError: masks are missing, or cannot be used.
    """
    ids = annotations['id']
    masks = annotations['segmentation']
    rows = np.flatnonzero(read)
    _require_masks(ann_file, [ids[row] for row in rows if masks[row] is None], len(rows))
    row_of = {key: row for row, key in enumerate(images['id'])}
    owners = annotations['image_id']
    sizes = np.array([images['height'], images['width']]).astype(int).T  # (2, I) -> (I, 2)
    bounds = annotations['bounds']
    faults = {}
    for row in rows:
        mask = masks[row]
        try:
            if isinstance(mask, dict):
                bounds[row] = _bounds_of_runs(mask, *sizes[row_of[owners[row]]].tolist())
            elif isinstance(mask, str):
                raise ValueError(mask)
            elif evaluated and mask < 5:
                raise ValueError(
                    'its first polygon has fewer than 3 points, and COCO evaluation stops there'
                )
        except (ValueError, OverflowError) as error:
            faults[ids[row]] = error
    if faults:
        key, fault = next(iter(faults.items()))
        others = ''
        if len(faults) > 1:
            others = f' ({len(faults)} have this problem: ids {some(faults)})'
        raise InputError(
            f'{ann_file}: annotation {key}: the segmentation cannot be used: {fault}{others}. '
            'Correct it, or remove the annotation.'
        )
    in_parts = []
    for start in range(0, len(rows) or 1, BLOCK):
        part = rows[start : start + BLOCK]
        part_sizes = sizes[[row_of[owners[row]] for row in part]]
        in_parts.append(_doubts(bounds[part], annotations['bbox'][part], part_sizes))
    doubts = joined(in_parts)
    if len(rows) and doubts[EMPTY].all():
        raise InputError(
            f'{ann_file}: no usable mask: all {len(rows)} have fewer than three points, or no '
            f'pixel in their image. COCO masks are {FORMS}, in pixels.'
        )
    lines = {doubt: [ids[row] for row in rows[here]] for doubt, here in doubts.items()}
    return fault_lines(ann_file, lines)


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
    _require_polygons([mask])
    if any(len(part) % 2 for part in mask):
        raise ValueError('a polygon has an odd number of coordinates')
    _outlines([mask])
    limits = np.array([width, height])
    inside = [np.reshape(part, (-1, 2)).clip(0, limits).ravel().tolist() for part in mask]
    kept = [part for part in inside if len(part) >= 6 and area_of(part) > 0]
    moved = any(new != old for new, old in zip(inside, mask, strict=True) if new in kept)
    same = [old for new, old in zip(inside, mask, strict=True) if new in kept]
    return Usable(kept if moved else same, dropped=len(kept) < len(mask), cut=moved)


def _require_polygons(masks: list) -> None:
    """Require lists of polygons, each of which is a list of numbers; the first mask is named."""
    if not set(map(type, masks)) <= {list}:
        raise ValueError(f'it is {cut(masks[0])} and not {FORMS}')
    polygons = [*chain.from_iterable(masks)]
    are_lists = set(map(type, polygons)) <= {list}
    if not are_lists or set(map(type, chain.from_iterable(polygons))) - set(NUMBER):
        raise ValueError(f'it is {cut(masks[0])} and not {FORMS}')


def require_masks(ann_file: str) -> None:
    """Raise an ``InputError`` if COCO evaluation cannot read the masks of a file."""
    images, annotations, _ = read_coco(ann_file, outlines)
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


def _bounds_of_runs(mask: dict, height: int, width: int) -> list[float]:
    """Return x1, y1, x2, y2 of an RLE; a ``ValueError`` says why it cannot be used."""
    if isinstance(mask.get('counts'), array):
        mask = {**mask, 'counts': mask['counts'].tolist()}
    runs = {'size': [height, width], 'counts': read_runs(mask, height, width)}
    x, y, w, h = coco_mask.toBbox(coco_mask.frPyObjects(runs, height, width)).tolist()
    return [x, y, x + w, y + h]


def _doubts(bounds: np.ndarray, boxes: np.ndarray, sizes: np.ndarray) -> dict[str, np.ndarray]:
    """Return where something is suspicious (A,), by what it is.

    Args:
        bounds: of the masks, (A, 4) as x1, y1, x2, y2.
        boxes: (A, 4) as x, y, width, height.
        sizes: (A, 2) of their images, height and width.
    """
    start = np.maximum(bounds[:, :2], 0)
    end = np.minimum(bounds[:, 2:], sizes[:, ::-1])
    empty = (start >= end).any(1)
    inside = np.concatenate([start, end], axis=1)
    corners = np.concatenate([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]], axis=1)
    return {EMPTY: empty, APART: ~empty & (_iou(inside, corners) < SHARED)}


def _iou(ones: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the IoU (A,) of boxes (A, 4), each grown by a pixel, as small ones are rounded."""
    shared = np.minimum(ones[:, 2:], others[:, 2:]) - np.maximum(ones[:, :2], others[:, :2]) + 2
    both = np.maximum(shared, 0).prod(1)
    areas = sum((each[:, 2:] - each[:, :2] + 2).prod(1) for each in (ones, others))
    return both / (areas - both)
