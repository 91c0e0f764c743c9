"""Check the masks of objects in a COCO file before C code reads them.

pycocotools trusts what a file says: it writes beyond its memory, or walks along a polygon for
minutes. mmdet leaves out polygons of fewer than three points without a word, and stops at an object
without a mask in the middle of an epoch.
"""

from collections.abc import Sequence

import numpy as np

from ...errors import InputError
from ...utils.messages import cut, some
from .coco_file import Table, read_coco
from .pipelines import MAX_PIXELS
from .polygons import are_numbers, read_polygons
from .run_lengths import bounds, read_runs

SHARED = 0.5  # least IoU of a mask's bounds with its box; below, one of the two is wrong
ENDLESS = 'a corner is no finite number or a million pixels away, or it takes millions to go around'
STOPS = 'its first polygon has fewer than 3 points, at which COCO evaluation stops'
FORMS = 'polygons [[x, y, x, y, ...], ...] or RLE {"size": [height, width], "counts": ...}'


def check_masks(
    ann_file: str, images: Table, annotations: Table, read: np.ndarray, evaluated: bool
) -> list[str]:
    """Check the masks that will be read, and return warnings.

    Args:
        ann_file: the file, for messages.
        images, annotations: its tables.
        read: (A,) in bool, the annotations that are read; of the others nothing is asked.
        evaluated: whether COCO evaluation reads them, which stops at polygons that mmdet leaves
            out.

    Raises:
        InputError: masks are missing, or cannot be used.
    """
    ids, column = annotations['id'], annotations['segmentation']
    rows = np.flatnonzero(read).tolist()
    _require_masks(ann_file, ids, column, rows)
    sizes = _image_sizes(ann_file, images, annotations)
    found, short = _bounds(ann_file, ids, column, rows, sizes, evaluated)
    has_pixels = (found[:, 2:] > found[:, :2]).all(1)
    if not has_pixels.any():
        raise InputError(
            f'{ann_file}: not one usable mask: all {len(rows)} are without a pixel in their image. '
            f'COCO masks are {FORMS}, in pixels.'
        )
    apart = _shared(found, _corners(annotations['bbox'])) < SHARED
    faults = {
        'polygons of fewer than 3 points, or of an odd number of coordinates, left out': short,
        'masks without a pixel in their image': [row for row in rows if not has_pixels[row]],
        'masks that are not where their boxes are': [
            row for row in rows if has_pixels[row] and apart[row]
        ],
    }
    return [
        f'{ann_file}: {fault}: {len(bad)} (annotation ids {some(ids[row] for row in bad)})'
        for fault, bad in faults.items()
        if bad
    ]


def require_masks(ann_file: str) -> None:
    """Require that COCO evaluation can read the masks of a file.

    Raises:
        InputError: it cannot.
    """
    images, annotations, _ = read_coco(ann_file)
    everything = np.ones(len(annotations['id']), bool)
    check_masks(ann_file, images, annotations, everything, evaluated=True)


def _require_masks(ann_file: str, ids: list, column: list, rows: Sequence[int]) -> None:
    bare = [ids[row] for row in rows if not column[row]]
    if not bare:
        return
    if len(bare) == len(rows):
        raise InputError(
            f'{ann_file}: has boxes alone, and the model wants masks: no annotation has a '
            '"segmentation". Annotate masks, or take a config without them, such as '
            'faster_rcnn in place of mask_rcnn (with_mask=False in the pipelines, '
            "metric='bbox')."
        )
    raise InputError(
        f'{ann_file}: {len(bare)} of {len(rows)} annotations have no "segmentation" (ids '
        f'{some(bare)}), at which a model with masks stops. Give each {FORMS}, or take the '
        'annotations out.'
    )


def _image_sizes(ann_file: str, images: Table, annotations: Table) -> np.ndarray:
    """Return height and width (A, 2) of the image of each annotation.

    Raises:
        InputError: one has more pixels than any image that can be read.
    """
    size = np.array([images['height'], images['width']], np.float64)  # (2, I)
    huge = [images['id'][row] for row in np.flatnonzero(size[0] * size[1] > MAX_PIXELS)]
    if huge:
        raise InputError(
            f'{ann_file}: width and height of the images {some(huge)} make more than {MAX_PIXELS} '
            'pixels, more than any image that is read. Correct them.'
        )
    row_of = {key: row for row, key in enumerate(images['id'])}
    rows = [row_of[key] for key in annotations['image_id']]
    return size.T[rows]


def _bounds(
    ann_file: str,
    ids: list,
    column: list,
    rows: Sequence[int],
    sizes: np.ndarray,
    evaluated: bool,
) -> tuple[np.ndarray, list[int]]:
    """Return x1, y1, x2, y2 (A, 4) of masks in their images, and rows that lose polygons."""
    found = np.zeros((len(ids), 4))
    coded = [row for row in rows if isinstance(column[row], dict)]
    found[coded] = _bounds_of_runs(ann_file, ids, column, coded, sizes)
    drawn = [row for row in rows if not isinstance(column[row], dict)]
    found[drawn], short = _bounds_of_polygons(ann_file, ids, column, drawn, evaluated)
    return found.clip(0, sizes[:, [1, 0, 1, 0]]), short


def _refuse(ann_file: str, faults: dict) -> None:
    """Raise for annotations with a fault, by their ids; name the first fault."""
    for key, fault in faults.items():
        others = f' ({len(faults)} are like that: ids {some(faults)})' if len(faults) > 1 else ''
        raise InputError(
            f'{ann_file}: annotation {key}: the segmentation cannot be used: {fault}{others}. '
            'Correct it, or take the annotation out.'
        )


# ---------------------------------------------------------------------------- run lengths


def _bounds_of_runs(
    ann_file: str, ids: list, column: list, rows: Sequence[int], sizes: np.ndarray
) -> np.ndarray:
    found, faults = np.zeros((len(rows), 4)), {}
    for place, row in enumerate(rows):
        height, width = map(int, sizes[row])
        try:
            found[place] = bounds(read_runs(column[row], height, width), height)
        except ValueError as error:
            faults[ids[row]] = str(error)
    _refuse(ann_file, faults)
    return found


# ---------------------------------------------------------------------------- polygons


def _bounds_of_polygons(
    ann_file: str, ids: list, column: list, rows: Sequence[int], evaluated: bool
) -> tuple[np.ndarray, list[int]]:
    """Return the bounds of the polygons of each row, and the rows of which some are left out."""
    objects = [column[row] for row in rows]
    if not _are_polygons(objects):
        strange = [row for row in rows if not _are_polygons([column[row]])]
        faults = {ids[row]: f'it is {cut(column[row])} and not {FORMS}' for row in strange}
        _refuse(ann_file, faults)
    seen = read_polygons(objects)
    endless = [ids[rows[place]] for place in np.flatnonzero(seen.endless)]
    _refuse(ann_file, dict.fromkeys(endless, ENDLESS))
    stops = [row for row in rows if evaluated and len(column[row][0]) < 5]
    _refuse(ann_file, {ids[row]: STOPS for row in stops})
    return seen.bounds, [rows[place] for place in np.flatnonzero(seen.short)]


def _are_polygons(objects: Sequence) -> bool:
    is_list = all(isinstance(polygons, list) for polygons in objects)
    return is_list and are_numbers([part for polygons in objects for part in polygons])


# ---------------------------------------------------------------------------- boxes


def _corners(boxes: list) -> np.ndarray:
    """Return boxes (A, 4) of x, y, width, height as x1, y1, x2, y2."""
    boxes = np.array(boxes, np.float64)
    return np.hstack([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]])


def _shared(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the IoU (A,) of boxes, each grown by a pixel, as small ones are rounded."""
    one, other = (box + [-1, -1, 1, 1] for box in (one, other))
    start, end = np.maximum(one[:, :2], other[:, :2]), np.minimum(one[:, 2:], other[:, 2:])
    both = (end - start).clip(0).prod(1)
    areas = [(box[:, 2:] - box[:, :2]).clip(0).prod(1) for box in (one, other)]
    return both / (areas[0] + areas[1] - both)
