"""What the pictures of all analyses share."""

import pytest

from vitbackbones.analysis.plots import COLORS, MARKERS, grouped, label, new_figure, style_of


def test_panels_of_one_size():
    figure, axes = new_figure(2, 3, (4, 1.5), sharex=True)
    assert axes.shape == (2, 3)
    assert figure.get_size_inches().tolist() == [12, 3]
    label(axes[0, 0], 'a title', 'across', 'up')
    assert axes[0, 0].get_title() == 'a title'
    assert (axes[0, 0].get_xlabel(), axes[0, 0].get_ylabel()) == ('across', 'up')


@pytest.mark.parametrize(
    ('number', 'color', 'line'),
    [(0, 0, '-'), (6, 6, '-'), (7, 0, '--'), (14, 0, ':'), (21, 0, '-')],
)
def test_lines_differ_in_color_and_then_in_dashes(number, color, line):
    style = style_of(number)
    assert (style['color'], style['marker']) == (COLORS[color], MARKERS[color])
    assert style['linestyle'] == line
    styles = {tuple(style_of(i).values()) for i in range(21)}
    assert len(styles) == 21


def test_rows_are_grouped_in_their_order():
    rows = [{'a': 1, 'b': 2}, {'a': 0, 'b': 2}, {'a': 1, 'b': 2, 'c': 3}]
    assert grouped(rows, 'a', 'b') == {(1, 2): [rows[0], rows[2]], (0, 2): [rows[1]]}
    assert list(grouped(rows, 'b')) == [(2,)]
