"""Segment an image window by window, as mmseg's ``mode='slide'`` does.

Where windows overlap, their logits are averaged. mmseg shrinks the window to an image that is
smaller, and so does a graph of any size. One of a fixed size cannot: such an image is padded with
zeros and the logits are cut.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ..errors import InputError
from .preparing import Size

MOST = 10_000  # windows over an image; one of 8000 x 6000 pixels has 432 of 512 in steps of 341


class Window(NamedTuple):
    """A part of images, and where it lies: its rows and its columns."""

    images: np.ndarray
    rows: slice
    columns: slice


def slide(
    run: Callable[[np.ndarray], np.ndarray],
    images: np.ndarray,
    crop: Size,
    stride: Size,
    fill: bool = True,
) -> np.ndarray:
    """Return the logits (N, classes, H, W) of images.

    Args:
        run: maps windows (N, 3, h, w) to logits (N, classes, h, w).
        images: (N, 3, H, W), or (N, H, W, 3) in uint8.
        crop: height and width of a window.
        stride: steps between windows, down and to the right.
        fill: pad windows of smaller images to ``crop``.
    """
    sides = images.shape[_rows(images) :][:2]
    total = count = np.zeros(sides, np.float32)
    for window, down, right in windows(images, crop, stride, fill):
        logits = run(window)[:, :, : down.stop - down.start, : right.stop - right.start]
        if not count.any():
            total = np.zeros((*logits.shape[:2], *sides), np.float32)
        total[:, :, down, right] += logits
        count[down, right] += 1
    return total / count


def windows(images: np.ndarray, crop: Size, stride: Size, fill: bool = True) -> Iterator[Window]:
    """Yield the windows over images; arguments as :func:`slide`."""
    rows = _rows(images)
    sides = images.shape[rows : rows + 2]
    for down in ranges(sides[0], crop[0], stride[0]):
        for right in ranges(sides[1], crop[1], stride[1]):
            window = images[:, down, right] if rows == 1 else images[:, :, down, right]
            if fill:
                missing = [(0, 0)] * 4
                missing[rows] = 0, crop[0] - window.shape[rows]
                missing[rows + 1] = 0, crop[1] - window.shape[rows + 1]
                window = np.pad(window, missing)
            yield Window(window, down, right)


def require_few(image: np.ndarray, crop: Size, stride: Size) -> None:
    """Check that the windows over an image (3, H, W), or (H, W, 3) in uint8, can be computed.

    Raises:
        InputError: there are more than :data:`MOST`.
    """
    first = _rows(image[None]) - 1
    sides = image.shape[first : first + 2]
    down, right = (_count(*each) for each in zip(sides, crop, stride, strict=True))
    if down * right > MOST:
        raise InputError(
            f'its {sides[1]} x {sides[0]} pixels require {down * right} windows, more than the '
            f'limit of {MOST}; give a smaller image, or use a model with larger windows'
        )


def _rows(images: np.ndarray) -> int:
    """Return the axis of rows; that of columns follows."""
    return 2 if images.dtype != np.uint8 else 1


def ranges(side: int, crop: int, stride: int) -> Iterator[slice]:
    """Yield where windows lie along one side; the last one ends with it."""
    for number in range(_count(side, crop, stride)):
        end = min(number * stride + crop, side)
        yield slice(max(end - crop, 0), end)


def _count(side: int, crop: int, stride: int) -> int:
    return max(side - crop + stride - 1, 0) // stride + 1
