"""What a report consists of, apart from how it is written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO

import numpy as np
from PIL import Image

Cell = str | int | float | None  # a number without a value, such as the AP of no objects, is None


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


def as_cell(value: float) -> float | None:
    """Return a number as a cell: None for NaN."""
    return None if np.isnan(value) else float(value)


def photograph(picture: Image.Image, title: str) -> Picture:
    """Make a part of a drawn picture, as JPEG."""
    content = BytesIO()
    picture.convert('RGB').save(content, 'JPEG', quality=85)
    return Picture(content=content.getvalue(), kind='image/jpeg', title=title)
