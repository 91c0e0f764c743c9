"""Masks of objects as COCO writes them: polygons, and the lengths of runs (RLE).

Both are exact: pycocotools draws the very mask from either. Its C code trusts what a file says and
may write beyond its memory, so :func:`read_runs` reads run lengths of unknown origin first.

A mask in RLE is the lengths of its runs of 0 and 1 in turn, down one column after another.
Compressed, each is a number of 5-bit digits, the lowest first, in characters from '0' on; bit 6
says that more digits follow, and the last digit is signed. From the fourth number on the one two
places before is subtracted.
"""

import cv2
import numpy as np

from ...utils.messages import cut

DIGITS = 6  # of a number: 30 bits, more than any image has pixels


def to_rle(mask: np.ndarray) -> dict:
    """Return a mask (H, W) as compressed RLE that JSON can hold."""
    pixels = mask.astype(bool).ravel(order='F')  # (H, W) -> (W * H), column after column
    changes = np.flatnonzero(pixels[1:] != pixels[:-1]) + 1
    outside_is_empty = [0] if pixels[0] else []
    runs = np.diff(np.concatenate([[0], outside_is_empty, changes, [pixels.size]]).astype(int))
    return {'size': list(mask.shape), 'counts': _letters(runs)}


def _letters(runs: np.ndarray) -> str:
    """Write run lengths as COCO compresses them, each in as few letters as keep its sign."""
    rest = runs.copy()
    rest[3:] -= runs[1:-2]
    letters, going = [], np.ones(len(rest), bool)
    while going.any():
        low, rest = rest & 31, rest >> 5
        more = going & (rest != np.where(low & 16, -1, 0))
        letters.append(np.where(going, 48 + low + 32 * more, 0))
        going = more
    written = np.stack(letters, axis=1)  # (runs, letters), 0 behind the last of a number
    return written[written > 0].astype(np.uint8).tobytes().decode()


def read_runs(code: dict, height: int, width: int) -> np.ndarray:
    """Return the lengths of runs (R,) of an RLE, compressed or not.

    Args:
        code: what stands in a file for the mask of an image of this size.

    Raises:
        ValueError: says why the code stands for no mask of this image.
    """
    size, counts = code.get('size'), code.get('counts')
    if not isinstance(size, list) or [*map(type, size)] != [int, int]:
        raise ValueError(f"its 'size' is {cut(size)} and must be [height, width]")
    if size != [height, width]:
        raise ValueError(f'it is of {size[1]} x {size[0]} pixels, the image of {width} x {height}')
    runs = _decompressed(counts) if isinstance(counts, str) else counts
    if not isinstance(runs, list) or set(map(type, runs)) - {int}:
        raise ValueError(f"its 'counts' is {cut(counts)} and must be a text or a list of integers")
    if min(runs, default=0) < 0:
        raise ValueError('a run is negative')
    if sum(runs) != height * width:
        raise ValueError(f'its runs are {cut(sum(runs))}, the image has {height * width} pixels')
    return np.array(runs, np.int64)


def _decompressed(counts: str) -> list[int]:
    """Return the runs of compressed RLE; the reverse of :func:`_letters`."""
    codes = np.frombuffer(counts.encode(errors='replace'), np.uint8).astype(np.int64) - ord('0')
    if not counts or codes.min() < 0 or codes.max() >= 64 or codes[-1] & 32:
        raise ValueError('its compressed counts are cut off, or have a character that RLE lacks')
    last = np.flatnonzero(codes & 32 == 0)  # digit of each number
    first = np.concatenate([[0], last[:-1] + 1])
    length = last - first + 1
    if length.max() > DIGITS:
        raise ValueError('its compressed counts have a number of more than 30 bits')
    place = np.arange(len(codes)) - first.repeat(length)
    numbers = np.add.reduceat((codes & 31) << 5 * place, first)
    numbers -= (codes[last] & 16 > 0) * (1 << 5 * length)  # two's complement
    numbers[1::2] = numbers[1::2].cumsum()
    numbers[2::2] = numbers[2::2].cumsum()
    return numbers.tolist()


def bounds_of_runs(runs: np.ndarray, height: int) -> tuple[int, int, int, int]:
    """Return x1, y1, x2, y2 of the pixels of runs, all 0 where there are none."""
    ends = runs.cumsum()[1::2]
    on = runs[1::2] > 0
    start, last = (ends - runs[1::2])[on], ends[on] - 1
    if not len(start):
        return 0, 0, 0, 0
    whole = (start // height != last // height).any()  # a run over the end of a column
    top = 0 if whole else int((start % height).min())
    bottom = height if whole else int((last % height).max()) + 1
    return int(start[0]) // height, top, int(last[-1]) // height + 1, bottom


def to_polygons(mask: np.ndarray) -> list[list[int]]:
    """Return a mask (H, W) as polygons [x, y, x, y, ...] along the edges of its pixels.

    Each part of the mask is one polygon. COCO joins the polygons of an object, so a hole cannot be
    one of them: it is joined to the outline around it by a cut without width. An empty mask has no
    polygon.
    """
    # A contour runs through centers of pixels. At twice the size those of the outermost quarters
    # are a quarter inside of the edges, to which (position + 1) // 2 moves them.
    double = mask.astype(np.uint8).repeat(2, axis=0).repeat(2, axis=1)  # (2H, 2W)
    outlines, tree = cv2.findContours(double, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    rings = []
    for outline in outlines:
        ring = (outline[:, 0] + 1) // 2  # (K, 1, 2) -> (K, 2)
        # contours cut corners that turn inward: two of them become one
        rings.append(ring[(ring != np.roll(ring, 1, axis=0)).any(1)])
    polygons = []
    for place, ring in enumerate(rings):
        _, _, hole, around = tree[0, place]
        if around >= 0:  # itself a hole
            continue
        path = [ring]
        while hole >= 0:
            path += [ring[:1], rings[hole], rings[hole][:1]]
            hole = tree[0, hole, 0]  # the next one in the same outline
        polygons.append(np.concatenate(path).ravel().tolist())
    return polygons


def box_around(mask: np.ndarray) -> list[int]:
    """Return x1, y1, x2, y2 around the pixels of a mask (H, W) that is not empty."""
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    return [int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1]


def to_mask(segmentation: list | dict, height: int, width: int) -> np.ndarray:
    """Return the mask (H, W) in bool of sound polygons or RLE, compressed or not."""
    from pycocotools import mask as coco_mask

    code = segmentation
    if isinstance(code, list):
        code = coco_mask.merge(coco_mask.frPyObjects(code, height, width))
    elif isinstance(code['counts'], list):
        code = coco_mask.frPyObjects(code, height, width)
    return coco_mask.decode(code).astype(bool)
