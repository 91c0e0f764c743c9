"""What a report consists of, apart from how it is written."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure
from PIL import Image

LARGEST = 31  # rows of a matrix that is shown: 30 classes, and nothing
PAIRS = 15  # mistakes that are listed
Cell = str | int | float  # a number without a value, such as the AP of no objects, is NaN


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows with a name each."""

    head: Sequence[str]  # of the names too
    rows: Sequence[Sequence[Cell]]  # the first cell of each is its name
    sums_up: bool = False  # whether the last row sums up those above
    digits: int = 3  # behind the point of a number
    text: str = ''  # what the numbers mean


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """Counts of what is there (rows) by what was predicted (columns)."""

    rows: Sequence[str]
    columns: Sequence[str]
    counts: np.ndarray  # (rows, columns); what is right is on the diagonal
    text: str = ''  # what was counted, and how

    def shares(self) -> np.ndarray:
        """Return the counts divided by the sum of their row; 0 in an empty one."""
        return self.counts / np.maximum(self.counts.sum(1, keepdims=True), 1)


@dataclass(frozen=True, kw_only=True)
class Picture:
    """An image file inside of the page."""

    content: bytes
    kind: str  # media type
    title: str  # what it shows; read out where it cannot be seen
    entry: int | None = None  # id of what the reader decides on, in the list of a review


@dataclass(frozen=True, kw_only=True)
class Strip:
    """Pictures in one row, which is moved sideways where it is wider than the page."""

    title: str
    pictures: Sequence[Picture]


@dataclass(frozen=True, kw_only=True)
class Facts:
    """Texts by what they are about."""

    rows: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Document:
    """A text, which is unfolded when it is asked for."""

    content: str
    title: str


Part = Table | Matrix | Picture | Strip | Facts | Document


@dataclass(frozen=True)
class Section:
    """A heading, what stands below it, and its parts."""

    title: str
    parts: Sequence[Part] = ()
    text: str = ''


def photograph(picture: Image.Image, title: str, entry: int | None = None) -> Picture:
    """Make a part of a drawn picture, as JPEG."""
    content = BytesIO()
    picture.convert('RGB').save(content, 'JPEG', quality=85)
    return Picture(content=content.getvalue(), kind='image/jpeg', title=title, entry=entry)


def drawing(figure: Figure, title: str) -> Picture:
    """Make a part of a figure, as SVG whose text is text: the reader's fonts have every script."""
    content = BytesIO()
    with rc_context({'svg.fonttype': 'none'}), warnings.catch_warnings():
        warnings.filterwarnings('ignore', 'Glyph', UserWarning)  # missing from matplotlib's font
        figure.savefig(content, format='svg', metadata={'Date': None})
    return Picture(content=content.getvalue(), kind='image/svg+xml', title=title)


def count_pairs(gt: np.ndarray, pred: np.ndarray, classes: int) -> np.ndarray:
    """Count how often each class (rows) was taken for each other (columns): (C, C) of (N,)."""
    return np.bincount(gt * classes + pred, minlength=classes**2).reshape(classes, classes)


def confusion_parts(matrix: Matrix, unit: str) -> list[Table | Matrix]:
    """Return the most frequent mistakes, and the matrix where it is small enough for a page."""
    wrong = matrix.counts.copy()
    shares = matrix.shares()
    np.fill_diagonal(wrong, 0)
    most = np.argsort(-wrong, axis=None, kind='stable')[:PAIRS]
    rows = [
        [matrix.rows[i], matrix.columns[j], int(wrong[i, j]), float(100 * shares[i, j])]
        for i, j in zip(*np.unravel_index(most, wrong.shape), strict=True)
        if wrong[i, j]
    ]
    head = ['ground truth', 'predicted', unit, '% of the row']
    pairs = Table(head=head, rows=rows, digits=1, text='The most frequent mistakes.')
    return [pairs, matrix] if len(matrix.rows) <= LARGEST else [pairs]
