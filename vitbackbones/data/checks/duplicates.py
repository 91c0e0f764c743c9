"""Near duplicates among pictures: the same one smaller, encoded again, darker or cut a little.

Pictures are alike where most of 256 signs of their low frequencies are (a perceptual hash by the
discrete cosine transform), so that size, encoding and brightness do not count. A picture takes 32
bytes, and the distances of a few hundred to all the others are in memory at a time.
"""

from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from ...utils.messages import on_terminal
from ..loading.image_file import read_image

SIDE, KEPT = 64, 16  # of the small picture in pixels, and of its low frequencies
MOST = 40  # of 256 signs that differ between near duplicates; half of them between any two
ROWS = 256  # pictures that are compared with all others at a time


def perceptual_hashes(files: Sequence[Path], threads: int) -> np.ndarray:
    """Return the signs of each picture's low frequencies, packed (N, 32) in uint8.

    Raises:
        UnreadableImage: one of them cannot be read.
    """
    with ThreadPoolExecutor(threads) as pool:  # decoders leave Python's lock
        found = tqdm(
            pool.map(_hash, files), 'look', len(files), leave=False, disable=not on_terminal()
        )
        return np.stack([*found])


def _hash(file: Path) -> np.ndarray:
    gray = cv2.cvtColor(read_image(str(file)), cv2.COLOR_BGR2GRAY)
    small = cv2.resize(gray, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
    waves = cv2.dct(small.astype(np.float32))[:KEPT, :KEPT].ravel()  # (16, 16) -> (256,)
    waves[0] = 0  # the mean, which is brightness
    return np.packbits(waves > np.median(waves))


def near_duplicates(hashes: np.ndarray) -> list[list[int]]:
    """Return the groups of rows (N, 32) of which each is near another; the smallest row first."""
    leader = list(range(len(hashes)))

    def first(row: int) -> int:
        while leader[row] != row:
            leader[row] = row = leader[leader[row]]
        return row

    matcher = cv2.BFMatcher(cv2.NORM_HAMMING)
    for start in range(0, len(hashes), ROWS):
        rows = hashes[start : start + ROWS]
        for matches in matcher.radiusMatch(rows, hashes[start:], MOST + 0.5):
            for match in matches:
                one, other = sorted(first(start + i) for i in (match.queryIdx, match.trainIdx))
                leader[other] = one
    groups = defaultdict(list)
    for row in range(len(hashes)):
        groups[first(row)].append(row)
    return [group for group in groups.values() if len(group) > 1]
