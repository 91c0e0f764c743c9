"""Image loading that names the file it cannot read.

mmcv's ``LoadImageFromFile`` answers a file that is no image with a bare ``AssertionError`` and
a file that ends early in one of two ways: OpenCV from 4.11 on decodes no truncated JPEG, older
releases return the picture with whatever memory held in place of the missing rows, and say
nothing. ``LoadImage`` raises :class:`vitbackbones.errors.InputError` for both.

A small file may claim a picture that fills the memory. What its header says is looked at first,
and Pillow's limit holds, 178956970 pixels (twice ``PIL.Image.MAX_IMAGE_PIXELS``).

Not noticed: bytes damaged in the middle of a JPEG that still has its end marker. libjpeg makes
a picture of them and only prints a warning.
"""

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import cv2
import mmcv
import numpy as np
from mmcv.transforms import LoadImageFromFile
from mmengine import fileio
from PIL import Image

from ..errors import InputError, OptionError
from ..layers import require_choice
from . import jpeg
from .shards_index import SCHEME

ADVICE = ' Put a good copy there, or take it out of the annotation file.'
ADVICE_ON_SHARDS = ' Write its shard again with a good copy, or without it.'
Header = jpeg.JpegHeader | Image.Image | None
# What OpenCV makes no picture of, by Pillow's mode.
OTHER_VALUES = {'F': 'floating point', 'I': '32-bit integer'}
DAMAGED = 'truncated, damaged or not an image'
# What a side of a JPEG can be divided by while it is decoded, and how OpenCV is told
REDUCTIONS = {
    1: cv2.IMREAD_COLOR,
    2: cv2.IMREAD_REDUCED_COLOR_2,
    4: cv2.IMREAD_REDUCED_COLOR_4,
    8: cv2.IMREAD_REDUCED_COLOR_8,
}


class UnreadableImage(InputError):
    """An image or video that is missing, empty, cut short, of another format or impossible size."""


def _header(content: bytes) -> Image.Image | None:
    """Return what Pillow says of a file before it decodes it; None for an unknown format.

    Raises:
        ValueError: it has too many pixels.
    """
    try:
        return Image.open(BytesIO(content))
    except Image.DecompressionBombError as error:
        raise ValueError(f'{str(error).partition(",")[0]}; cut it into tiles') from error
    except Exception:  # OpenCV, with more formats, may still read it, or its failure is reported
        return None


def _jpeg_header(content: bytes) -> jpeg.JpegHeader | None:
    """Return what a JPEG says of itself; None if it does not say its size.

    Raises:
        ValueError: it is cut short, or has too many pixels.
    """
    header = jpeg.read_header(content)
    if header.ends_early:
        raise ValueError(f'truncated, the JPEG data stops after {len(content)} bytes')
    pixels, limit = header.height * header.width, 2 * (Image.MAX_IMAGE_PIXELS or math.inf)
    if pixels > limit:
        raise ValueError(
            f'Image size ({pixels} pixels) exceeds limit of {limit} pixels; cut it into tiles'
        )
    return header if pixels else None


def read_content(path: str, backend_args: dict | None = None) -> tuple[bytes, Header]:
    """Return what a file holds and what its header says; None for an unknown format.

    Raises:
        ValueError: it cannot be an image, is too large, or is a JPEG that is cut short.
    """
    content = _read_file(path, backend_args)
    if not content:
        raise ValueError('the file is empty')
    if content.startswith(jpeg.START):
        return content, _jpeg_header(content)
    return content, _header(content)


def _read_file(path: str, backend_args: dict | None) -> bytes:
    if backend_args is None and os.path.isfile(path):
        return Path(path).read_bytes()  # mmengine asks five times as long which backend it is
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        raise ValueError('not a regular file')  # reading from a pipe would wait forever
    return fileio.get(path, backend_args=backend_args)


def _decode(content: bytes, header: Header, color_type: str, backend: str) -> np.ndarray:
    image = mmcv.imfrombytes(content, flag=color_type, backend=backend)
    if image is not None:
        return image
    if isinstance(header, Image.Image) and header.mode in OTHER_VALUES:
        values = f'{header.format} of {OTHER_VALUES[header.mode]} values'
        raise ValueError(f'a {values}; convert it to 8 or 16 bits')
    raise ValueError(DAMAGED)


@contextmanager
def naming(path: str, advice: str) -> Iterator[None]:
    """Turn all errors into one that names the file and ends in ``advice``."""
    try:
        yield
    except Exception as error:  # every file and decoder backend has exceptions of its own
        reason = getattr(error, 'strerror', None) or error
        advice = ADVICE_ON_SHARDS if path.startswith(SCHEME) else advice
        raise UnreadableImage(f'image file {path}: {reason}.{advice}') from error


class EncodedImage:
    """A JPEG file that is decoded when it is known how many of its pixels count.

    Attributes:
        shape: (H, W, 3) of the whole image.
    """

    def __init__(self, content: bytes, path: str, height: int, width: int) -> None:
        self.content = content
        self.path = path
        self.shape = (height, width, 3)

    def decode(self, factor: int) -> np.ndarray:
        """Return the image as (ceil(H / factor), ceil(W / factor), 3), uint8, BGR.

        Args:
            factor: a key of :data:`REDUCTIONS`.

        Raises:
            UnreadableImage: the file is damaged.
        """
        with naming(self.path, ADVICE):
            pixels = cv2.imdecode(np.frombuffer(self.content, np.uint8), REDUCTIONS[factor])
            if pixels is None:
                raise ValueError(DAMAGED)
            return pixels


def read_image(
    path: str,
    color_type: str = 'color',
    imdecode_backend: str = 'cv2',
    backend_args: dict | None = None,
    advice: str = ADVICE,
) -> np.ndarray:
    """Read and decode one image with mmcv; ``advice`` ends the message where that fails.

    Returns:
        array of shape (H, W, 3), uint8, BGR (for the default ``color_type``).

    Raises:
        UnreadableImage: the file is missing, empty, truncated, too large or not an image.
    """
    with naming(path, advice):
        return _decode(*read_content(path, backend_args), color_type, imdecode_backend)


def read_encoded(path: str, backend_args: dict | None = None) -> EncodedImage | np.ndarray:
    """Read one image, and decode it unless it is a JPEG that can be decoded at reduced size.

    A JPEG with EXIF data is decoded: it may have to be turned.

    Returns:
        the file, or an array of shape (H, W, 3), uint8, BGR.

    Raises:
        UnreadableImage: as :func:`read_image`.
    """
    with naming(path, ADVICE):
        content, header = read_content(path, backend_args)
        if isinstance(header, jpeg.JpegHeader) and not header.has_exif:
            return EncodedImage(content, path, header.height, header.width)
        return _decode(content, header, 'color', 'cv2')


class LoadImage(LoadImageFromFile):
    """mmcv's ``LoadImageFromFile`` with an ``InputError`` that names the file.

    Args:
        to_float32, color_type, imdecode_backend, backend_args: as in mmcv.
        ignore_empty: return None for a bad image of any kind instead of raising. Data sets then
            draw another image in training, and stop in testing.
        decode: ``'full'``, or ``'reduced'``: the ``vitbackbones.RandomResizedCrop`` that must be
            the next step decodes a JPEG, large ones at a half, a quarter or an eighth of their
            sides where the crop allows it. This changes pixels a little. Of the other options
            only ``backend_args`` goes with it.

    Raises:
        UnreadableImage: as :func:`read_image`.
        OptionError: ``decode`` is unknown, or does not go with another option.
    """

    def __init__(
        self,
        to_float32: bool = False,
        color_type: str = 'color',
        imdecode_backend: str = 'cv2',
        ignore_empty: bool = False,
        backend_args: dict | None = None,
        decode: str = 'full',
    ) -> None:
        super().__init__(
            to_float32, color_type, imdecode_backend, None, ignore_empty, backend_args=backend_args
        )
        require_choice('decode', decode, ('full', 'reduced'))
        default = (to_float32, color_type, imdecode_backend, ignore_empty)
        if decode == 'reduced' and default != (False, 'color', 'cv2', False):
            raise OptionError("decode='reduced' goes with no other option than backend_args")
        self.decode = decode

    def transform(self, results: dict) -> dict | None:
        """Add ``img`` (H, W, 3), ``img_shape`` and ``ori_shape`` (H, W) to ``results``."""
        try:
            image = self._load(results['img_path'])
        except UnreadableImage:
            if self.ignore_empty:
                return None
            raise
        image = image.astype(np.float32) if self.to_float32 else image
        shape = image.shape[:2]
        return results | {'img': image, 'img_shape': shape, 'ori_shape': shape}

    def _load(self, path: str) -> np.ndarray | EncodedImage:
        if self.decode == 'reduced':
            return read_encoded(path, self.backend_args)
        return read_image(path, self.color_type, self.imdecode_backend, self.backend_args)
