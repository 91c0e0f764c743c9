"""Segment an image window by window, as mmseg's ``mode='slide'`` does.

Where windows overlap, their logits are averaged. mmseg shrinks the window to an image that is
smaller; a graph of fixed size cannot, so such an image is padded with zeros and the logits are cut.
"""

from collections.abc import Callable, Iterator

import numpy as np

from .preparing import Size


def slide(
    run: Callable[[np.ndarray], np.ndarray], images: np.ndarray, crop: Size, stride: Size
) -> np.ndarray:
    """Return the logits (N, classes, H, W) of images.

    Args:
        run: maps windows (N, 3, h, w) to logits (N, classes, h, w).
        images: (N, 3, H, W), or (N, H, W, 3) in uint8.
        crop: height and width of a window.
        stride: steps between windows, down and to the right.
    """
    rows = 2 if images.dtype != np.uint8 else 1  # the axis; that of columns follows
    sides = images.shape[rows : rows + 2]
    total, count = 0.0, np.zeros(sides, np.float32)
    for down in _windows(sides[0], crop[0], stride[0]):
        for right in _windows(sides[1], crop[1], stride[1]):
            window = images[(slice(None),) * rows + (down, right)]
            inside = window.shape[rows : rows + 2]
            logits = run(_filled(window, crop, rows))[:, :, : inside[0], : inside[1]]
            if not count.any():
                total = np.zeros((*logits.shape[:2], *sides), np.float32)
            total[:, :, down, right] += logits
            count[down, right] += 1
    return total / count


def _windows(side: int, crop: int, stride: int) -> Iterator[slice]:
    """Yield where windows lie along one side; the last one ends with it."""
    for number in range(max(side - crop + stride - 1, 0) // stride + 1):
        end = min(number * stride + crop, side)
        yield slice(max(end - crop, 0), end)


def _filled(window: np.ndarray, crop: Size, rows: int) -> np.ndarray:
    """Return a window with zeros below and to the right, where it is smaller than ``crop``."""
    missing = [new - old for new, old in zip(crop, window.shape[rows : rows + 2], strict=True)]
    widths = [(0, 0)] * 4
    widths[rows], widths[rows + 1] = (0, missing[0]), (0, missing[1])
    return np.pad(window, widths)
