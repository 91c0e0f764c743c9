"""What is below a folder of unknown content: files, the text in them, and names of classes."""

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ...errors import InputError
from ...utils.files import regular_file
from ...utils.messages import shorten, some

DEPTH = 8  # folders below the one given
MOST = 20000  # folders in all
SYSTEM = ('/proc', '/sys')  # whose files are none, and whose links lead everywhere
# What archives, editors, network disks, package managers and trackers leave in a folder
TOOLS = {'__MACOSX', '__pycache__', '@eaDir', '$RECYCLE.BIN', 'lost+found', 'node_modules'}
TOOLS |= {'site-packages', 'wandb', 'mlruns', 'lightning_logs'}
TASKS = {'detect', 'segment', 'pose', 'obb', 'classify'}  # folders in which YOLO's tools keep runs
SETTINGS = ('args.yaml', 'opt.yaml', 'hyp.yaml')  # of such a run
NUMBER = re.compile(r'(?=\D*\d)[\d\s.,:;/_+-]+(e[+-]?\d+)?', re.IGNORECASE)


def files_below(root: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    """Yield the files below a folder with one of the suffixes, in any case; none is hidden."""
    for folder in folders_below(root):
        for entry in os.scandir(folder):
            name = entry.name
            is_meant = name.lower().endswith(suffixes) and not name.startswith('.')
            if is_meant and os.path.isfile(entry.path):  # no where a link must not be followed
                yield Path(entry.path)


def folders_below(root: Path) -> Iterator[Path]:
    """Yield a folder and those below it, also through links; each once, none is hidden.

    A link to a folder around ``root`` is not followed: what else lies there is other data.

    Raises:
        InputError: there are more than :data:`MOST` folders, or they are the system's, so ``root``
            is not that of a dataset.
    """
    place = Path(os.path.realpath(root))
    if any(place.is_relative_to(each) for each in SYSTEM):
        raise InputError(f'{root}: is a system folder. Give the folder of the dataset')
    seen = {str(folder) for folder in place.parents}
    for place, folders, _ in os.walk(root, followlinks=True):
        deep = len(Path(place).relative_to(root).parts) >= DEPTH
        known = os.path.realpath(place) in seen
        seen.add(os.path.realpath(place))
        kept = [] if deep or known else sorted(f for f in folders if not f.startswith('.'))
        folders[:] = [name for name in kept if not is_of_a_tool(Path(place, name))]
        if not known:
            yield Path(place)
        if len(seen) > MOST:
            raise InputError(
                f'{root}: contains more than {MOST} folders. Give the folder of the dataset'
            )


def gone_links(root: Path) -> str:
    """Return what to do about links below a folder whose pictures are gone, '' without any."""
    for folder in folders_below(root):
        for entry in os.scandir(folder):
            if entry.is_symlink() and not os.path.exists(entry.path):
                target = os.path.realpath(entry.path)
                return f'Links point to {target}, which no longer exists. Import again with --copy.'
    return ''


def is_of_a_tool(folder: Path) -> bool:
    """Return whether a folder holds an environment, a tool's records or the runs of YOLO's tools.

    The pictures in these, such as drawn batches and predictions, belong to no dataset.
    """
    if folder.name in TOOLS or os.path.isfile(folder / 'pyvenv.cfg'):
        return True
    has_settings = any(os.path.isfile(folder / name) for name in SETTINGS)
    if has_settings and os.path.isdir(folder / 'weights'):
        return True
    if folder.name != 'runs':
        return False
    return any(os.path.isdir(folder / task) for task in TASKS) or any(folder.glob('*/exp*'))


def read_text(file: Path) -> str:
    """Return the text of a file in UTF-8, as editors write it.

    Raises:
        InputError: it cannot be read, or is no text.
    """
    try:
        with open(file, encoding='utf-8-sig', opener=regular_file) as text:
            return text.read()  # without the mark that Windows puts first
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f'{file}: is not a UTF-8 text file: {error}. Save it as UTF-8.') from error


def lines_in(file: Path) -> list[str]:
    """Return the lines of a text that are not blank, without the blanks around them."""
    return [line.strip() for line in read_text(file).splitlines() if line.strip()]


def names_in_lines(file: Path) -> list[str]:
    """Read names from a file with one in each line.

    Raises:
        InputError: it is no text, is empty, or has a name twice.
    """
    names = lines_in(file)
    if not names or len(set(names)) < len(names):
        raise InputError(f'{file}: write one class name on each line, and each name only once.')
    return names


def in_words(names: Sequence[str]) -> str:
    """Return how many classes there are, and the first names.

    >>> in_words(['cat', 'dog'])
    '2 classes: cat, dog'
    """
    return f'{len(names)} class{"" if len(names) == 1 else "es"}: {shorten(names)}'


def spelling_warnings(source: str, names: Iterable[str]) -> list[str]:
    """Return warnings for names of classes that look like mistakes.

    These differ in case, spaces, ``-`` and ``_`` alone, or are numbers, coordinates or dates.
    """
    names = [*names]
    alike = defaultdict(list)
    for name in names:
        alike[''.join(c for c in name.casefold() if c not in ' -_')].append(name)
    numbers = [name for name in names if NUMBER.fullmatch(name)]
    groups = [' and '.join(map(repr, group)) for group in alike.values() if len(group) > 1]
    warnings = []
    if groups:
        warnings.append(
            f'{source}: classes with different names look alike: {some(groups, str)}. If they are '
            'the same class, use one name'
        )
    if numbers:
        warnings.append(
            f'{source}: class names look like numbers, coordinates or dates: {some(numbers)}. '
            'Check that they were read from the right file'
        )
    return warnings
