"""Images read from files, with an error that names the file.

OpenCV treats a file that ends early in one of two ways. From 4.11 on it decodes no truncated JPEG;
older releases silently return the image with arbitrary memory in place of the missing rows. Here
both raise :class:`vitbackbones.errors.InputError`.

A small file may claim an image that fills the memory. So its header is read first, and Pillow's
limit holds where Pillow knows the format: 178956970 pixels, twice ``PIL.Image.MAX_IMAGE_PIXELS``.

Not noticed are damaged bytes in the middle of a JPEG that still has its end marker: libjpeg decodes
them and only prints a warning.

OpenCV and Pillow are enough for files on a disk; mmcv and mmengine are imported for what only they
read. HEIC, the format of phones, is read by the package pillow-heif where it is installed; it turns
images upright by itself.
"""

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import cv2
import numpy as np
from PIL import Image

from ...errors import InputError
from ...utils.files import NOT_FETCHED, POINTER
from ...utils.messages import show_warnings
from ...utils.orientation import UPRIGHT, orientation, turned, upright
from ...utils.packages import import_optional
from ..shards.index import SCHEME

IMAGES = ('.jpg', '.jpeg', '.png', '.ppm', '.bmp', '.pgm', '.tif', '.tiff', '.webp')
IMAGES += ('.jpe', '.jfif', '.mpo', '.gif', '.jp2', '.avif')
HEIC = ('.heic', '.heif', '.hif')
IMAGES += HEIC if find_spec('pillow_heif') else ()
ARRAY = '.npy'  # of bands
ADVICE = ' Replace it with a good copy, or remove it from the annotation file.'
ADVICE_ON_SHARDS = ' Write its shard again with a good copy, or without it.'
ATTEMPTS = 10  # to find a good image; that many bad ones in a row are no accident
# What OpenCV makes no picture of, by Pillow's mode.
OTHER_VALUES = {'F': 'floating point', 'I': '32-bit integer'}
# What OpenCV makes 8 bits of. It bends others, or cuts them off, in a TIFF that Pillow cannot read.
DEPTHS = ('uint8', 'uint16')
TIFF = (b'II*\0', b'MM\0*', b'II+\0', b'MM\0+')  # beginnings, of BigTIFF, too
JPEG_END = b'\xff\xd9'
DAMAGED = 'truncated, damaged or not an image'
BLACK: set[str] = set()  # of :func:`as_black`
FLAGS = {'color': cv2.IMREAD_COLOR, 'grayscale': cv2.IMREAD_GRAYSCALE}  # of OpenCV, by color type
WIDTH, LENGTH, BITS = 256, 257, 258  # tags of a TIFF; a length is a height
BRANDS = (b'heic', b'heix', b'heim', b'heis', b'hevc', b'mif1', b'msf1')  # of HEIC, at byte 8
BY_PILLOW = ('AVIF', 'GIF', 'HEIF', 'JPEG2000')  # OpenCV reads them in some versions only
EXIF_IN_PNG = b'eXIf'  # the chunk; exiftool writes it behind the pixels
TAIL = 2**16  # bytes at the end of a PNG in which that chunk is looked for
DARK = 16  # of 255: the most that the lowest 12 of 16 bits become in 8
TOLD: set[str] = set()  # warnings that were given, each once in a process
# Pillow warns of an attack from half of its limit on, such as of a photo of 12000 x 9000 pixels.
# A filter of the user, such as 'error', comes before this one.
warnings.filterwarnings('ignore', category=Image.DecompressionBombWarning, append=True)


class UnreadableImage(InputError):
    """An image or video that is missing, empty, truncated, too large or in an unknown format."""


class TooManyPixels(ValueError):
    """An image with more pixels than may be decoded."""


def _is_heic(start: bytes) -> bool:
    return start[4:8] == b'ftyp' and start[8:12] in BRANDS


def _open_heic(file: BinaryIO, name: str) -> Image.Image:
    return import_optional('pillow_heif', 'pillow-heif').HeifImageFile(file, name)


Image.register_open('HEIF', _open_heic, _is_heic)


def read_header(path: str) -> Image.Image:
    """Return Pillow's image of a file, which is closed and not decoded: a tenth of a millisecond.

    Raises:
        OSError, ValueError or another exception of a Pillow plugin: there is no readable header.
    """
    with Image.open(path) as header:
        return _with_exif(header)


def is_picture(path: str | Path) -> bool:
    """Return whether Pillow knows the form of a file, whatever its name is."""
    try:
        read_header(str(path))
    except Exception:  # every Pillow plugin has exceptions of its own
        return False
    return True


def _with_exif(header: Image.Image) -> Image.Image:
    """Find EXIF data behind the pixels of a PNG, for which Pillow reads them."""
    if header.format == 'PNG' and 'exif' not in header.info:
        place = header.fp.tell()
        header.fp.seek(max(0, header.fp.seek(0, os.SEEK_END) - TAIL))
        is_there = EXIF_IN_PNG in header.fp.read()
        header.fp.seek(place)
        if is_there:
            header.load()
    return header


def size_of(header: Image.Image, turns: bool = True) -> tuple[int, int]:
    """Return height and width, with ``turns`` after the image was turned as EXIF says."""
    height, width = header.size[::-1]
    if header.format == 'TIFF':  # whose sides newer versions of Pillow exchange
        height, width = header.tag_v2[LENGTH], header.tag_v2[WIDTH]
    return (width, height) if turns and orientation(header) >= 5 else (height, width)


def reason_of(error: Exception) -> str:
    """Return why an image cannot be read; every Pillow plugin has its own exceptions."""
    return getattr(error, 'strerror', None) or 'damaged or not an image'


def read_content(path: str, backend_args: dict | None = None) -> tuple[bytes, Image.Image | None]:
    """Return the bytes of a file, and Pillow's undecoded image or None for an unknown format.

    Raises:
        ValueError: it cannot be an image, is too large, or is a JPEG that is truncated.
    """
    if backend_args is None and os.path.isfile(path):
        content = Path(path).read_bytes()  # mmengine asks five times as long which backend it is
    else:
        from mmengine import fileio

        content = fileio.get(path, backend_args=backend_args)
    return content, header_of(content)


def header_of(content: bytes, most: int | None = None) -> Image.Image | None:
    """Return Pillow's undecoded image of the bytes of a file, None for an unknown format.

    Args:
        content: of the file.
        most: pixels of an image, None for Pillow's limit alone.

    Raises:
        TooManyPixels: the image is larger.
        ValueError: it cannot be an image, or is a JPEG that is truncated.
        InputError: it needs a package that is not installed.
    """
    if not content:
        raise ValueError('the file is empty')
    if content.startswith(POINTER):
        raise ValueError(NOT_FETCHED)
    try:
        header = Image.open(BytesIO(content))
        if most is not None and header.width * header.height > most:
            size = f'{header.width} x {header.height} pixels'
            raise TooManyPixels(f'its {size} are more than the limit of {most:,}')
        header = _with_exif(header)  # which may decode it
    except (TooManyPixels, InputError):  # the second names the package that reads the format
        raise
    except Image.DecompressionBombError as error:
        raise TooManyPixels(f'{str(error).partition(",")[0]}. Cut it into tiles') from error
    except Exception:  # OpenCV, with more formats, may still read it, or its failure is reported
        return None
    # searched for behind the header, as a thumbnail there has an end of its own
    if header.format == 'JPEG' and content.rfind(JPEG_END, header.fp.tell()) < 0:
        raise ValueError(f'truncated, the JPEG data stops after {len(content)} bytes')
    return header


def decode(
    content: bytes, header: Image.Image | None, color_type: str | int = 'color', backend='cv2'
) -> np.ndarray:
    """Return the pixels of a file, by default (H, W, 3) in BGR; arguments as mmcv names them.

    A number as ``color_type`` is that of the bands (H, W, bands), which are not exchanged.

    Raises:
        ValueError: nothing can be made of it, or it has another number of bands.
    """
    if isinstance(color_type, int):
        bands = decode_bands(content, header)
        if bands.shape[2] != color_type:
            given = f'model.backbone.in_channels={color_type}'
            raise ValueError(f'it has {bands.shape[2]} bands, but {given}')
        return bands
    if backend == 'cv2' and color_type in FLAGS:
        image = _decode_upright(content, header, FLAGS[color_type])
    else:
        import mmcv

        image = mmcv.imfrombytes(content, flag=color_type, backend=backend)
    if image is not None:
        return image
    if header is not None and header.mode in OTHER_VALUES:
        values = f'{header.format} of {OTHER_VALUES[header.mode]} values'
        raise ValueError(f'a {values}. Convert it to 8 or 16 bits')
    raise ValueError(DAMAGED)


def _decode_upright(content: bytes, header: Image.Image | None, flag: int) -> np.ndarray | None:
    """Return the pixels in 8 bits, turned as EXIF says; None where there is no decoder."""
    if header is not None and header.format in BY_PILLOW:
        image = pixels_of(header)
        return cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) if flag == FLAGS['grayscale'] else image
    flag |= cv2.IMREAD_IGNORE_ORIENTATION  # of a TIFF it is never ignored
    data = np.frombuffer(content, np.uint8)
    image = cv2.imdecode(data, flag)
    if header is None:
        stored = cv2.imdecode(data, flag | cv2.IMREAD_ANYDEPTH)
        if stored is not None and stored.dtype not in DEPTHS:
            raise ValueError(f'an image of {stored.dtype} values. Convert it to 8 or 16 bits')
    if image is None or header is None:
        return image
    if _has_16_bits(content, header):
        warn_if_dark(image)
    value = UPRIGHT if header.format == 'TIFF' else orientation(header)
    return np.ascontiguousarray(turned(image, value))


def pixels_of(image: Image.Image) -> np.ndarray:
    """Return the pixels (H, W, 3) in BGR of an image of Pillow, as :func:`decode` does of files.

    Raises:
        ValueError: its values are neither of 8 nor of 16 bits.
    """
    image = upright(image)
    if image.mode in OTHER_VALUES:
        raise ValueError(f'it has {OTHER_VALUES[image.mode]} values. Convert it to 8 or 16 bits')
    if image.mode.startswith('I;16'):
        pixels = (np.asarray(image) >> 8).astype(np.uint8)  # (H, W)
        warn_if_dark(pixels)
        return cv2.cvtColor(pixels, cv2.COLOR_GRAY2BGR)
    return cv2.cvtColor(np.asarray(image.convert('RGB')), cv2.COLOR_RGB2BGR)


def _has_16_bits(content: bytes, header: Image.Image) -> bool:
    if header.format == 'TIFF':
        return 16 in header.tag_v2.get(BITS, ())
    return header.format == 'PNG' and content[24] == 16  # its header has a fixed place


def warn_if_dark(image: np.ndarray) -> None:
    """Warn once of a picture of 16 bits that is nearly black in 8, as 12-bit cameras write them.

    Pictures that are black as a whole are left alone.
    """
    if 0 < image.max() <= DARK and not TOLD:
        TOLD.add('dark')
        text = (
            'a 16-bit image uses only its lowest 12 bits, so it is nearly black when read as 8 '
            'bits. If that is not intended, multiply the values by 16 and save the images again'
        )
        show_warnings([text])


def decode_bands(content: bytes, header: Image.Image | None) -> np.ndarray:
    """Return all bands of a TIFF, .npy or other file, turned as EXIF says, (H, W, bands).

    Those of 8 bits are uint8, all others float32. An array is (H, W) or (H, W, bands).

    Args:
        content, header: of :func:`read_content`.

    Raises:
        ValueError: it is no picture, too large, or has values that are not finite.
    """
    value = UPRIGHT if header is None else orientation(header)
    if content[:6] == b'\x93NUMPY':
        pixels = np.load(BytesIO(content), allow_pickle=False)
        axes = 'YXS'
    elif content[:4] in TIFF:
        tifffile = import_optional('tifffile', 'tifffile')
        series = tifffile.TiffFile(BytesIO(content)).series[0]
        if series.size > 16 * Image.MAX_IMAGE_PIXELS:
            raise ValueError(f'{series.size} values are too many. Cut it into tiles')
        pixels = series.asarray()
        axes = series.axes
    else:
        pixels = np.asarray(Image.open(BytesIO(content)))
        axes = 'YXS'
    pixels = pixels[..., None] if pixels.ndim == 2 else pixels
    if pixels.ndim != 3 or pixels.dtype.kind not in 'biuf':
        raise ValueError(f'{pixels.shape} values of {pixels.dtype} are not the bands of one image')
    if axes[-1] in 'YX' and len(axes) == 3:  # (bands, H, W)
        pixels = pixels.transpose(1, 2, 0)
    if not np.isfinite(pixels).all():
        raise ValueError('it contains values that are NaN or infinite')
    kind = np.uint8 if pixels.dtype == np.uint8 else np.float32
    return np.ascontiguousarray(turned(pixels, value), kind)


@contextmanager
def naming(path: str, advice: str) -> Iterator[None]:
    """Turn all errors into one that names the file and ends in ``advice``."""
    try:
        yield
    except Exception as error:  # every file and decoder backend has exceptions of its own
        reason = getattr(error, 'strerror', None) or error
        if os.path.islink(path) and not os.path.exists(path):
            reason = f'a link to {os.path.realpath(path)}, which no longer exists'
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
            return np.zeros((*size_of(read_header(path)), 3), np.uint8)
        return decode(*read_content(path, backend_args), color_type, imdecode_backend)


def read_shown(path: str) -> np.ndarray:
    """Read a picture to be drawn as :func:`read_image` does, or :func:`decode_bands`."""
    with suppress(UnreadableImage):
        return read_image(path)
    with naming(path, ADVICE):
        return decode_bands(*read_content(path))


@contextmanager
def as_black(path: str | None) -> Iterator[None]:
    """Let :func:`read_image` return a black picture of the right size for a file, undecoded."""
    BLACK.update([path] if path and os.path.isfile(path) else [])
    try:
        yield
    finally:
        BLACK.clear()
