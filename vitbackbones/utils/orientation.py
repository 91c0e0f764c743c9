"""How a camera was held, and a picture turned upright: one rule for whatever reads pictures.

The tag Orientation of EXIF (CIPA DC-008, EXIF 2.32, section 4.6.4 A) is a number from 1 to 8. Any
other value, a damaged block, or none at all means that the picture is as it is stored. XMP and text
chunks, which may repeat the tag, do not count.

Pillow and OpenCV differ by format, by version, and where a value is none of the eight. So the tag
is read here, from the bytes that Pillow finds in a header.
"""

from io import BytesIO
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from PIL import Image

    Pixels = TypeVar('Pixels', bound=np.ndarray)

UPRIGHT = 1
ORIENTATION = 0x0112  # the tag
ORDERS = {b'II*\0': 'little', b'MM\0*': 'big'}  # of bytes, by how an EXIF block begins
SIZES = {1: 1, 3: 2, 4: 4}  # bytes of a number, by its type in EXIF: BYTE, SHORT, LONG


# What makes a picture upright, in Pillow's words.
TURNS = {
    2: 'FLIP_LEFT_RIGHT',
    3: 'ROTATE_180',
    4: 'FLIP_TOP_BOTTOM',
    5: 'TRANSPOSE',
    6: 'ROTATE_270',
    7: 'TRANSVERSE',
    8: 'ROTATE_90',
}
# The same with arrays: rows and columns are exchanged first.
EXCHANGED, REVERSED_ROWS, REVERSED_COLUMNS = (5, 6, 7, 8), (3, 4, 7, 8), (2, 3, 6, 7)


def orientation(image: 'Image.Image') -> int:
    """Return the orientation, from 1 to 8, of the pixels that an image of Pillow has or will have.

    Pillow turns a TIFF by itself when it reads the pixels; until then this is what the file says.
    """
    if hasattr(image, 'tag_v2'):
        value = image.tag_v2.get(ORIENTATION)
    else:
        value = _stored(image.info.get('exif') or b'')
    return value if value in TURNS else UPRIGHT


def turned(pixels: 'Pixels', value: int) -> 'Pixels':
    """Return pixels (H, W) or (H, W, channels) upright, of the orientation ``value``.

    The result shares memory with ``pixels``; from 5 on it is (W, H) or (W, H, channels).
    """
    if value in EXCHANGED:
        pixels = pixels.swapaxes(0, 1)  # (H, W, ...) -> (W, H, ...)
    rows, columns = (-1 if value in some else 1 for some in (REVERSED_ROWS, REVERSED_COLUMNS))
    return pixels[::rows, ::columns]


def upright(image: 'Image.Image') -> 'Image.Image':
    """Return an image of Pillow turned as its EXIF data says, without that data; else the same."""
    from PIL import Image

    if image.format == 'TIFF' and orientation(image) != UPRIGHT:
        # Pillow maps uncompressed files into memory, and then exchanges their sides alone
        frame = image.tell()
        image.fp.seek(0)
        image = Image.open(BytesIO(image.fp.read()))
        image.seek(frame)
    image.load()  # turns a TIFF, and finds EXIF data behind the pixels of a PNG
    turn = TURNS.get(orientation(image))
    if turn is None:
        return image
    image = image.transpose(Image.Transpose[turn])
    image.info.pop('exif', None)
    return image


def _stored(exif: bytes) -> int | None:
    """Return the value of the tag in a block of EXIF data, None where it has none."""
    tiff = exif.removeprefix(b'Exif\0\0')
    order = ORDERS.get(tiff[:4])
    if order is None:
        return None

    def number(place: int, size: int) -> int:
        return int.from_bytes(tiff[place : place + size], order)

    first = number(4, 4)
    for row in range(number(first, 2)):
        entry = first + 2 + 12 * row  # tag, type, count and value
        if number(entry, 2) == ORIENTATION:
            size = SIZES.get(number(entry + 2, 2), 0)
            return number(entry + 8, size) if number(entry + 4, 4) == 1 else None
    return None
