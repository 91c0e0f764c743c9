"""The parts of a page."""

import numpy as np
from matplotlib.figure import Figure

from vitbackbones.reports.elements import LARGEST, Matrix, confusion_parts, drawing


def matrix(classes):
    """Class i is taken for the next one i times, and missed 1000 times; right 5000 times."""
    counts = np.zeros((classes + 1, classes + 1), int)
    for i in range(classes - 1):
        counts[i, i + 1] = i
    counts[:-1, -1] = 1000
    np.fill_diagonal(counts[:-1, :-1], 5000)
    names = [f'c{i}' for i in range(classes)]
    sides = {'rows': [*names, 'nothing'], 'columns': [*names, 'missed']}
    return Matrix(**sides, counts=counts)


def test_a_matrix_is_shown_where_it_fits():
    whole = matrix(LARGEST - 1)
    assert confusion_parts(whole, 'objects')[1:] == [whole]
    assert len(confusion_parts(matrix(LARGEST), 'objects')) == 1


def test_the_most_frequent_mistakes():
    pairs, _ = confusion_parts(matrix(4), 'objects')
    assert [row[:3] for row in pairs.rows[:4]] == [[f'c{i}', 'missed', 1000] for i in range(4)]
    assert [row[:3] for row in pairs.rows[4:]] == [['c2', 'c3', 2], ['c1', 'c2', 1]]
    assert pairs.rows[4][3] == 100 * 2 / 6002


def test_a_drawing_has_the_same_bytes_on_any_day():
    figure = Figure()
    figure.subplots().plot([1, 2])
    assert b'<dc:date>' not in drawing(figure, 'a line').content
