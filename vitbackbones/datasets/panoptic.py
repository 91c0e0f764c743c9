"""COCO's panoptic pictures: the color of a pixel is the number of its segment.

The number is red + 256 green + 65536 blue, and 0 where nothing is annotated.
"""

import numpy as np

VOID = 0  # the number of pixels that belong to no segment


def to_colors(ids: np.ndarray) -> np.ndarray:
    """Return the colors (H, W, 3), red first, of segment numbers (H, W) below 2^24."""
    return np.stack([ids % 256, ids // 256 % 256, ids // 65536], axis=-1).astype(np.uint8)


def to_ids(colors: np.ndarray) -> np.ndarray:
    """Return the segment numbers (H, W) of colors (H, W, 3), red first."""
    return colors.astype(np.int32) @ np.array([1, 256, 65536], np.int32)
