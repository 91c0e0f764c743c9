"""Bring pictures into the form of a graph's input, following the steps on its card.

The steps are those of the pipeline that the model was tested with, with the same numbers: cv2 where
mmcv takes it, Pillow where mmpretrain does. Each is a dict with its ``type``, a key of
:data:`ON_PIXELS` or :data:`AFTER_NORMALIZATION`; the parameters of that function are its other
keys. A last step ``slide`` is no change of the picture, see :mod:`.sliding`.

A graph that normalizes by itself gets the mean color where others get zeros, rounded to 8 bits.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ...errors import InputError
from .card import Card
from .step_rules import INTERPOLATIONS, MAX_PIXELS

SLIDE = 'slide'
Size = tuple[int, int] | list[int]  # height, width
Color = float | np.ndarray  # of all channels, or (3,)


@dataclass(frozen=True)
class Prepared:
    """A picture as a graph takes it.

    Attributes:
        image: (3, H, W) normalized, or (H, W, 3) in uint8 where the graph does that; red first.
        shape: (h, w) of the picture in it. What lies below and to the right was padded.
        original: (h, w) of the picture as it was given.
    """

    image: np.ndarray
    shape: tuple[int, int]
    original: tuple[int, int]


def prepare(pixels: np.ndarray, card: Card) -> Prepared:
    """Return what a graph takes of a picture (H, W, 3) in uint8 and BGR.

    Raises:
        InputError: the picture has other axes or values, or resizing leaves nothing of it.
    """
    if pixels.ndim != 3 or pixels.shape[2] != 3 or pixels.dtype != np.uint8:
        given = f'{" x ".join(map(str, pixels.shape))} of {pixels.dtype}'
        raise InputError(f'a picture must be (H, W, 3) of uint8 in BGR, not {given}')
    picture = pixels
    for function, options in _chosen(card, ON_PIXELS):
        picture = function(picture, **options)
    image, empty = picture[..., ::-1], np.round(card.input.mean)  # (h, w, 3) in RGB
    if not card.input.preprocess_inside:
        mean, std = (np.array(each, np.float32) for each in (card.input.mean, card.input.std))
        image, empty = image.astype(np.float32), 0
        image -= mean
        image /= std
    for function, options in _chosen(card, AFTER_NORMALIZATION):
        image = function(image, empty, **options)
    if card.input.layout == 'NCHW':
        image = image.transpose(2, 0, 1)  # (3, H, W)
    image = np.ascontiguousarray(image, card.input.dtype)
    return Prepared(image, picture.shape[:2], pixels.shape[:2])


def _chosen(card: Card, functions: Mapping[str, Callable]) -> list[tuple[Callable, dict]]:
    """Return the steps of a card that are among some functions, with their options."""
    chosen = (dict(step) for step in card.steps if step['type'] in functions)
    return [(functions[step.pop('type')], step) for step in chosen]


# ------------------------------------------------------------------------ on pixels (H, W, 3)


def resize(
    pixels: np.ndarray, size: Size, interpolation: str = 'bilinear', backend: str = 'cv2'
) -> np.ndarray:
    """Return a picture in another size.

    Args:
        pixels: (H, W, 3).
        size: height and width.
        interpolation: a key of :data:`~.values.INTERPOLATIONS` for the backend.
        backend: ``'cv2'`` or ``'pillow'``.

    Raises:
        InputError: a side vanishes, or the picture grows beyond :data:`MAX_PIXELS`.
    """
    _require_pixels(pixels, size, 'resized')
    height, width = size
    if backend == 'pillow':
        from PIL import Image

        method = Image.Resampling[INTERPOLATIONS[backend][interpolation]]
        return np.array(Image.fromarray(pixels).resize((width, height), method))
    import cv2

    method = getattr(cv2, INTERPOLATIONS[backend][interpolation])
    return cv2.resize(pixels, (width, height), interpolation=method)


def resize_within(pixels: np.ndarray, longer: int, shorter: int, **how: str) -> np.ndarray:
    """Resize a picture as far as its longer and its shorter side allow, as mmcv does."""
    sides = pixels.shape[:2]
    factor = min(longer / max(sides), shorter / min(sides))
    return resize(pixels, [int(side * factor + 0.5) for side in sides], **how)


def resize_into(pixels: np.ndarray, size: Size, **how: str) -> np.ndarray:
    """Resize a picture as far as a frame of ``size`` allows, whichever way it lies."""
    factor = min(new / old for new, old in zip(size, pixels.shape[:2], strict=True))
    return resize(pixels, [int(side * factor + 0.5) for side in pixels.shape[:2]], **how)


def resize_over(pixels: np.ndarray, size: Size, **how: str) -> np.ndarray:
    """Resize a picture until it covers a frame of ``size``, as torchvision rounds."""
    factor = max(new / old for new, old in zip(size, pixels.shape[:2], strict=True))
    return resize(pixels, [round(side * factor) for side in pixels.shape[:2]], **how)


def resize_edge(pixels: np.ndarray, length: int, edge: str = 'short', **how: str) -> np.ndarray:
    """Resize one edge to a length, and the other by the same factor, as mmpretrain does."""
    height, width = pixels.shape[:2]
    narrow, wide = width < height, width > height
    if edge == 'width' or (edge == 'short' and narrow) or (edge == 'long' and wide):
        return resize(pixels, (int(length * height / width), length), **how)
    return resize(pixels, (length, int(length * width / height)), **how)


def resize_to_multiple(pixels: np.ndarray, divisor: int, **how: str) -> np.ndarray:
    """Stretch both sides to the next multiple of a number, as mmseg does."""
    return resize(pixels, _next(pixels, divisor), **how)


def center_crop(pixels: np.ndarray, size: Size) -> np.ndarray:
    """Return the middle of a picture, as mmcv does."""
    top, left = (
        max(0, round((old - new) / 2)) for old, new in zip(pixels.shape[:2], size, strict=True)
    )
    return pixels[top : top + size[0], left : left + size[1]]


def pad_pixels(
    pixels: np.ndarray, size: Size | None = None, multiple: int = 1, value: int = 0
) -> np.ndarray:
    """Add pixels below and to the right, up to a size or to the next multiple, as mmcv does."""
    return _padded(pixels, size or _next(pixels, multiple), value)


def _require_pixels(image: np.ndarray, size: Size, done: str) -> None:
    """Check that an image (H, W, 3) may get another size: not empty, and not large by the card.

    What is larger than :data:`MAX_PIXELS` was so when it was given.
    """
    if not 0 < size[0] * size[1] <= max(MAX_PIXELS, image.shape[0] * image.shape[1]):
        old = f'{image.shape[1]} x {image.shape[0]} pixels'
        raise InputError(f'its {old} cannot be {done}: they would become {size[1]} x {size[0]}')


# ------------------------------------------------------------------------ after normalization


def pad(image: np.ndarray, empty: Color, size: Size) -> np.ndarray:
    """Make an image (H, W, 3) as large as ``size``, empty below and to the right."""
    return _padded(image, size, empty)


def pad_to_multiple(image: np.ndarray, empty: Color, divisor: int) -> np.ndarray:
    """Make the sides of an image (H, W, 3) multiples, empty below and to the right."""
    return _padded(image, _next(image, divisor), empty)


def _next(image: np.ndarray, divisor: int) -> list[int]:
    return [-(-side // divisor) * divisor for side in image.shape[:2]]


def _padded(image: np.ndarray, size: Size, value: Color) -> np.ndarray:
    height, width = (max(pair) for pair in zip(size, image.shape[:2], strict=True))
    _require_pixels(image, (height, width), 'padded')
    canvas = np.empty((height, width, 3), image.dtype)
    canvas[:] = value
    canvas[: image.shape[0], : image.shape[1]] = image
    return canvas


ON_PIXELS: dict[str, Callable[..., np.ndarray]] = {
    'resize': resize,
    'resize_within': resize_within,
    'resize_into': resize_into,
    'resize_over': resize_over,
    'resize_edge': resize_edge,
    'resize_to_multiple': resize_to_multiple,
    'center_crop': center_crop,
    'pad_pixels': pad_pixels,
}
AFTER_NORMALIZATION: dict[str, Callable[..., np.ndarray]] = {
    'pad': pad,
    'pad_to_multiple': pad_to_multiple,
}
