"""The color of each class of color-coded masks: in a file, or the colors that the masks have.

Read are the forms of CamVid (``64 128 64 Animal``), CVAT (``labelmap.txt``: ``road:128,64,128::``),
tables with commas (``class_dict.csv``: ``name,r,g,b``), and JSON (``{"road": [128, 64, 128]}``).
"""

import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from ..datasets.own.folder import read_text
from ..datasets.own.numbering import NO_CLASS
from ..errors import InputError
from ..messages import cut

FILES = ('class_dict.csv', 'labelmap.txt', 'label_colors.txt', 'colors.txt', 'colors.json')
MOST = 64  # colors of masks without a table; more are blended borders or photos
MOST_CLASSES = 254  # 255 is ignored
NUMBERS = r'(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})'
FORMS = (
    re.compile(rf'{NUMBERS}[\s,:]+(\S.*)'),
    re.compile(rf'(.*\S)\s*[\s,:]\s*{NUMBERS}(?:\s*:.*)?'),
)
HEADER = re.compile(r'#.*|name\s*,.*|', re.IGNORECASE)


def find_table(root: Path, given: Path | None) -> dict[int, str] | None:
    """Return the name of each color, ``0xRRGGBB``; None where no file says it.

    Raises:
        InputError: a file cannot be read, or has a color twice.
    """
    file = given or next((root / name for name in FILES if (root / name).is_file()), None)
    if file is None:
        return None
    text = read_text(file)
    rows = _rows_in_json(file, text) if file.suffix == '.json' else _rows(file, text)
    if beyond := [color for _, color in rows if any(n not in range(256) for n in color)]:
        shown = cut(beyond[0])
        raise InputError(f'{file}: the color {shown} has a number that is not from 0 to 255.')
    table = {code(color): name for name, color in rows}
    if '' in table.values():
        raise InputError(f'{file}: a color has no name; what belongs to no class is named void.')
    if len(table) < len(rows) or not 1 < len(table) <= MOST_CLASSES:
        raise InputError(
            f'{file}: has {len(table)} colors in {len(rows)} lines; give each class a color of its '
            f'own, for 2 to {MOST_CLASSES} classes.'
        )
    return table


def _rows(file: Path, text: str) -> list[tuple[str, list[int]]]:
    rows = []
    lines = (' '.join(line.split()) for line in text.splitlines())  # FORMS are slow on wide gaps
    for number, line in enumerate(lines, 1):
        first, last = (form.fullmatch(line) for form in FORMS)
        if first:
            rows.append((first[4].strip(), [int(value) for value in first.groups()[:3]]))
        elif last:
            rows.append((last[1].strip(' ,:'), [int(value) for value in last.groups()[1:]]))
        elif not HEADER.fullmatch(line):
            raise InputError(
                f'{file}, line {number}: {cut(line)} is not a name with three numbers, such as '
                'road,128,64,128.'
            )
    return rows


def _rows_in_json(file: Path, text: str) -> list[tuple[str, list[int]]]:
    try:
        rows = [(' '.join(name.split()), color) for name, color in json.loads(text).items()]
        for name, color in rows:
            code(color)  # three whole numbers
            name.encode()  # no half of a character
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f'{file}: must be {{"name": [red, green, blue], ...}}.') from error
    return rows


def code(color) -> int:
    """Return red, green, blue as one number.

    >>> hex(code([128, 64, 0]))
    '0x804000'
    """
    red, green, blue = color
    return red << 16 | green << 8 | blue


def table_of(root: Path, pixels: Mapping[int, int]) -> dict[int, str]:
    """Return a name for each color that masks have, the most frequent first.

    Args:
        root: the folder, for messages.
        pixels: how often each color occurs.

    Raises:
        InputError: there are more than classes can be.
    """
    frequent = Counter(pixels).most_common(MOST)
    if not 1 < len(pixels) <= MOST:
        shown = ', '.join(f'{in_words(color)}: {count}' for color, count in frequent[:12])
        raise InputError(
            f'{root}: its masks have {len(pixels)} colors, and no file says which stands for a '
            f'class. Write a colors.txt with a line such as "128 64 128 road" for each. Pixels of '
            f'the most frequent colors: {shown}.'
        )
    return {color: 'background' if color == 0 else in_words(color) for color, _ in frequent}


def in_words(color: int) -> str:
    """Return a color as web pages write it.

    >>> in_words(0x804000)
    '#804000'
    """
    return f'#{color:06x}'


def labels_of(table: Mapping[int, str]) -> tuple[dict[int, int], list[str]]:
    """Return the label of each color that belongs to a class, and the names of the labels."""
    kept = {color: name for color, name in table.items() if name.lower() not in NO_CLASS}
    names = list(dict.fromkeys(kept.values()))  # a class may have several colors
    return {color: names.index(name) for color, name in kept.items()}, names
