"""What a report consists of, and how it is written: one HTML file that needs no network.

Pictures are inside. Names of classes and files come from a user's data, or from a stranger's.
jinja2 escapes them all, and the page forbids itself, by its content security policy, to run or load
anything but the script of a review, by its hash. At its end stands what was run, so that a page can
be told from another, and its numbers be made again.
"""

import platform
import shlex
import time
import warnings
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import numpy as np
import torch
from jinja2 import Environment, PackageLoader, StrictUndefined
from matplotlib import rc_context
from matplotlib.figure import Figure
from mmengine.config import Config
from PIL import Image

from ..configuration.data_paths import datasets
from ..runtime.card import digest
from ..utils import started
from ..utils.files import write_file
from ..utils.packages import versions

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


# ------------------------------------------------------------------------ the page


NAME = 'report.html'
DASH = '–'


def write_page(
    folder: Path,
    title: str,
    summary: Mapping[str, str] | None,
    sections: Iterable[Section],
    facts: Mapping[str, str],
    name: str = NAME,
    review: Mapping | None = None,
) -> Path:
    """Write a page to a folder that exists, and return its path.

    Args:
        folder, name: where to.
        title: of the page.
        summary: numbers, as they were printed, by name, or None.
        sections: in their order.
        facts: what is at the end.
        review: what the reader decides on, see :func:`..audit.listing.for_review`; its ids are the
            ``entry`` of pictures.

    Raises:
        InputError: the file cannot be written.
    """
    environment = Environment(
        loader=PackageLoader(__package__, ''),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        'cell': _cell,
        'sha256': lambda text: b64encode(sha256(text.encode()).digest()).decode(),
        'address': lambda p: f'data:{p.kind};base64,{b64encode(p.content).decode()}',
        'kind': lambda part: type(part).__name__.lower(),  # which page.html has a macro for
    }
    page = environment.get_template('page.html').render(
        title=title,
        summary=summary,
        sections=[*sections],
        facts=facts,
        review=review,
        script=Path(__file__).with_name('review.js').read_text(encoding='utf-8'),
    )
    write_file(folder / name, page.encode(errors='backslashreplace'))  # file names may be no text
    return folder / name


def _cell(value: Cell, digits: int) -> str:
    """Write what stands in a table; whole numbers with spaces between thousands."""
    if isinstance(value, float):
        return DASH if np.isnan(value) else f'{value:.{digits}f}'
    return value if isinstance(value, str) else f'{value:,}'.replace(',', '\u202f')


def facts(config: Config, checkpoint: Path, pictures: int) -> dict[str, str]:
    """Return what was run, under what it is called; ``pictures`` is how many were evaluated."""
    places = []
    for _, dataset in datasets(config, ('test',)):
        prefix = dataset.get('data_prefix') or {}
        parts = prefix.values() if isinstance(prefix, dict) else [prefix]
        named = (dataset['type'], dataset.get('data_root'), dataset.get('ann_file'), *parts)
        places.append(' '.join(str(part) for part in named if part))
    return {
        'config': str(config.filename),
        'checkpoint': f'{checkpoint.absolute()}\nSHA-256 {digest(checkpoint)}',
        'dataset': '\n'.join(places),
        'images': str(pictures),
        **made_by(),
    }


def made_by() -> dict[str, str]:
    """Return when this was run, by which command, with what."""
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else platform.machine()
    return {
        'date': time.strftime('%Y-%m-%d %H:%M:%S %z'),
        'command': shlex.join(started.words()),
        'device': f'{device}, {platform.system()}',
        'versions': ', '.join(versions()),
    }
