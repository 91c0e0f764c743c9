"""A confusion matrix: how it is counted, its most frequent mistakes, and what fits a page."""

from dataclasses import replace

import numpy as np

from .parts import Matrix, Table

LARGEST = 30  # classes of a matrix that is shown as a whole
PAIRS = 15


def count_pairs(truth: np.ndarray, answer: np.ndarray, classes: int) -> np.ndarray:
    """Count how often each class (rows) was taken for each other (columns), (C, C).

    Args:
        truth, answer: classes (N,), from 0.
        classes: C.
    """
    counts = np.bincount(truth * classes + answer, minlength=classes**2)
    return counts.reshape(classes, classes)


def mistakes(matrix: Matrix) -> np.ndarray:
    """Return the counts without what is right."""
    wrong = matrix.counts.copy()
    right = np.arange(matrix.classes)
    wrong[right, right] = 0
    return wrong


def shown(matrix: Matrix) -> Matrix:
    """Return a matrix of no more than :data:`LARGEST` classes, those with the most mistakes."""
    classes = matrix.classes
    if classes <= LARGEST:
        return matrix
    wrong = mistakes(matrix)
    burden = wrong[:classes].sum(1) + wrong[:, :classes].sum(0)
    kept = np.sort(np.argsort(-burden, kind='stable')[:LARGEST])
    rows = [*kept, *range(classes, len(matrix.rows))]
    columns = [*kept, *range(classes, len(matrix.columns))]
    return replace(
        matrix,
        rows=[matrix.rows[i] for i in rows],
        columns=[matrix.columns[i] for i in columns],
        counts=matrix.counts[np.ix_(rows, columns)],
        classes=LARGEST,
        text=f'{matrix.text} Of {classes} classes, the {LARGEST} with the most mistakes are shown.',
    )


def pairs_table(matrix: Matrix, unit: str) -> Table:
    """Return the most frequent mistakes; ``unit`` is what is counted."""
    wrong, shares = mistakes(matrix), matrix.shares()
    order = np.argsort(-wrong, axis=None, kind='stable')[:PAIRS]
    places = zip(*np.unravel_index(order, wrong.shape), strict=True)
    rows = [
        [matrix.rows[i], matrix.columns[j], int(wrong[i, j]), float(100 * shares[i, j])]
        for i, j in places
        if wrong[i, j]
    ]
    return Table(
        head=['there', 'predicted', unit, '% of the row'],
        rows=rows,
        digits=1,
        text='The most frequent mistakes.',
    )
