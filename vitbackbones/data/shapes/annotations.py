"""What is annotated on a scene of Shapes: COCO's instances, COCO's panoptic segments, index masks.

All three are made from the masks of the shapes in view, so they agree to the pixel. Categories of
COCO are numbered from 1: the shapes' classes first, then the stuff, of which the ground is one.
"""

from collections.abc import Sequence

import numpy as np

from ..loading.coco_masks import box_around, to_polygons
from ..loading.panoptic import VOID
from .scene import KINDS, Scene, Shape

# ---------------------------------------------------------------------------- instances


def annotation(shape: Shape, classes: Sequence[str]) -> dict:
    """Return category, box, area and mask of a shape, in COCO's form for detection."""
    return {
        'category_id': shape.kind % len(classes) + 1,
        'bbox': _box(shape.mask),
        'area': int(shape.mask.sum()),
        'segmentation': to_polygons(shape.mask),
        'iscrowd': 0,
    }


def _box(mask: np.ndarray) -> list[int]:
    x, y, right, bottom = box_around(mask)
    return [x, y, right - x, bottom - y]


# ---------------------------------------------------------------------------- segments


def segments(scene: Scene, classes: Sequence[str]) -> tuple[np.ndarray, list[dict]]:
    """Return the number of every pixel's segment (H, W), and what COCO says of each segment.

    The ground is stuff, and the lines on it are void. A picture that the shapes fill has no ground.
    """
    masks = [*(shape.mask for shape in scene.shapes), _bare_ground(scene)]
    categories = [shape.kind % len(classes) + 1 for shape in scene.shapes] + [len(classes) + 1]
    ids, infos = np.full(scene.clutter.shape, VOID), []
    for number, (mask, category) in enumerate(zip(masks, categories, strict=True), start=1):
        if mask.any():
            ids[mask] = number
            about = {'id': number, 'category_id': category, 'area': int(mask.sum())}
            infos.append(about | {'bbox': _box(mask), 'iscrowd': 0})
    return ids, infos


def _bare_ground(scene: Scene) -> np.ndarray:
    return ~np.any([scene.clutter, *(shape.mask for shape in scene.shapes)], axis=0)


# ---------------------------------------------------------------------------- index masks


def index_mask(scene: Scene, classes: Sequence[str] = KINDS) -> np.ndarray:
    """Return a mask (H, W) in uint8: 0 clutter, 1 ground, 2 the first of ``classes``, ..."""
    mask = np.where(scene.clutter, 0, 1).astype(np.uint8)
    for shape in scene.shapes:
        mask[shape.mask] = shape.kind % len(classes) + 2
    return mask
