"""Whether two results differ by more than chance, from runs that share their seeds.

Two models trained with the same seed see the same pictures in the same order, so their difference
varies less than either result. The test is Student's paired t-test on the differences of each seed
(``scipy.stats.ttest_rel``). Few seeds make it weak: of three, the mean difference must be 2.5 times
the standard deviation of the differences before p falls below 0.05. A p value above it says that
nothing was shown, not that there is nothing.

Among many comparisons one is below 0.05 by chance. Holm's correction (1979) keeps the probability
of any such mistake below 0.05: the smallest of k values is multiplied by k, the next by k - 1, ...
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

CONFIDENCE = 0.95
LIMIT = 1 - CONFIDENCE  # for p after the correction


@dataclass(frozen=True)
class Difference:
    """The difference of two results over the seeds that both have.

    Attributes:
        mean: of the differences.
        low, high: the interval that holds the true mean with a confidence of 95 %.
        p: the probability of so large a difference if there were none.
        pairs: how many seeds both have. Below two only ``mean`` is a number, the others are NaN.
    """

    mean: float
    low: float
    high: float
    p: float
    pairs: int


def paired_difference(values: dict[int, float], reference: dict[int, float]) -> Difference | None:
    """Compare two results by their seeds; None if they share none.

    Args:
        values: the result of each seed.
        reference: what is subtracted.
    """
    seeds = sorted(values.keys() & reference.keys())
    if not seeds:
        return None
    ours, theirs = [[each[seed] for seed in seeds] for each in (values, reference)]
    differences = np.subtract(ours, theirs)
    mean = float(differences.mean())
    if len(seeds) < 2:
        return Difference(mean, np.nan, np.nan, np.nan, len(seeds))
    if np.ptp(differences) == 0:  # no noise at all: the test would divide by it
        return Difference(mean, mean, mean, float(mean == 0), len(seeds))
    test = stats.ttest_rel(ours, theirs)
    low, high = test.confidence_interval(CONFIDENCE)
    return Difference(mean, float(low), float(high), float(test.pvalue), len(seeds))


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p values for their number; NaN, of comparisons that could not be made, stays.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    corrected = list(p_values)
    made = sorted((p, i) for i, p in enumerate(p_values) if not np.isnan(p))
    least = 0.0
    for rank, (p, i) in enumerate(made):
        least = max(least, min(1.0, p * (len(made) - rank)))
        corrected[i] = least
    return corrected
