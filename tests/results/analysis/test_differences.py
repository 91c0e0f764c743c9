"""Differences of runs that share their seeds."""

import numpy as np
import pytest
from scipy import stats

from vitbackbones.results.analysis.differences import holm, paired_difference

REFERENCE = {0: 60.0, 1: 63.0, 2: 61.0}


def test_a_difference_is_tested_by_seed():
    """Against the formula: t = mean / (sd / sqrt(n)), n - 1 degrees of freedom."""
    values = {0: 61.0, 1: 65.0, 2: 62.5}
    differences = np.array([1.0, 2.0, 1.5])
    error = differences.std(ddof=1) / np.sqrt(3)
    found = paired_difference(values, REFERENCE)
    assert found.mean == pytest.approx(1.5)
    assert found.p == pytest.approx(2 * stats.t.sf(1.5 / error, 2))
    assert found.low == pytest.approx(1.5 - stats.t.ppf(0.975, 2) * error)
    assert found.high == pytest.approx(1.5 + stats.t.ppf(0.975, 2) * error)


def test_only_seeds_that_both_have_count():
    assert paired_difference({1: 64.0, 7: 0.0, 2: 63.0}, REFERENCE).mean == pytest.approx(1.5)
    assert paired_difference({7: 0.0}, REFERENCE) is None


def test_one_pair_shows_no_noise():
    found = paired_difference({1: 64.0}, REFERENCE)
    assert found.mean == 1
    assert np.isnan([found.p, found.low, found.high]).all()


@pytest.mark.parametrize(('shift', 'p'), [(0, 1), (2, 0)])
def test_differences_without_any_noise(shift, p, recwarn):
    found = paired_difference({seed: x + shift for seed, x in REFERENCE.items()}, REFERENCE)
    assert (found.mean, found.low, found.high, found.p) == (shift, shift, shift, p)
    assert not recwarn.list


def test_holm_keeps_the_order_and_passes_over_what_was_not_compared():
    corrected = holm([0.02, np.nan, 0.01, 0.9])
    assert corrected == pytest.approx([0.04, np.nan, 0.03, 0.9], nan_ok=True)
    assert holm([0.5, 0.6]) == [1, 1]
