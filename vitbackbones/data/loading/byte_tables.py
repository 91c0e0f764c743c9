"""Pictures of 8 bits have 256 values: what needs no more than these is not done to every pixel."""

import cv2
import numpy as np

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
