"""Pictures dealt out into folds, of which each has as many of a class as the others."""

from collections import Counter
from collections.abc import Sequence

import numpy as np


def deal(groups: Sequence[Sequence[int]], keys: Sequence[int], folds: int) -> np.ndarray:
    """Return the fold of each picture (N,); a group stays together.

    Args:
        groups: rows of pictures; those in none are groups of their own.
        keys: of each picture, what the folds are to have alike, such as its rarest class.
        folds: their number.
    """
    fold = np.zeros(len(keys), int)
    sizes = Counter()
    rng = np.random.default_rng(0)
    alone = {*range(len(keys))}.difference(*groups)
    groups = [*groups, *([row] for row in sorted(alone))]
    for i in rng.permutation(len(groups)):
        rows = groups[i]
        key = keys[rows[0]]
        best = min(range(folds), key=lambda n: (sizes[n, key], sizes[n]))
        fold[rows] = best
        sizes[best, key] += len(rows)
        sizes[best] += len(rows)
    return fold
