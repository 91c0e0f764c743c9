"""The table of a study."""

import numpy as np
import pytest
from scipy import stats

from tools.studies.picture import draw
from tools.studies.table import (
    Record,
    Variant,
    bootstrap,
    holm,
    paired_difference,
    table,
)

PLAIN = Variant('plain', 'plain', {}, 79.8)
BASE = Record(PLAIN, {0: 60.0, 1: 62.0, 2: 61.0}, 1_234_567, 0.001)


def shifted(name, *shifts, paper=80.9, paper_against=None, expected=None, over_pictures=None):
    values = {seed: BASE.values[seed] + shift for seed, shift in enumerate(shifts)}
    variant = Variant(name, 'plain', {}, paper, paper_against, expected)
    return Record(variant, values, 2_000_000, over_pictures=over_pictures)


def rows_of(*records, smallest=None):
    return {row['variant']: row for row in table([BASE, *records], smallest)}


def test_a_baseline_is_compared_with_nothing():
    row = rows_of()['plain']
    shown = [row[key] for key in ('parameters', 'rate', 'runs', 'mean', 'deviation', 'paper')]
    assert shown == ['1.235', '0.001', '3', '61.00', '1.00', '79.8']
    assert row['verdict'] == row['difference'] == row['paper_difference'] == ''


def test_a_difference_exceeds_the_noise_or_is_open():
    shifts = {'up': (2.0, 2.1, 2.2), 'down': (-3, -3.1, -3.2), 'same': (1, -1, 0.5)}
    rows = rows_of(*(shifted(name, *each) for name, each in shifts.items()))
    assert [rows[name]['verdict'] for name in shifts] == ['higher', 'lower', 'open']
    assert rows['up']['difference'] == '+2.10'
    assert rows['up']['paper_difference'] == '+1.10'
    assert rows['up']['interval'].startswith('+1.85 to +2.35')
    assert rows_of(shifted('sure', 2.0, 2.001, 2.002))['sure']['p_corrected'] == '<0.001'


def test_a_difference_below_the_smallest_effect_is_called_none():
    small, wide = shifted('small', 0.2, 0.25, 0.3), shifted('wide', 0.5, -0.5, 0)
    rows = rows_of(small, wide, smallest=0.4)
    assert [rows[name]['verdict'] for name in ('small', 'wide')] == ['no effect of 0.4', 'open']
    assert rows_of(small)['small']['verdict'] == 'higher'


def test_a_difference_that_other_pictures_could_turn_is_open():
    shifts = (2.0, 2.1, 2.2)
    sure = shifted('sure', *shifts, over_pictures=(0.5, 3.5))
    unsure = shifted('unsure', *shifts, over_pictures=(-0.5, 4.5))
    rows = rows_of(sure, unsure)
    assert [rows[name]['verdict'] for name in ('sure', 'unsure')] == ['higher', 'open']
    assert rows['sure']['over_pictures'] == '+0.50 to +3.50'


def test_the_mean_is_held_against_what_was_expected():
    records = [shifted(name, 2, 2.1, 2.2, expected=(1, end)) for name, end in (('a', 3), ('b', 2))]
    rows = rows_of(*records)
    assert [rows[name]['as_expected'] for name in 'ab'] == ['yes', 'no']
    assert rows['a']['expected'] == '+1.00 to +3.00'


def test_several_comparisons_are_corrected():
    record = shifted('up', 1.0, 1.3, 1.5)
    alone = rows_of(record)['up']
    assert alone['verdict'] == 'higher'
    noise = [shifted(f'noise_{i}', 1, -1, 0.5) for i in range(4)]
    among = rows_of(record, *noise)['up']
    assert among['verdict'] == 'open'
    assert float(among['p_corrected']) == pytest.approx(5 * float(alone['p_corrected']), abs=0.003)
    row = rows_of(shifted('up', 1, 1, 2, paper=70.3, paper_against=67.6))['up']
    assert (row['paper'], row['paper_difference']) == ('70.3 (67.6)', '+2.70')


def test_what_is_missing_stays_empty():
    rows = rows_of(shifted('one', 1, paper=None), shifted('nothing'))
    assert rows['one']['verdict'] == 'one pair: no verdict possible'
    assert rows['one']['difference'] == '+1.00'
    assert rows['one']['paper_difference'] == rows['one']['interval'] == ''
    assert rows['nothing']['runs'] == '0'
    assert rows['nothing']['mean'] == rows['nothing']['verdict'] == ''


def test_a_result_that_is_not_a_number_proves_nothing():
    row = rows_of(shifted('diverged', 1, float('nan'), 2))['diverged']
    assert (row['mean'], row['deviation'], row['difference']) == ('nan', 'nan', '+nan')
    assert row['verdict'] == 'a result is not a number: no verdict possible'
    assert row['p_corrected'] == row['interval'] == ''


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


def test_pictures_are_drawn_anew():
    """Against the formula of the standard error, for 30 of 1000 pictures that one run gained."""
    theirs = np.zeros((2, 1000), bool)
    ours = theirs.copy()
    ours[0, :30] = True  # 1.5 points in the mean of two runs
    error = 50 * np.sqrt(0.03 * 0.97 / 1000)
    low, high = bootstrap(ours, theirs)
    assert low == pytest.approx(1.5 - 1.96 * error, abs=0.05)
    assert high == pytest.approx(1.5 + 1.96 * error, abs=0.05)
    assert bootstrap(ours, theirs) == (low, high)


def test_the_picture_has_every_seed_and_what_the_paper_says():
    up = shifted('up', 2.0, 2.1, 2.2, expected=(1, 3))
    left, right = draw([BASE, up, shifted('nothing')], 'mIoU', 0.4).axes
    assert left.get_xlabel() == 'mIoU, %'
    assert [text.get_text() for text in left.get_yticklabels()] == ['plain', 'up', 'nothing']
    dots = [line.get_xdata() for line in left.lines if line.get_marker() == 'o']
    assert [len(each) for each in dots] == [3, 3, 0]
    (paper,) = (
        line for line in right.lines if line.get_marker() == 'D' and line.get_ydata()[0] == 1
    )
    assert paper.get_xdata()[0] == pytest.approx(1.1)
