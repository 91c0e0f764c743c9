"""Images read from files, with an error that names the file.

A JPEG that ends early is an :class:`vitbackbones.errors.InputError`; OpenCV before 4.11 returns
whatever memory held in place of the missing rows. Bytes damaged in the middle of one that still has
its end marker are not noticed: libjpeg makes a picture of them. A small file may claim a picture
that fills the memory, so its header is looked at first, and Pillow's limit holds, 178956970 pixels,
where it knows the format.

OpenCV and Pillow are enough for files on a disk; mmcv and mmengine are imported for what only they
read.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from ...errors import InputError
from ...utils.packages import import_optional
from ..shards.index import SCHEME

IMAGES = ('.jpg', '.jpeg', '.png', '.ppm', '.bmp', '.pgm', '.tif', '.tiff', '.webp')
ARRAY = '.npy'  # of bands
ADVICE = ' Put a good copy there, or take it out of the annotation file.'
ADVICE_ON_SHARDS = ' Write its shard again with a good copy, or without it.'
ATTEMPTS = 10  # to find a good image; that many bad ones in a row are no accident
# What OpenCV makes no picture of, by Pillow's mode.
OTHER_VALUES = {'F': 'floating point', 'I': '32-bit integer'}
TIFF = (b'II*\0', b'MM\0*', b'II+\0', b'MM\0+')  # beginnings, of BigTIFF, too
JPEG_END = b'\xff\xd9'
DAMAGED = 'truncated, damaged or not an image'
BLACK: set[str] = set()  # of :func:`as_black`
ORIENTATION = 0x0112  # the EXIF tag; 5 to 8 swap height and width


class UnreadableImage(InputError):
    """An image or video that is missing, empty, cut short, of another format or impossible size."""


def read_header(path: str) -> Image.Image:
    """Return Pillow's image of a file, which is closed and not decoded: a tenth of a millisecond.

    Raises:
        OSError, ValueError or another exception of a Pillow plugin: there is no readable header.
    """
    with Image.open(path) as header:
        return header


def size_of(header: Image.Image, turns: bool) -> tuple[int, int]:
    """Return height and width, with ``turns`` after the image was turned as EXIF says."""
    # only where there is one: Pillow decodes a whole PNG to look for it
    exif = header.getexif() if 'exif' in header.info else {}
    return header.size if turns and exif.get(ORIENTATION, 1) >= 5 else header.size[::-1]


def reason_of(error: Exception) -> str:
    """Say why a picture cannot be read; every Pillow plugin has exceptions of its own."""
    return getattr(error, 'strerror', None) or 'damaged or not an image'


def read_content(path: str, backend_args: dict | None = None) -> tuple[bytes, Image.Image | None]:
    """Return what a file holds, and Pillow's image that is not decoded; None for another format.

    Raises:
        ValueError: it cannot be an image, is too large, or is a JPEG that is cut short.
    """
    if backend_args is None and os.path.isfile(path):
        content = Path(path).read_bytes()  # mmengine asks five times as long which backend it is
    else:
        from mmengine import fileio

        content = fileio.get(path, backend_args=backend_args)
    if not content:
        raise ValueError('the file is empty')
    try:
        header = Image.open(BytesIO(content))
    except Image.DecompressionBombError as error:
        raise ValueError(f'{str(error).partition(",")[0]}; cut it into tiles') from error
    except Exception:  # OpenCV, with more formats, may still read it, or its failure is reported
        return content, None
    # searched for behind the header, as a thumbnail there has an end of its own
    if header.format == 'JPEG' and content.rfind(JPEG_END, header.fp.tell()) < 0:
        raise ValueError(f'truncated, the JPEG data stops after {len(content)} bytes')
    return content, header


def decode(
    content: bytes, header: Image.Image | None, color_type: str | int = 'color', backend='cv2'
) -> np.ndarray:
    """Return the pixels of a file, by default (H, W, 3) in BGR; arguments as mmcv names them.

    A number as ``color_type`` is that of the bands (H, W, bands), which are not exchanged.

    Raises:
        ValueError: nothing can be made of it, or it has another number of bands.
    """
    if isinstance(color_type, int):
        bands = decode_bands(content)
        if bands.shape[2] != color_type:
            given = f'model.backbone.in_channels={color_type}'
            raise ValueError(f'it has {bands.shape[2]} bands, and {given}')
        return bands
    if (color_type, backend) == ('color', 'cv2'):
        image = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)
    else:
        import mmcv

        image = mmcv.imfrombytes(content, flag=color_type, backend=backend)
    if image is not None:
        return image
    if header is not None and header.mode in OTHER_VALUES:
        values = f'{header.format} of {OTHER_VALUES[header.mode]} values'
        raise ValueError(f'a {values}; convert it to 8 or 16 bits')
    raise ValueError(DAMAGED)


def decode_bands(content: bytes) -> np.ndarray:
    """Return all bands of a TIFF, .npy or other file as they are stored, (H, W, bands).

    Those of 8 bits are uint8, all others float32. An array is (H, W) or (H, W, bands).

    Raises:
        ValueError: it is no picture, too large, or has values that are not finite.
    """
    if content[:6] == b'\x93NUMPY':
        pixels, axes = np.load(BytesIO(content), allow_pickle=False), 'YXS'
    elif content[:4] in TIFF:
        tifffile = import_optional('tifffile', 'tifffile')
        series = tifffile.TiffFile(BytesIO(content)).series[0]
        if series.size > 16 * Image.MAX_IMAGE_PIXELS:
            raise ValueError(f'{series.size} values are too many; cut it into tiles')
        pixels, axes = series.asarray(), series.axes
    else:
        pixels, axes = np.asarray(Image.open(BytesIO(content))), 'YXS'
    pixels = pixels[..., None] if pixels.ndim == 2 else pixels
    if pixels.ndim != 3 or pixels.dtype.kind not in 'biuf':
        raise ValueError(f'{pixels.shape} values of {pixels.dtype} are no bands of one picture')
    if axes[-1] in 'YX' and len(axes) == 3:  # (bands, H, W)
        pixels = pixels.transpose(1, 2, 0)
    if not np.isfinite(pixels).all():
        raise ValueError('it has values that are NaN or infinite')
    return np.ascontiguousarray(pixels, np.uint8 if pixels.dtype == np.uint8 else np.float32)


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
    color_type: str | int = 'color',
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
        if path in BLACK and color_type == 'color':
            return np.zeros((*size_of(read_header(path), turns=True), 3), np.uint8)
        return decode(*read_content(path, backend_args), color_type, imdecode_backend)


def read_shown(path: str) -> np.ndarray:
    """Read a picture to be drawn as :func:`read_image` does, or :func:`decode_bands`."""
    with suppress(UnreadableImage):
        return read_image(path)
    with naming(path, ADVICE):
        return decode_bands(read_content(path)[0])


@contextmanager
def as_black(path: str | None) -> Iterator[None]:
    """Let :func:`read_image` return a black picture of the right size for a file, undecoded."""
    BLACK.update([path] if path and os.path.isfile(path) else [])
    try:
        yield
    finally:
        BLACK.clear()
