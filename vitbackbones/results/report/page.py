"""Writes a report as one HTML file that needs no network: pictures are inside, scripts are not.

Names of classes and files come from a user's data, or from a stranger's. jinja2 escapes them all,
and the page forbids itself, by its content security policy, to run or load anything.
"""

from base64 import b64encode
from collections.abc import Iterable, Mapping
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from ...utils.files import write_file
from .elements import Cell, Picture, Section

NAME = 'report.html'
DASH = '–'


def write_page(
    folder: Path,
    title: str,
    summary: Mapping[str, str] | None,
    sections: Iterable[Section],
    facts: Mapping[str, str],
    name: str = NAME,
) -> Path:
    """Write a page to a folder that exists, and return its path.

    ``summary`` has numbers, as they were printed, by name, or is None; ``facts`` are at the end.

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
    environment.filters |= {'cell': _cell, 'address': _address, 'kind': _kind}
    page = environment.get_template('page.html').render(
        title=title, summary=summary, sections=[*sections], facts=facts
    )
    write_file(folder / name, page.encode(errors='backslashreplace'))  # file names may be no text
    return folder / name


def _kind(part) -> str:
    return type(part).__name__.lower()  # which page.html has a macro for


def _cell(value: Cell, digits: int) -> str:
    """Write what stands in a table; whole numbers with spaces between thousands."""
    if value is None:
        return DASH
    if isinstance(value, float):
        return f'{value:.{digits}f}'
    return value if isinstance(value, str) else f'{value:,}'.replace(',', '\u202f')


def _address(picture: Picture) -> str:
    """Write a picture as an address that holds it."""
    return f'data:{picture.kind};base64,{b64encode(picture.content).decode()}'
