"""Writes a report as one HTML file that needs no network: pictures are inside.

Names of classes and files come from a user's data, or from a stranger's. jinja2 escapes them all,
and the page forbids itself, by its content security policy, to run or load anything but the script
of a review, by its hash. At its end
stands what was run, so that a page can be told from another, and its numbers be made again.
"""

import platform
import shlex
import time
from base64 import b64encode
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path

import numpy as np
import torch
from jinja2 import Environment, PackageLoader, StrictUndefined
from mmengine.config import Config

from ..configuration.data_paths import datasets
from ..runtime.card import digest
from ..utils import started
from ..utils.files import write_file
from ..utils.packages import versions
from .elements import Cell, Section

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
