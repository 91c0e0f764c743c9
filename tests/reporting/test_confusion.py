"""What is shown of a matrix."""

import numpy as np

from vitbackbones.reporting.confusion import LARGEST, pairs_table, shown
from vitbackbones.reporting.parts import Matrix


def matrix(classes):
    """Class i is taken for the next one i times, and missed 1000 times; right 5000 times."""
    counts = np.zeros((classes + 1, classes + 1), int)
    for i in range(classes - 1):
        counts[i, i + 1] = i
    counts[:-1, -1] = 1000
    np.fill_diagonal(counts[:-1, :-1], 5000)
    names = [f'c{i}' for i in range(classes)]
    sides = {'rows': [*names, 'nothing'], 'columns': [*names, 'missed']}
    return Matrix(**sides, counts=counts, classes=classes)


def test_a_matrix_that_fits_is_shown_whole():
    whole = matrix(LARGEST)
    assert shown(whole) is whole


def test_of_many_classes_the_most_mistaken_are_shown():
    cut = shown(matrix(LARGEST + 50))
    assert cut.counts.shape == (LARGEST + 1, LARGEST + 1)
    # the last class is mistaken for none
    assert cut.rows == [f'c{i}' for i in range(49, LARGEST + 49)] + ['nothing']
    assert cut.columns[-1] == 'missed'
    assert cut.classes == LARGEST
    assert (cut.counts.diagonal()[:-1] == 5000).all()
    assert cut.counts[0, 1] == 49
    assert f'Of {LARGEST + 50} classes, the {LARGEST} with the most mistakes' in cut.text


def test_the_most_frequent_mistakes():
    rows = pairs_table(matrix(4), 'objects').rows
    assert [row[:3] for row in rows[:4]] == [[f'c{i}', 'missed', 1000] for i in range(4)]
    assert [row[:3] for row in rows[4:]] == [['c2', 'c3', 2], ['c1', 'c2', 1]]
    assert rows[4][3] == 100 * 2 / 6002
