"""What a report consists of, apart from how it is written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO

import numpy as np
from PIL import Image

Cell = str | int | float | None  # a number without a value, such as the AP of no objects, is None


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows with a name each.

    Attributes:
        head: names of the columns, that of the names included.
        rows: the cells of each row; the first is its name.
        sums_up: whether the last row sums up those above.
        digits: behind the point of a number.
        text: what the numbers mean.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    sums_up: bool = False
    digits: int = 3
    text: str = ''


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """Counts of what is there (rows) by what was predicted (columns).

    Attributes:
        rows, columns: names.
        counts: (rows, columns).
        classes: the first rows and columns that are the same classes, so that what was predicted
            right is on their diagonal.
        text: what was counted, and how.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    counts: np.ndarray
    classes: int
    text: str = ''

    def shares(self) -> np.ndarray:
        """Return the counts divided by the sum of their row; 0 in an empty one."""
        return self.counts / np.maximum(self.counts.sum(1, keepdims=True), 1)


@dataclass(frozen=True, kw_only=True)
class Picture:
    """An image file inside of the page.

    Attributes:
        content: the bytes of the file.
        kind: its media type.
        title: what it shows; read out where it cannot be seen.
    """

    content: bytes
    kind: str
    title: str


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
class Links:
    """Files beside the page.

    Attributes:
        files: their addresses, relative to the page, by what they are called.
    """

    files: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Document:
    """Another page inside of the page, or a text, which is unfolded when it is asked for.

    Attributes:
        content: the page or the text.
        title: what it is.
        is_page: whether it is a page.
    """

    content: str
    title: str
    is_page: bool = False


Part = Table | Matrix | Picture | Strip | Facts | Links | Document


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
