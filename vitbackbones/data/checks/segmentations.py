"""Check the masks of objects in a COCO file before C code reads them.

pycocotools trusts what a file says: it writes beyond its memory, and walks along the edges of a
polygon in steps of a fifth of a pixel, however long they are. mmdet leaves out polygons of fewer
than three points without a word, and stops at an object without a mask in the middle of an epoch.
"""

from collections.abc import Sequence
from itertools import chain

import numpy as np

from ...errors import InputError
from ...utils.messages import cut, some
from ..loading.coco_masks import bounds_of_runs, read_runs
from .coco_file import NUMBER, Table, read_coco
from .findings import fault_lines
from .pipelines import MAX_PIXELS

SHARED = 0.5  # least IoU of a mask's bounds with its box; below, one of the two is wrong
FARTHEST = 1e6  # pixels, of a corner from the image
LONGEST = 4e6  # pixels around all polygons of an object
FORMS = 'polygons [[x, y, x, y, ...], ...] or RLE {"size": [height, width], "counts": ...}'


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
    ids, column = annotations['id'], annotations['segmentation']
    rows = np.flatnonzero(read).tolist()
    _require_masks(ann_file, [ids[row] for row in rows if not column[row]], len(rows))
    sizes = _image_sizes(ann_file, images, annotations)
    bounds = np.zeros((len(ids), 4))  # x1, y1, x2, y2 of each mask
    coded = [row for row in rows if isinstance(column[row], dict)]
    faults = {}
    for row in coded:
        height, width = map(int, sizes[row])
        try:
            bounds[row] = bounds_of_runs(read_runs(column[row], height, width), height)
        except ValueError as error:
            faults[ids[row]] = str(error)
    _refuse(ann_file, faults)
    drawn = [row for row in rows if not isinstance(column[row], dict)]
    objects = [column[row] for row in drawn]
    _refuse(ann_file, _polygon_faults([ids[row] for row in drawn], objects, evaluated))
    bounds[drawn], is_short, around = measure_polygons(objects)
    endless = 'it takes millions of steps to go around its polygons'
    _refuse(ann_file, {ids[drawn[i]]: endless for i in np.flatnonzero(around > LONGEST)})
    bounds = bounds.clip(0, sizes[:, [1, 0, 1, 0]])
    has_pixels = (bounds[:, 2:] > bounds[:, :2]).all(1)
    if not has_pixels.any():
        raise InputError(
            f'{ann_file}: not one usable mask: all {len(rows)} are without a pixel in their image. '
            f'COCO masks are {FORMS}, in pixels.'
        )
    boxes = np.array(annotations['bbox'], np.float64)
    boxes[:, 2:] += boxes[:, :2]  # x, y, width, height -> x1, y1, x2, y2
    apart = has_pixels & (_shared(bounds, boxes) < SHARED)
    short = [ids[drawn[place]] for place in np.flatnonzero(is_short)]
    return fault_lines(
        ann_file,
        {
            'polygons of fewer than 3 points, or of an odd number of coordinates, left out': short,
            'masks without a pixel in their image': [ids[r] for r in rows if not has_pixels[r]],
            'masks that are not where their boxes are': [ids[row] for row in rows if apart[row]],
        },
    )


def require_masks(ann_file: str) -> None:
    """Raise an ``InputError`` if COCO evaluation cannot read the masks of a file."""
    images, annotations, _ = read_coco(ann_file)
    everything = np.ones(len(annotations['id']), bool)
    check_masks(ann_file, images, annotations, everything, evaluated=True)


def _require_masks(ann_file: str, bare: list, total: int) -> None:
    """Refuse a file in which some of ``total`` annotations, ``bare`` by id, are without a mask."""
    if not bare:
        return
    if len(bare) == total:
        raise InputError(
            f'{ann_file}: has only boxes, but the model needs masks: no annotation has a '
            '"segmentation". Annotate masks, or take a config without them, such as '
            'faster_rcnn in place of mask_rcnn (with_mask=False in the pipelines, '
            "metric='bbox')."
        )
    raise InputError(
        f'{ann_file}: {len(bare)} of {total} annotations have no "segmentation" (ids '
        f'{some(bare)}), at which a model with masks stops. Give each {FORMS}, or take the '
        'annotations out.'
    )


def _image_sizes(ann_file: str, images: Table, annotations: Table) -> np.ndarray:
    """Return height and width (A, 2) of the image of each annotation, if they are possible."""
    size = np.array([images['height'], images['width']], np.float64)  # (2, I)
    huge = [images['id'][row] for row in np.flatnonzero(size[0] * size[1] > MAX_PIXELS)]
    if huge:
        raise InputError(
            f'{ann_file}: width and height of the images {some(huge)} make more than {MAX_PIXELS} '
            'pixels, more than any image that is read. Correct them.'
        )
    row_of = {key: row for row, key in enumerate(images['id'])}
    return size.T[[row_of[key] for key in annotations['image_id']]]  # (2, I) -> (A, 2)


def _refuse(ann_file: str, faults: dict) -> None:
    """Raise for annotations with a fault, by their ids; the message names the first fault."""
    if faults:
        key, fault = next(iter(faults.items()))
        others = f' ({len(faults)} are like that: ids {some(faults)})' if len(faults) > 1 else ''
        raise InputError(
            f'{ann_file}: annotation {key}: the segmentation cannot be used: {fault}{others}. '
            'Correct it, or take the annotation out.'
        )


# ---------------------------------------------------------------------------- polygons


def _polygon_faults(ids: list, objects: list, evaluated: bool) -> dict:
    """Return the first kind of fault that makes polygons unusable, by the ids of annotations."""
    faults = {}
    if not _are_polygons(objects):
        pairs = zip(ids, objects, strict=True)
        strange = {key: each for key, each in pairs if not _are_polygons([each])}
        return {key: f'it is {cut(each)} and not {FORMS}' for key, each in strange.items()}
    for key, polygons in zip(ids, objects, strict=True):
        if not all(-FARTHEST <= each <= FARTHEST for polygon in polygons for each in polygon):
            faults[key] = 'a corner is not a finite number, or is a million pixels away'
    if faults or not evaluated:
        return faults
    stops = 'its first polygon has fewer than 3 points, at which COCO evaluation stops'
    return {key: stops for key, each in zip(ids, objects, strict=True) if len(each[0]) < 5}


def _are_polygons(objects: Sequence) -> bool:
    """Tell whether all objects are lists of lists of numbers."""
    if not set(map(type, objects)) <= {list}:
        return False
    parts = list(chain.from_iterable(objects))
    if not set(map(type, parts)) <= {list}:
        return False
    return set(map(type, chain.from_iterable(parts))) <= set(NUMBER)


def measure_polygons(objects: Sequence[list[list]]) -> tuple[np.ndarray, ...]:
    """Measure the polygons of N objects, all at once, as COCO has a million.

    Returns:
        Bounds (N, 4) as x1, y1, x2, y2 of the polygons with an area, all 0 where there are none;
        (N,) in bool whether an object has a polygon of fewer than 3 points, or of half a point; and
        the pixels (N,) around its polygons.
    """
    parts = [part for polygons in objects for part in polygons]
    owner = np.arange(len(objects)).repeat([len(polygons) for polygons in objects])  # (P,)
    length = np.array([len(part) for part in parts], int)  # (P,)
    whole = (length >= 6) & (length % 2 == 0)
    is_short = np.bincount(owner[~whole], minlength=len(objects)) > 0
    bounds = np.zeros((len(objects), 4))
    if not whole.any():
        return bounds, is_short, np.zeros(len(objects))
    flat = np.fromiter(chain.from_iterable(parts), np.float64)
    corners = flat[whole.repeat(length)].reshape(-1, 2)  # (2 K) -> (K, 2)
    end = (length[whole] // 2).cumsum()
    start = np.r_[0, end[:-1]]
    following = np.arange(1, len(corners) + 1)
    following[end - 1] = start  # the last corner of a polygon is joined to its first
    x, y = corners.T
    doubled = np.add.reduceat(x * y[following] - x[following] * y, start)  # shoelace formula
    has_area, owner = doubled != 0, owner[whole]
    steps = np.add.reduceat(np.abs(corners[following] - corners).max(1), start)
    around = np.bincount(owner, steps, len(objects))
    bounds[:, :2] = np.inf
    bounds[:, 2:] = -np.inf
    np.minimum.at(bounds[:, :2], owner[has_area], np.minimum.reduceat(corners, start)[has_area])
    np.maximum.at(bounds[:, 2:], owner[has_area], np.maximum.reduceat(corners, start)[has_area])
    bounds[np.isinf(bounds)] = 0
    return bounds, is_short, around


# ---------------------------------------------------------------------------- boxes


def _shared(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the IoU (A,) of boxes, each grown by a pixel, as small ones are rounded."""
    one, other = (box + [-1, -1, 1, 1] for box in (one, other))
    start, end = np.maximum(one[:, :2], other[:, :2]), np.minimum(one[:, 2:], other[:, 2:])
    both = (end - start).clip(0).prod(1)
    areas = [(box[:, 2:] - box[:, :2]).clip(0).prod(1) for box in (one, other)]
    return both / (areas[0] + areas[1] - both)
