"""A confusion matrix: how it is counted, and what of it is shown."""

import numpy as np

from .elements import Matrix, Table

LARGEST = 31  # rows of a matrix that is shown: 30 classes, and nothing
PAIRS = 15


def count_pairs(truth: np.ndarray, answer: np.ndarray, classes: int) -> np.ndarray:
    """Count how often each class (rows) was taken for each other (columns), (C, C).

    Args:
        truth, answer: classes (N,), from 0.
        classes: C.
    """
    counts = np.bincount(truth * classes + answer, minlength=classes**2)
    return counts.reshape(classes, classes)


def confusion_parts(matrix: Matrix, unit: str) -> list[Table | Matrix]:
    """Return the most frequent mistakes, and the matrix where it is small enough for a page.

    Args:
        matrix: all counts (C, C).
        unit: what is counted.
    """
    wrong, shares = matrix.counts.copy(), matrix.shares()
    np.fill_diagonal(wrong, 0)
    rows = []
    for place in np.argsort(-wrong, axis=None, kind='stable')[:PAIRS]:
        i, j = np.unravel_index(place, wrong.shape)
        if wrong[i, j]:
            share = float(100 * shares[i, j])
            rows.append([matrix.rows[i], matrix.columns[j], int(wrong[i, j]), share])
    head, text = ['there', 'predicted', unit, '% of the row'], 'The most frequent mistakes.'
    pairs = Table(head=head, rows=rows, digits=1, text=text)
    return [pairs, matrix] if len(matrix.rows) <= LARGEST else [pairs]
