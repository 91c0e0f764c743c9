"""What is annotated on a scene of Shapes: COCO's instances, COCO's panoptic segments, index masks.

All three are made from the masks of the shapes in view, so they agree to the pixel. Categories of
COCO are numbered from 1: the shapes' classes first, then the stuff, of which the ground is one.
"""

from collections.abc import Sequence

import cv2
import numpy as np
from pycocotools import mask as coco_mask

from .panoptic import VOID
from .shapes_scene import KINDS, Scene, Shape

# ---------------------------------------------------------------------------- instances


def annotation(shape: Shape, classes: Sequence[str]) -> dict:
    """Return category, box, area and mask of a shape, in COCO's form for detection."""
    return {
        'category_id': shape.kind % len(classes) + 1,
        'bbox': _box(shape.mask),
        'area': int(shape.mask.sum()),
        'segmentation': segmentation(shape.mask),
        'iscrowd': 0,
    }


def _box(mask: np.ndarray) -> list[int]:
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    x, y = int(columns[0]), int(rows[0])
    return [x, y, int(columns[-1]) + 1 - x, int(rows[-1]) + 1 - y]


def segmentation(mask: np.ndarray) -> list[list[int]] | dict:
    """Return exactly a mask (H, W): polygons along the edges of its pixels, RLE if it has a hole.

    COCO joins the polygons of an object, so that none can cut a hole into another. Each part of the
    mask is a polygon [x, y, x, y, ...].
    """
    # A contour runs through centers of pixels. At twice the size those of the outermost quarters
    # are a quarter inside of the edges, to which (position + 1) // 2 moves them.
    double = mask.astype(np.uint8).repeat(2, axis=0).repeat(2, axis=1)  # (2H, 2W)
    outlines, tree = cv2.findContours(double, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    has_hole = (tree[0, :, 3] >= 0).any()  # an outline inside of another
    if has_hole:
        code = coco_mask.encode(np.asfortranarray(mask.astype(np.uint8)))
        return code | {'counts': code['counts'].decode()}
    return [((outline + 1) // 2).ravel().tolist() for outline in outlines]


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
