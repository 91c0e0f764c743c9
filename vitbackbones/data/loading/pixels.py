"""Fast counting and reordering of pixels with OpenCV.

mmcv flips with numpy, which returns a view that runs backwards. What needs the pixels next copies
them one by one, in 14 times OpenCV's time. To separate the three colors of each pixel takes torch 3
times as long as OpenCV; to join them takes numpy 16 times as long.

Images of 8 bits have 256 values, so what depends on the value alone is computed once for each
value, not for each pixel.
"""

import cv2
import numpy as np
from mmcv.transforms import BaseTransform

FLIPS = {(1,): 1, (0,): 0, (0, 1): -1}  # axes, and OpenCV's number for them
VALUES = np.arange(256, dtype=np.uint8)[None]  # (1, 256): a picture of all values


def count_values(image: np.ndarray) -> np.ndarray:
    """Count how often each value occurs in each channel, (C, 256).

    Args:
        image: 8-bit pixels (H, W) or (H, W, C).
    """
    channels = range(image[:1, :1].size)
    counts = [cv2.calcHist([image], [channel], None, [256], [0, 256]) for channel in channels]
    # OpenCV 4 returns (256, 1), OpenCV 5 (256,)
    return np.stack([count.ravel() for count in counts]).astype(np.int64)  # (C, 256)


def _flipped(image: np.ndarray, code: int) -> np.ndarray:
    """Return an image (H, W, C) flipped by OpenCV, which would return one channel as (H, W)."""
    return cv2.flip(image, code).reshape(image.shape)


def in_order(image: np.ndarray) -> np.ndarray:
    """Return an image (H, W, C) in contiguous memory."""
    backwards = tuple(axis for axis in (0, 1) if image.strides[axis] < 0)
    return _flipped(np.flip(image, backwards), FLIPS[backwards]) if backwards else image


def to_pixels(planes: np.ndarray) -> np.ndarray:
    """Return the channels (C, H, W) pixel by pixel, (H, W, C)."""
    height, width = planes.shape[1:]
    return cv2.merge(list(planes)).reshape(height, width, -1)  # of one channel: (H, W)


def to_planes(image: np.ndarray) -> np.ndarray:
    """Return the pixels (H, W, C) channel by channel, (C, H, W)."""
    planes = np.empty((image.shape[2], *image.shape[:2]), image.dtype)
    cv2.split(in_order(image), list(planes))
    return planes


class InOrder(BaseTransform):
    """Copy a flipped image to contiguous memory; use it after ``RandomFlip``."""

    def transform(self, results: dict) -> dict:
        """Copy ``img`` (H, W, C) if it runs backwards."""
        return results | {'img': in_order(results['img'])}


class RandomFlip(BaseTransform):
    """Flip images without boxes or masks horizontally, with the random numbers of mmcv but faster.

    Args:
        prob: probability of a flip.
    """

    def __init__(self, prob: float) -> None:
        self.prob = prob

    def transform(self, results: dict) -> dict:
        """Flip ``img`` (H, W, C) or not; ``flip`` and ``flip_direction`` say which."""
        if np.random.rand() >= self.prob:
            return results | {'flip': False, 'flip_direction': None}
        image = _flipped(results['img'], FLIPS[1,])
        return results | {'img': image, 'flip': True, 'flip_direction': 'horizontal'}


class ToPlanes(BaseTransform):
    """Bring channels apart, for the toolboxes' packing steps, which then copy no pixel."""

    def transform(self, results: dict) -> dict:
        """Keep ``img`` as (H, W, C), but channel by channel in memory."""
        planes = to_planes(results['img'])
        return results | {'img': planes.transpose(1, 2, 0)}  # (C, H, W) -> (H, W, C)
