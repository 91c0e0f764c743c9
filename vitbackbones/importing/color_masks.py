"""Masks with a color for each class, rewritten as index masks beside links to their pictures.

A table names the colors. Read are the forms of CamVid (``64 128 64 Animal``), CVAT
(``labelmap.txt``: ``road:128,64,128::``) and tables with commas (``name,r,g,b``).
"""

import re
from collections import Counter
from pathlib import Path

import numpy as np
from PIL import Image

from ..data.loading.image_file import reason_of
from ..data.loading.load_mask import IGNORED, size_fault
from ..data.own.folder import in_words, read_text
from ..data.own.mask_folder import named_parts
from ..data.own.numbering import NO_CLASS
from ..data.own.patterns import Patterns
from ..errors import InputError
from ..utils.messages import cut, plural, some
from ..utils.orientation import upright
from .pictures import open_picture, place
from .source import Source

TABLES = ('class_dict.csv', 'labelmap.txt', 'label_colors.txt', 'colors.txt')
MOST_UNKNOWN = 0.05  # of the pixels; where borders are blended it is less
MOST_CLASSES = 254  # 255 is ignored
COLOR = r'(?P<color>\d{1,3}[ ,]+\d{1,3}[ ,]+\d{1,3})'
COLOR_FIRST = re.compile(rf'{COLOR}[ ,:]+(?P<name>\S.*)')
NAME_FIRST = re.compile(rf'(?P<name>.*\S) ?[ ,:] ?{COLOR}( ?:.*)?')
HEADER = re.compile(r'#.*|name ?,.*|', re.IGNORECASE)


def import_masks(
    source: Source, out: Path, table: Path | None, copy: bool, patterns: Patterns | None = None
) -> str:
    """Write ``images``, ``masks`` and ``classes.txt`` below an empty folder; return a summary.

    Pixels of colors that belong to no class are ignored, 255. Without ``copy``, pictures are links
    to the files. ``table`` is the file that names the colors; by default one that is found.
    ``patterns`` name the pictures and masks.

    Raises:
        InputError: there is no table, or it does not fit the masks.
    """
    parts = named_parts(source.root, patterns, kinds=('colors', 'masks', 'others'))
    named = read_table(source, table, next(iter(parts.values())).pairs()[0][1])
    names = [*dict.fromkeys(name for name in named.values() if name.lower() not in NO_CLASS)]
    labels = np.full(1 << 24, IGNORED, np.uint8)  # of each color
    for color, name in named.items():
        labels[color] = names.index(name) if name in names else IGNORED
    seen = Counter()
    used = set()
    count = 0
    for split, part in parts.items():
        for picture, mask in part.pairs():
            used |= {picture, mask}
            with source.listing_faults():
                codes = read_colors(mask)
                image = open_picture(source, picture)
                size = (image.height, image.width)
                if fault := size_fault(str(mask), codes.shape, str(picture), size):
                    raise InputError(fault)
                values, counts = np.unique(codes, return_counts=True)
                seen.update(dict(zip(values.tolist(), counts.tolist(), strict=True)))
                name = Path(split if len(parts) > 1 else '', picture.relative_to(part.images))
                place(picture, out / 'images' / name, copy)
                target = out / 'masks' / name.with_suffix('.png')
                target.parent.mkdir(parents=True, exist_ok=True)
                Image.fromarray(labels[codes]).save(target)
                count += 1
    if not count:
        raise InputError(f'no mask can be used; the first problem is: {source.faults[0]}')
    for file in source.pictures:
        if file not in used:
            source.change('images and masks without a match, left out', file)
    unknown = {color: count for color, count in seen.most_common() if color not in named}
    colors = [f'#{color:06x} ({plural(count, "pixel")})' for color, count in unknown.items()]
    if sum(unknown.values()) > MOST_UNKNOWN * seen.total():
        raise InputError(
            f'{sum(unknown.values()) / seen.total():.0%} of the mask pixels have colors that are '
            f'not in the table: {some(colors, str)}. Add them to the table. Use the name void for '
            'what belongs to no class. Index masks need no import, and JPEG changes colors.'
        )
    for color in colors:
        source.change('colors that are not in the table, ignored (255)', color)
    (out / 'classes.txt').write_text(''.join(f'{name}\n' for name in names), 'utf-8')
    return f'{in_words(names)}; {plural(count, "picture")} with masks'


def table_in(source: Source) -> Path | None:
    """Return the first file that names colors."""
    return next((file for file in source.files if file.name in TABLES), None)


def read_table(source: Source, given: Path | None, mask: Path) -> dict[int, str]:
    """Return the name of each color ``0xRRGGBB``; ``mask`` has some, for the message."""
    file = given or table_in(source)
    if file is None:
        raise InputError(
            f'{source.root}: no file names the colors. Add a colors.txt with a line such as "128 '
            f'64 128 road" for each, or give a file with --colors. {mask} contains {_seen(mask)}. '
            'Index masks need no import: give their folder to --data-root.'
        )
    rows = []
    for number, text in enumerate(read_text(file).splitlines(), 1):
        line = ' '.join(text.split())  # the patterns are slow on wide gaps
        row = COLOR_FIRST.fullmatch(line) or NAME_FIRST.fullmatch(line)
        color = [int(word) for word in re.findall(r'\d+', row['color'])] if row else []
        name = row['name'].strip(' ,:') if row else ''
        if name and max(color) < 256:
            rows.append((color[0] << 16 | color[1] << 8 | color[2], name))
        elif row or not HEADER.fullmatch(line):
            raise InputError(
                f'{file}, line {number}: {cut(line)} is not a name with three numbers up to '
                '255, such as road,128,64,128.'
            )
    table = dict(rows)
    if len(table) < len(rows) or not 1 < len(table) <= MOST_CLASSES:
        raise InputError(
            f'{file}: has {len(table)} different colors on {len(rows)} lines. Give each of 2 to '
            f'{MOST_CLASSES} classes its own color.'
        )
    return table


def _seen(mask: Path) -> str:
    """Return the colors of a mask as tables write them, those of the most pixels first."""
    values, counts = np.unique(read_colors(mask), return_counts=True)
    colors = [int(values[place]) for place in np.argsort(-counts, kind='stable')]
    return some((f'{each >> 16} {each >> 8 & 255} {each & 255}' for each in colors), str, 10)


def read_colors(mask: Path) -> np.ndarray:
    """Read the color ``0xRRGGBB`` of each pixel (H, W), int32."""
    try:
        with Image.open(mask) as image:
            pixels = np.asarray(upright(image).convert('RGB'), np.int32)  # (H, W, 3)
    except Exception as error:  # every Pillow plugin has exceptions of its own
        raise InputError(f'{mask}: {reason_of(error)}. Replace it with a good copy.') from error
    return pixels @ np.array([1 << 16, 1 << 8, 1], np.int32)  # (H, W, 3) -> (H, W)
