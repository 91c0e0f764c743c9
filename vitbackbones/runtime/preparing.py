"""Prepare images for a graph, with the steps in its metadata file.

The steps are those of the pipeline that the model was tested with, with the same numbers: cv2 where
mmcv takes it, Pillow where mmpretrain does. Each is a dict with its ``type`` and its options, which
:mod:`.card` checks. A last step ``slide`` is no change of the picture, see :func:`slide`.

A graph that normalizes by itself gets the mean color where others get zeros, rounded to 8 bits.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..errors import InputError
from .card import INTERPOLATIONS, MAX_PIXELS, Card, GraphInput

SLIDE = 'slide'
Size = tuple[int, int] | list[int]  # height, width
Color = float | np.ndarray  # of all channels, or (3,)


class Taken(NamedTuple):
    """How to prepare an image for a graph: two parts of its metadata."""

    steps: list[dict]
    input: GraphInput


@dataclass(frozen=True)
class Prepared:
    """An image that was prepared for a graph.

    Attributes:
        image: (3, H, W) normalized, or (H, W, 3) in uint8 where the graph does that; red first.
        shape: (h, w) of the picture in it. What lies below and to the right was padded.
        original: (h, w) of the picture as it was given.
        resized: (h, w) of the picture before a step of the pipeline padded its pixels. mmdet scales
            boxes by it, while mmseg takes what such a step has padded for a part of the picture.
    """

    image: np.ndarray
    shape: tuple[int, int]
    original: tuple[int, int]
    resized: tuple[int, int]


def prepare(pixels: np.ndarray, card: Card | Taken) -> Prepared:
    """Prepare an image (H, W, 3) of uint8 in BGR for a graph.

    Raises:
        InputError: the picture has other axes or values, or resizing leaves nothing of it.
    """
    if pixels.ndim != 3 or pixels.shape[2] != 3 or pixels.dtype != np.uint8:
        given = f'{" x ".join(map(str, pixels.shape))} of {pixels.dtype}'
        raise InputError(f'an image must be an array (H, W, 3) of uint8 in BGR, not {given}')
    picture = pixels
    resized = pixels.shape[:2]
    for step in card.steps:
        picture = _changed(picture, step)
        if not step['type'].startswith('pad'):
            resized = picture.shape[:2]
    image = picture[..., ::-1]  # (h, w, 3) in RGB
    empty = np.round(card.input.mean)
    if not card.input.preprocess_inside:
        mean, std = (np.array(each, np.float32) for each in (card.input.mean, card.input.std))
        image = _normalized(image, mean, std)
        empty = np.zeros(3)
    for step in card.steps:
        if step['type'] == 'pad':
            color = empty
            if 'value' in step:
                color = np.broadcast_to(step['value'], 3)[::-1]  # BGR, as of pixels
                color = color if card.input.preprocess_inside else (color - mean) / std
            image = _padded(image, step['size'], color)
        elif step['type'] == 'pad_to_multiple':
            sides = (image.shape[0], image.shape[1])
            image = _padded(image, _next(sides, step['divisor']), empty)
    if card.input.layout == 'NCHW':
        image = image.transpose(2, 0, 1)  # (3, H, W)
    image = np.ascontiguousarray(image, card.input.dtype)
    return Prepared(image, picture.shape[:2], pixels.shape[:2], resized)


def _normalized(image: np.ndarray, mean: np.ndarray, std: np.ndarray) -> np.ndarray:
    """Return an image (h, w, 3) normalized in float32.

    Each color is a plane of its own in memory, as graphs take it. One plane after the other takes
    an eighth of the time of all three at once.
    """
    planes = np.empty((3, *image.shape[:2]), np.float32)
    for color, plane in enumerate(planes):
        np.subtract(image[..., color], mean[color], out=plane, dtype=np.float32)
        plane /= std[color]
    return planes.transpose(1, 2, 0)  # (3, h, w) -> (h, w, 3)


def _changed(picture: np.ndarray, step: Mapping) -> np.ndarray:
    """Return a picture (H, W, 3) after a step; what comes after normalization leaves it alone."""
    height, width = picture.shape[:2]
    if step['type'].startswith('resize'):
        size = _new_size(step, height, width)
        _require_pixels(picture, size, 'resized')
        how = step.get('interpolation', 'bilinear')
        if step.get('backend') == 'pillow':
            from PIL import Image

            method = Image.Resampling[INTERPOLATIONS['pillow'][how]]
            return np.array(Image.fromarray(picture).resize((size[1], size[0]), method))
        import cv2

        method = getattr(cv2, INTERPOLATIONS['cv2'][how])
        return cv2.resize(picture, (size[1], size[0]), interpolation=method)
    if step['type'] == 'center_crop':  # as mmcv does
        size = step['size']
        top, left = max(0, round((height - size[0]) / 2)), max(0, round((width - size[1]) / 2))
        return picture[top : top + size[0], left : left + size[1]]
    if step['type'] == 'pad_pixels':  # as mmcv does
        sides = [max(height, width)] * 2 if step.get('square') else [height, width]
        size = step.get('size') or _next(sides, step.get('multiple', 1))
        return _padded(picture, size, step.get('value', 0))
    return picture


def _new_size(step: Mapping, height: int, width: int) -> Size:
    """Return height and width after a step that resizes, rounded as its toolbox does."""
    if step['type'] == 'resize':
        return step['size']
    if step['type'] == 'resize_to_multiple':  # of mmseg
        return _next((height, width), step['divisor'])
    if step['type'] == 'resize_edge':  # of mmpretrain
        length = step['length']
        edge = step.get('edge', 'short')
        narrow, wide = width < height, width > height
        if edge == 'width' or (edge == 'short' and narrow) or (edge == 'long' and wide):
            return int(length * height / width), length
        return length, int(length * width / height)
    if step['type'] == 'resize_over':  # until a frame is covered, of torchvision
        factor = max(step['size'][0] / height, step['size'][1] / width)
        return round(height * factor), round(width * factor)
    if step['type'] == 'resize_into':  # as far as a frame allows, of mmcv
        factor = min(step['size'][0] / height, step['size'][1] / width)
    else:  # 'resize_within': as far as the longer and the shorter side allow, of mmcv
        factor = min(step['longer'] / max(height, width), step['shorter'] / min(height, width))
    return int(height * factor + 0.5), int(width * factor + 0.5)


def _require_pixels(image: np.ndarray, size: Size, done: str) -> None:
    """Check that an image (H, W, 3) may get another size: not empty, and not large by the card.

    What is larger than :data:`MAX_PIXELS` was so when it was given.
    """
    if not 0 < size[0] * size[1] <= max(MAX_PIXELS, image.shape[0] * image.shape[1]):
        old = f'{image.shape[1]} x {image.shape[0]} pixels'
        raise InputError(f'its {old} cannot be {done}: they would become {size[1]} x {size[0]}')


def _next(sides: Size, divisor: int) -> list[int]:
    """Return the next multiples of both sides."""
    return [-(-side // divisor) * divisor for side in sides]


def _padded(image: np.ndarray, size: Size, value: Color) -> np.ndarray:
    height, width = (max(pair) for pair in zip(size, image.shape[:2], strict=True))
    if (height, width) == image.shape[:2]:
        return image
    _require_pixels(image, (height, width), 'padded')
    canvas = np.empty_like(image, shape=(height, width, 3))  # in the same order in memory
    canvas[:] = value
    canvas[: image.shape[0], : image.shape[1]] = image
    return canvas


# ------------------------------------------------------------------------ windows
# mmseg's ``mode='slide'`` segments an image window by window. Where windows overlap, their logits
# are averaged. mmseg shrinks the window to an image that is smaller, and so does a graph of any
# size. One of a fixed size cannot: such an image is padded with zeros and the logits are cut.


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
