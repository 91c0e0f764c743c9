"""The tables and the picture of own_sets, from known numbers."""

from pathlib import Path

import pytest

from benchmarks.own_sets import COLUMNS, read_rows
from benchmarks.own_sets_page import MARK, compared, draw, measured, p_value, tables, write_page

DOCS = Path(__file__).parents[2] / 'docs'


def row(name, method, score, n=25, seed=0, **more):
    given = {'set': name, 'n': n, 'seed': seed, 'method': method, 'steps': 300, 'AP': score / 2}
    given |= {'AP50': score, 'mIoU': '', 'cpu_s': 80, 'wall_s': 90, 'version': '1'}
    return {key: str(value) for key, value in (given | more).items()}


ROWS = [
    row('fruit', 'noise', 0.2),
    row('fruit', 'noise', 0.2, seed=1),
    row('fruit', 'lite0', 0.3, cpu_s=100),
    row('fruit', 'lite0', 0.5, seed=1, cpu_s=200),
    row('waste', 'noise', 0.1),
    row('waste', 'lite0', 0.8, cpu_s=300),
    row('fruit', 'noise', 0.4, n=100),
    row('fruit', 'noise', 0.4, n=100, seed=1),
]


def test_the_ratio_is_the_geometric_mean_over_sets_of_means_over_seeds():
    found = measured(ROWS, 'AP50')
    comparison = compared(found[25, 'lite0'], found[25, 'noise'])
    assert comparison.ratio == pytest.approx((0.4 / 0.2 * 0.8 / 0.1) ** 0.5)
    assert comparison[:3] == (2, 2, 3)


def test_what_one_of_two_methods_has_not_run_does_not_count():
    ours = {('a', '0'): 0.4, ('b', '0'): 0.9, ('a', '1'): 0.9}
    theirs = {('a', '0'): 0.2, ('c', '0'): 0.1}
    assert compared(ours, theirs)[:4] == (1, 1, 1, pytest.approx(2))
    assert compared(ours, {('d', '0'): 0.1}) is None


def test_a_score_of_zero_counts_as_the_last_digit():
    ours, theirs = {('a', '0'): 0.0, ('b', '0'): 0.01}, {('a', '0'): 0.1, ('b', '0'): 0.0}
    assert compared(ours, theirs).ratio == pytest.approx((0.01 * 10) ** 0.5)
    assert compared(theirs, theirs).ratio == 1


def test_equal_means_are_no_win():
    assert compared({('a', '0'): 0.4}, {('a', '0'): 0.4}).wins == 0


@pytest.mark.parametrize(
    ('differences', 'p'),
    [
        ([1, 2, 3, 4, 5, 6, 7], 2 / 2**7),  # all 7 of one sign, of 2^7 that are as likely
        ([-1, -2, -3, -4, -5, -6, -7], 2 / 2**7),
        ([1, 2, 3, 4, 5, 6, 7, 0, 0], 2 / 2**7),
        ([-1, 2, 3, 4, 5, 6, 7], 4 / 2**7),  # one rank of the other sign
        ([0, 0], 1),
        ([], 1),
    ],
)
def test_the_p_value_is_that_of_the_signed_ranks(differences, p):
    assert p_value(differences) == pytest.approx(p)


def test_the_page_keeps_its_prose_and_says_wins_and_losses(tmp_path):
    page, picture = tmp_path / 'own_sets.md', tmp_path / 'own_sets.png'
    page.write_text(f'# Own sets\n\n{MARK}old\n')
    write_page([*ROWS, row('waste', 'frozen', 0.05)], page, picture)
    text = page.read_text()
    assert text.startswith(f'# Own sets\n\n{MARK}')
    assert 'old' not in text
    lines = text.splitlines()
    assert '| 25 | `lite0` | 4.00 | 2 of 2 | 3 | 0.25 | 200 |' in lines
    assert '| 25 | `frozen` | 0.50 | 0 of 1 | 1 | 1 | 80 |' in lines
    assert '| waste | 25 | 0.100, AP 0.050 | 0.800, AP 0.400 | 0.050, AP 0.025 |' in lines
    assert picture.read_bytes().startswith(b'\x89PNG')


def test_few_images_are_compared_with_many_from_noise():
    lines = ''.join(tables(ROWS)).partition('AP50 with 25 images against `noise` with 100')[2]
    assert '| 25 | `noise` | 0.50 | 0 of 1 | 2 |' in lines
    assert '| 25 | `lite0` | 1.00 | 0 of 1 | 2 |' in lines


def test_a_cell_has_the_mean_and_the_bounds_over_seeds():
    assert (
        '| fruit | 25 | 0.200 (0.200 to 0.200), AP 0.100 | 0.400 (0.300 to 0.500), AP 0.200 |'
        in ''.join(tables(ROWS))
    )


def test_masks_have_a_section_of_their_own():
    masks = {'AP': '', 'AP50': ''}
    rows = [row('camvid', 'noise', 0, mIoU=20, **masks), row('camvid', 'box', 0, mIoU=30, **masks)]
    text = ''.join(tables([*ROWS, *rows]))
    _, _, section = text.partition('## Masks')
    assert '| 25 | `box` | 1.50 | 1 of 1 | 1 | 1 | 80 |' in section
    assert '| camvid | 25 | 20.0 | 30.0 |' in section
    assert 'camvid' not in text.partition('## Masks')[0]


def test_the_picture_has_a_panel_for_each_set_and_one_for_the_mean():
    figure = draw(measured(ROWS, 'AP50'))
    assert [axes.get_title() for axes in figure.axes] == ['fruit', 'waste', 'mean of all']
    lines = {line.get_label(): line.get_xydata().tolist() for line in figure.axes[2].lines}
    assert lines['lite0'] == [[25, pytest.approx(0.6)]]
    assert lines['noise'] == [[25, pytest.approx(0.15)]]  # nothing at 100: one set alone has it


def test_the_committed_page_says_what_the_committed_table_says():
    rows = read_rows(DOCS / 'lab' / 'own_sets.csv')
    assert rows
    assert {*rows[0]} == {*COLUMNS}
    assert (DOCS / 'lab' / 'own_sets.md').read_text().partition(MARK)[2] == ''.join(tables(rows))
