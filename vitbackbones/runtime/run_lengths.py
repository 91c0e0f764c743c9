"""A mask as COCO's run lengths (RLE), written without pycocotools.

A mask in RLE is the lengths of its runs of 0 and 1 in turn, down one column after another.
Compressed, each is a number of 5-bit digits, the lowest first, in characters from '0' on; bit 6
says that more digits follow, and the last digit is signed. From the fourth number on, the number
two places before is subtracted.
"""

import numpy as np


def to_rle(mask: np.ndarray) -> dict:
    """Return a mask (H, W) as compressed RLE that JSON can hold."""
    pixels = mask.astype(bool).ravel(order='F')  # (H, W) -> (W * H), column after column
    changes = np.flatnonzero(pixels[1:] != pixels[:-1]) + 1
    outside_is_empty = [0] if pixels[0] else []
    runs = np.diff(np.concatenate([[0], outside_is_empty, changes, [pixels.size]]).astype(int))
    # as COCO compresses them: each from the last but one, in as few letters as keep its sign
    rest = runs.copy()
    rest[3:] -= runs[1:-2]
    letters = []
    going = np.ones(len(rest), bool)
    while going.any():
        low, rest = rest & 31, rest >> 5
        more = going & (rest != np.where(low & 16, -1, 0))
        letters.append(np.where(going, 48 + low + 32 * more, 0))
        going = more
    written = np.stack(letters, axis=1)  # (runs, letters), 0 behind the last of a number
    counts = written[written > 0].astype(np.uint8).tobytes().decode()
    return {'size': list(mask.shape), 'counts': counts}
