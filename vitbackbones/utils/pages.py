"""Where a page of the documentation is: in ``docs/`` of a clone, in ``.mim/docs`` of a wheel."""

from pathlib import Path

INSTALLED = Path(__file__).resolve().parents[1] / '.mim' / 'docs'


def page(name: str) -> str:
    """Return a page as messages write it: ``docs/NAME.md``, or the whole path in a wheel."""
    file = INSTALLED / f'{name}.md'
    return str(file) if file.is_file() else f'docs/{name}.md'
