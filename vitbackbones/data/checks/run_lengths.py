"""Read COCO's run lengths (RLE) without C code, which trusts what a file says.

A mask is the lengths of its runs of 0 and 1 in turn, down one column after another. Compressed,
each is a number of 5-bit digits, the lowest first, in characters from '0' on; bit 6 says that more
digits follow, the last digit is signed, and from the fourth number on the one two places before is
taken off.
"""

import numpy as np

from ...utils.messages import cut

DIGITS = 6  # of a number: 30 bits, more than pixels of any image


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
    if min(runs, default=0) < 0 or sum(runs) != height * width:
        what = 'a run is negative' if min(runs, default=0) < 0 else f'its runs are {cut(sum(runs))}'
        raise ValueError(f'{what}, the image has {height * width} pixels')
    return np.array(runs, np.int64)


def _decompressed(counts: str) -> list[int]:
    """Return the runs of compressed RLE."""
    codes = np.frombuffer(counts.encode(errors='replace'), np.uint8).astype(np.int64) - ord('0')
    if not counts or codes.min() < 0 or codes.max() >= 64 or codes[-1] & 32:
        raise ValueError('its compressed counts are cut off or have characters of no RLE')
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


def bounds(runs: np.ndarray, height: int) -> tuple[int, int, int, int]:
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
