"""Near duplicates among pictures: the same one smaller, encoded again, darker, cut a little, or
mirrored and turned.

Pictures are alike where most of 256 signs of their low frequencies are (a perceptual hash by the
discrete cosine transform), so that size, encoding and brightness do not count. Of a mirrored
picture the odd frequencies change their signs, and of a turned one rows and columns change places
as well, so all eight orientations come from one transform. A picture takes 256 bytes.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from ..data.loading.image_file import read_image
from ..utils.messages import on_terminal

SIDE, KEPT = 64, 16  # of the small picture in pixels, and of its low frequencies
MOST = 40  # of 256 signs that differ between near duplicates; half of them between any two
ROWS = 32  # pictures that are compared with all others at a time


def perceptual_hashes(files: Sequence[Path], threads: int) -> np.ndarray:
    """Return the signs of each picture's low frequencies, packed (N, 8, 32) in uint8.

    The first of the eight orientations is that of the file.

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
    waves = cv2.dct(small.astype(np.float32))[:KEPT, :KEPT]
    waves[0, 0] = 0  # the mean, which is brightness
    signs = np.ones(KEPT), (-1) ** np.arange(KEPT)  # of a side as it is, and mirrored
    turned = [
        one * down[:, None] * across
        for one, down, across in product((waves, waves.T), signs, signs)
    ]
    return np.stack([np.packbits(each > np.median(each)) for each in turned])


def near_duplicates(hashes: np.ndarray) -> list[list[int]]:
    """Return the groups of rows (N, orientations, 32) of which each is near another.

    Rows of a group are in order, and so are groups by their first ones. What has found its group is
    not compared again, so that many pictures that are alike take no longer than others.
    """
    groups = []
    rest = np.arange(len(hashes))
    own = hashes[:, 0]
    while len(rest):
        group, waiting = [int(rest[0])], [int(rest[0])]
        rest, own = rest[1:], own[1:]
        while waiting and len(rest):
            asked, waiting = waiting[:ROWS], waiting[ROWS:]
            near = _near(hashes[asked].reshape(-1, hashes.shape[-1]), own)
            if near.any():
                found = rest[near].tolist()
                group += found
                waiting += found
                rest, own = rest[~near], own[~near]
        groups.append(sorted(group))
    return [group for group in groups if len(group) > 1]


def _near(hashes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Tell of each of the others (M, 32) whether one of the hashes (K, 32) is near."""
    nearest, _ = cv2.batchDistance(others, hashes, cv2.CV_32S, normType=cv2.NORM_HAMMING, K=1)
    return nearest[:, 0] <= MOST  # (M, 1) -> (M,)
