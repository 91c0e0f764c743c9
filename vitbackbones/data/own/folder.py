"""What is below a folder of unknown content: folders, files, and the text in them."""

import os
from collections.abc import Iterator
from pathlib import Path

from ...errors import InputError
from ...utils.files import regular_file

DEPTH = 4  # folders below the one given


def files_below(root: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    """Yield the files below a folder with one of the suffixes, in any case; none is hidden."""
    for folder in folders_below(root):
        for entry in os.scandir(folder):
            name = entry.name
            if name.lower().endswith(suffixes) and not name.startswith('.') and entry.is_file():
                yield Path(entry.path)


def folders_below(root: Path) -> Iterator[Path]:
    """Yield a folder and those below it, also through links; each once, none is hidden.

    A link to a folder around ``root`` is not followed: what else lies there is other data.
    """
    seen = {str(folder) for folder in Path(os.path.realpath(root)).parents}
    for place, folders, _ in os.walk(root, followlinks=True):
        deep = len(Path(place).relative_to(root).parts) >= DEPTH
        known = os.path.realpath(place) in seen
        seen.add(os.path.realpath(place))
        kept = [] if deep or known else sorted(f for f in folders if not f.startswith('.'))
        folders[:] = kept
        if not known:
            yield Path(place)


def read_text(file: Path) -> str:
    """Return the text of a file in UTF-8, as editors write it.

    Raises:
        InputError: it cannot be read, or is no text.
    """
    try:
        with open(file, encoding='utf-8-sig', opener=regular_file) as text:
            return text.read()  # without the mark that Windows puts first
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f'{file}: not a text file: {error}.') from error
