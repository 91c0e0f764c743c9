"""Moving a picture by a fraction of a pixel, in a fifth of the time of OpenCV's ``warpAffine``.

OpenCV 4 rounds the fraction to 1/32 and blends 4 x 4 pixels in whole numbers. Where a picture moves
along one axis only, 12 of their 16 weights are 0; the other four are the same for all pixels, so
they are a filter. Its sums need no more than the 24 bits of a float32, so the result is equal to
the bit. OpenCV 5 does not round the fraction.
"""

from collections.abc import Sequence

import cv2
import numpy as np

_STEPS = 32  # of a pixel
_ONE = np.float32(2**15)  # weights are whole numbers of this sum

EQUALS_OPENCV = int(cv2.__version__.partition('.')[0]) < 5


def translate(image: np.ndarray, offset: float, axis: int, fill: Sequence[int]) -> np.ndarray:
    """Move an image with bicubic interpolation.

    Args:
        image: (H, W, 3), uint8.
        offset: number of pixels, down with axis 0, to the right with axis 1.
        axis: 0 to move along H, 1 along W.
        fill: value of each channel outside of the image.

    Returns:
        (H, W, 3), uint8, what ``cv2.warpAffine`` returns where :data:`EQUALS_OPENCV`.
    """
    side = image.shape[axis]
    start, fraction = divmod(_in_steps(-offset), _STEPS)  # of what comes to lie at 0
    borders = [0] * 4  # top, bottom, left, right
    borders[2 * axis : 2 * axis + 2] = max(1 - start, 0), max(start + 2, 0)
    canvas = cv2.copyMakeBorder(image, *borders, cv2.BORDER_CONSTANT, value=tuple(fill))
    first = max(start - 1, 0)
    read = _cut(canvas, axis, first, first + side + 3).astype(np.float32)
    kernel = np.expand_dims(_weights(fraction), 1 - axis)  # (4, 1) or (1, 4)
    moved = _cut(cv2.filter2D(read, -1, kernel, anchor=(0, 0)), axis, 0, side)
    moved = cv2.threshold(moved, 0, 0, cv2.THRESH_TOZERO)[1]
    return cv2.convertScaleAbs(moved, beta=0.5 / _ONE)  # halves are rounded up


def _in_steps(offset: float) -> int:
    """Return pixels as steps, rounded as OpenCV does: to 1/1024 first."""
    return (round(float(np.float32(offset)) * 1024) + 16) * _STEPS // 1024


def _weights(fraction: int) -> np.ndarray:
    """Return the weights (4,) of the pixels around a point, so many steps behind the second."""
    after, a = np.float32(fraction / _STEPS), np.float32(-0.75)
    before = 1 - after
    first = ((a * (after + 1) - 5 * a) * (after + 1) + 8 * a) * (after + 1) - 4 * a
    second = ((a + 2) * after - (a + 3)) * after * after + 1
    third = ((a + 2) * before - (a + 3)) * before * before + 1
    weights = np.float32([first, second, third, 1 - first - second - third])
    return np.rint(weights * _ONE) / _ONE


def _cut(image: np.ndarray, axis: int, start: int, stop: int) -> np.ndarray:
    return image[start:stop] if axis == 0 else image[:, start:stop]
