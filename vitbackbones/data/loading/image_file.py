"""Images read from files, with an error that names the file.

A file that ends early is met in one of two ways: OpenCV from 4.11 on decodes no truncated JPEG,
older releases return the picture with whatever memory held in place of the missing rows, and say
nothing. Here both are an :class:`vitbackbones.errors.InputError`.

A small file may claim a picture that fills the memory. What its header says is looked at first,
and Pillow's limit holds, 178956970 pixels (twice ``PIL.Image.MAX_IMAGE_PIXELS``).

Not noticed: bytes damaged in the middle of a JPEG that still has its end marker. libjpeg makes
a picture of them and only prints a warning.

OpenCV and Pillow are enough for files on a disk; mmcv and mmengine are imported for what only they
read.
"""

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from ...errors import InputError
from ..shards.index import SCHEME
from . import jpeg

ADVICE = ' Put a good copy there, or take it out of the annotation file.'
ADVICE_ON_SHARDS = ' Write its shard again with a good copy, or without it.'
ATTEMPTS = 10  # to find a good image; that many bad ones in a row are no accident
Header = jpeg.JpegHeader | Image.Image | None
# What OpenCV makes no picture of, by Pillow's mode.
OTHER_VALUES = {'F': 'floating point', 'I': '32-bit integer'}
# How HDR files begin. Pillow does not know them, so their size would be met by OpenCV, whose limit
# is six times as high and which computes in floats: measured, 7 GB for a file of 32 MB.
RADIANCE = b'#?'
DAMAGED = 'truncated, damaged or not an image'


class UnreadableImage(InputError):
    """An image or video that is missing, empty, cut short, of another format or impossible size."""


def _header(content: bytes) -> Image.Image | None:
    """Return what Pillow says of a file before it decodes it; None for an unknown format."""
    try:
        return Image.open(BytesIO(content))
    except Image.DecompressionBombError as error:
        raise ValueError(f'{str(error).partition(",")[0]}; cut it into tiles') from error
    except Exception:  # OpenCV, with more formats, may still read it, or its failure is reported
        return None


def _jpeg_header(content: bytes) -> jpeg.JpegHeader | None:
    """Return what a JPEG says of itself; None if it does not say its size."""
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
    from mmengine import fileio

    return fileio.get(path, backend_args=backend_args)


def decode(
    content: bytes, header: Header, color_type: str = 'color', backend: str = 'cv2'
) -> np.ndarray:
    """Return the pixels of a file, by default (H, W, 3) in BGR; arguments as mmcv names them.

    Raises:
        ValueError: nothing can be made of it.
    """
    if content.startswith(RADIANCE):
        raise ValueError('a Radiance HDR picture; convert it to 8 or 16 bits')
    if (color_type, backend) == ('color', 'cv2'):
        image = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)
    else:
        import mmcv

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


def read_image(
    path: str,
    color_type: str = 'color',
    imdecode_backend: str = 'cv2',
    backend_args: dict | None = None,
    advice: str = ADVICE,
) -> np.ndarray:
    """Read and decode one image; ``advice`` ends the message where that fails.

    Returns:
        array of shape (H, W, 3), uint8, BGR (for the default ``color_type``).

    Raises:
        UnreadableImage: the file is missing, empty, truncated, too large or not an image.
    """
    with naming(path, advice):
        return decode(*read_content(path, backend_args), color_type, imdecode_backend)
