"""Panoptic segments as numbers of pixels: in COCO's pictures, and as mmdet's models give them.

COCO: the color of a pixel, red + 256 green + 65536 blue, is the number of its segment, which a file
beside the picture says the category of. 0 is where nothing is annotated.
mmdet: the label, and 1000 times the number of a thing among all things. The label after the last
class is where nothing was found.
"""

from typing import NamedTuple

import numpy as np

VOID = 0  # COCO's number of pixels that belong to no segment
OFFSET = 1000  # mmdet's INSTANCE_OFFSET


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
