"""The table of a study."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from vitbackbones.results.analysis.study_table import Record, holm, paired_difference, table

BASE = Record('plain', 'plain', {0: 60.0, 1: 62.0, 2: 61.0}, 79.8, None, 1_234_567, 0.1)


def shifted(name, *shifts, paper=80.9, against='plain', paper_against=None):
    values = {seed: BASE.values[seed] + shift for seed, shift in enumerate(shifts)}
    return Record(name, against, values, paper, paper_against, 2_000_000, 0.2)


def rows_of(*records):
    return {row['variant']: row for row in table([BASE, *records])}


def test_a_baseline_is_compared_with_nothing():
    row = rows_of()['plain']
    shown = [row[key] for key in ('parameters', 'runs', 'mean', 'deviation', 'paper')]
    assert shown == ['1.235', '3', '61.00', '1.00', '79.8']
    assert row['verdict'] == row['difference'] == row['same_sign'] == ''


def test_a_difference_exceeds_the_noise_or_was_not_shown():
    shifts = {'up': (2.0, 2.1, 2.2), 'down': (-3, -3.1, -3.2), 'same': (1, -1, 0.5)}
    rows = rows_of(*(shifted(name, *each) for name, each in shifts.items()))
    assert [rows[name]['verdict'] for name in shifts] == ['yes, higher', 'yes, lower', 'not shown']
    assert [rows[name]['same_sign'] for name in ('up', 'down')] == ['yes', 'no']
    assert rows['up']['difference'] == '+2.10'
    assert rows['up']['paper_difference'] == '+1.10'
    assert rows['up']['interval'].startswith('+1.85 to +2.35')
    assert rows_of(shifted('sure', 2.0, 2.001, 2.002))['sure']['p'] == '<0.001'


def test_several_comparisons_are_corrected():
    record = shifted('up', 1.0, 1.3, 1.5)
    alone = rows_of(record)['up']
    assert alone['verdict'] == 'yes, higher'
    noise = [shifted(f'noise_{i}', 1, -1, 0.5) for i in range(4)]
    among = rows_of(record, *noise)['up']
    assert among['verdict'] == 'not shown'
    assert among['p'] == alone['p']
    assert float(among['p_corrected']) == 5 * float(alone['p_corrected'])
    row = rows_of(shifted('up', 1, 1, 2, paper=70.3, paper_against=67.6))['up']
    assert (row['paper'], row['paper_difference']) == ('70.3 (67.6)', '+2.70')
    assert row['same_sign'] == 'yes'


def test_what_is_missing_stays_empty():
    nothing = shifted('nothing')
    rows = rows_of(shifted('one', 1, paper=None), nothing, replace(nothing, name='none'))
    assert rows['one']['verdict'] == 'one pair: cannot be said'
    assert rows['one']['difference'] == '+1.00'
    assert rows['one']['same_sign'] == rows['one']['interval'] == ''
    assert rows['nothing']['runs'] == '0'
    assert rows['nothing']['mean'] == rows['nothing']['verdict'] == ''


def test_a_result_that_is_not_a_number_proves_nothing():
    row = rows_of(shifted('diverged', 1, float('nan'), 2))['diverged']
    assert (row['mean'], row['deviation'], row['difference']) == ('nan', 'nan', '+nan')
    assert row['verdict'] == 'a result is not a number: cannot be said'
    assert row['p'] == row['interval'] == row['same_sign'] == ''


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


@pytest.mark.parametrize(('shift', 'p'), [(0, 1), (2, 0)])
def test_differences_without_any_noise(shift, p, recwarn):
    found = paired_difference({seed: x + shift for seed, x in REFERENCE.items()}, REFERENCE)
    assert (found.mean, found.low, found.high, found.p) == (shift, shift, shift, p)
    assert not recwarn.list


def test_holm_keeps_the_order_and_passes_over_what_was_not_compared():
    corrected = holm([0.02, np.nan, 0.01, 0.9])
    assert corrected == pytest.approx([0.04, np.nan, 0.03, 0.9], nan_ok=True)
    assert holm([0.5, 0.6]) == [1, 1]
