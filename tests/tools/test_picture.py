"""The picture of a study shows what its table says."""

import pytest
from matplotlib.colors import to_hex

from tools.studies.picture import draw

from .test_table import BASE, shifted


@pytest.fixture
def panels():
    up = shifted('up', 2.0, 2.1, 2.2, expected=(1, 3))
    return draw([BASE, up, shifted('nothing')], 'mIoU', 0.4).axes


def lines(axes, marker):
    return [line for line in axes.lines if line.get_marker() == marker]


def test_variants_stand_below_one_another(panels):
    left, right = panels
    assert left.get_ylim() == (2.5, -0.5)
    assert left.get_yticks().tolist() == [0, 1, 2]
    assert [line.get_ydata()[0] for line in lines(left, 'o') if len(line.get_ydata())] == [0, 1]
    assert left.figure.get_size_inches().tolist() == [9, pytest.approx(1 + 0.35 * 3)]
    assert right.get_xscale() == 'symlog'


def test_means_have_intervals(panels):
    left, right = panels
    low, mean, high = lines(left, '|')[1].get_xdata()
    assert low < mean < high
    dots = lines(left, 'o')[1].get_xdata()
    assert mean == pytest.approx(sum(dots) / 3)
    assert lines(right, '|')[0].get_xdata()[1] == pytest.approx(2.1)


def test_what_was_expected_is_gray_and_what_is_in_the_paper_a_diamond(panels):
    _, right = panels
    boxes = [(box.get_x(), box.get_width(), box.get_y()) for box in right.patches]
    assert boxes[0] == (1, 2, pytest.approx(1 - 0.3))
    assert boxes[1][:2] == (0, 0)  # nothing was expected
    assert [line.get_ydata()[0] for line in lines(right, 'D')] == [1, 2]
    assert to_hex(lines(right, 'D')[0].get_color()) == '#d55e00'


@pytest.mark.parametrize(('smallest', 'places'), [(0.4, [0, -0.4, 0.4]), (None, [0, 0, 0])])
def test_what_is_too_small_lies_between_dotted_lines(smallest, places):
    _, right = draw([BASE], 'mIoU', smallest).axes
    upright = [line for line in right.lines if line.get_linestyle() in '-:' and line.get_xdata()]
    found = [(line.get_xdata()[0], line.get_linestyle()) for line in upright]
    assert found == list(zip(places, '-::', strict=True))
    assert not lines(right, 'D')
