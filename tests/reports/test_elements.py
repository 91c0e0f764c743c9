"""The parts of a page."""

import numpy as np
from matplotlib.figure import Figure
from PIL import Image

from vitbackbones.reports.page import (
    LARGEST,
    PAIRS,
    Matrix,
    confusion_parts,
    count_pairs,
    drawing,
    photograph,
)


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


def test_pairs_of_classes_are_counted():
    counts = count_pairs(np.array([0, 0, 2, 2, 2]), np.array([0, 1, 1, 1, 2]), 3)
    assert counts.tolist() == [[1, 1, 0], [0, 0, 0], [0, 2, 1]]
    assert count_pairs(np.array([], int), np.array([], int), 2).tolist() == [[0, 0], [0, 0]]


def test_shares_of_rows():
    counts = np.array([[1, 3], [0, 0]])
    matrix = Matrix(rows='ab', columns='ab', counts=counts)
    assert matrix.shares().tolist() == [[0.25, 0.75], [0, 0]]


def test_so_many_mistakes_are_listed_and_none_that_did_not_happen():
    counts = np.arange(25).reshape(5, 5)
    names = {'rows': 'abcde', 'columns': 'abcde'}
    assert len(confusion_parts(Matrix(**names, counts=counts), 'x')[0].rows) == PAIRS
    (pairs, _) = confusion_parts(Matrix(**names, counts=np.eye(5, dtype=int)), 'x')
    assert pairs.rows == []
    assert pairs.digits == 1


def test_a_picture_is_a_jpeg():
    picture = photograph(Image.new('L', (8, 4)), 'gray')
    assert (picture.kind, picture.title) == ('image/jpeg', 'gray')
    assert picture.content.startswith(b'\xff\xd8')
