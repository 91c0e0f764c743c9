"""Masks with a color for each class, or with a number, a color or a region for each object.

Masks of classes are rewritten as index masks beside links to their images. A table names the
colors, in the form of CamVid (``64 128 64 Animal``), of CVAT (``labelmap.txt``:
``road:128,64,128::``), or with commas (``name,r,g,b``).

If ``SegmentationClass`` lies beside ``SegmentationObject``, as Pascal VOC, labelme and CVAT write
them, its masks contain the classes of the objects. Otherwise, there is one class.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
from PIL import Image

from ..data.loading.image_file import ARRAY, read_header, reason_of
from ..data.loading.load_mask import IGNORED, read_mask
from ..data.own.folder import LOSSY, in_words, read_text
from ..data.own.mask_folder import named_parts
from ..data.own.numbering import NO_CLASS, find_numbering
from ..data.own.pairing import Patterns
from ..errors import InputError
from ..utils.messages import cut, plural, some
from ..utils.orientation import upright
from .mask_files import are_several, masks_of_pictures, read_mask_files
from .pictures import Picture, add_mask, names_of, open_picture, place
from .source import UNMATCHED, Source

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
                image.require_mask_size(mask, codes.shape)
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
    source.change_rest(UNMATCHED, used)
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


# ------------------------------------------------------------------------ objects


NAME = 'object'  # of the only class, by default
NO_OBJECTS = {'background', '_background_', '__background__', 'bg', 'class 0'}
SHIFT = 24  # bits of a class in a code, enough for a color
NO_FILES = (
    'no image has masks. Put those of an image into a folder with its name (images/a.jpg, '
    'masks/a/1.png, masks/a/2.png), or begin their names with its name (masks/a_1.png). '
    '--pictures and --masks are for one mask for each image.'
)
PARTS = 'objects in several parts, kept as one (for one object each: --instances regions)'


class Coding(NamedTuple):
    """How masks of classes are read (H, W), and the classes of objects by their values."""

    read: Callable[[Path], np.ndarray]
    names: dict[int, str]


def read_instances(
    source: Source, form: str, table: Path | None, patterns: Patterns | None = None
) -> tuple[list[Picture], list[str]]:
    """Read the objects of all masks, and the names of their classes in alphabetical order.

    Args:
        source: gets notes and faults; ``names`` of it are those of the classes.
        form: one of :data:`MASK_FORMS`. With ``'numbers'``, all pixels of a number or color are one
            object, and 0 is none. With ``'regions'``, each region of a class is an object. With
            ``'files'``, each mask is an object; so it is with ``'numbers'`` where folders tell that
            pictures have several masks, see :mod:`.mask_files`.
        table, patterns: as of :func:`import_masks`.

    Raises:
        InputError: there are no such files, or classes cannot be told.
    """
    by_region = form == 'regions'
    by_file = form == 'files'
    files = {} if by_region or patterns else masks_of_pictures(source, by_name=by_file)
    if by_file and not files:
        raise InputError(f'{source.root}: {NO_FILES}')
    if by_file or are_several(files):
        return read_mask_files(source, files, _read_values, NAME)
    kinds = ('masks', 'colors', 'others') if by_region else ('others', 'masks', 'colors')
    parts = named_parts(source.root, patterns, kinds=kinds)
    masks = [mask for part in parts.values() for _, mask in part.pairs()]
    class_of = {mask: mask if by_region else _mask_of_classes(mask) for mask in masks}
    has_classes = all(file.is_file() for file in class_of.values())
    coding = _coding(source, table, [*class_of.values()] if has_classes else [])
    used = {*masks, *class_of.values()}
    pictures = []
    for split, part in parts.items():
        for file, mask in part.pairs():
            used.add(file)
            with source.listing_faults():
                picture = open_picture(source, file)
                picture.split = split if len(parts) > 1 else None
                classes = coding.read(class_of[mask])
                ids = _regions(classes, coding.names) if by_region else _read_ids(mask)
                classes = np.broadcast_to(classes, ids.shape) if classes.ndim == 0 else classes
                for pixels, of in ((ids, mask), (classes, class_of[mask])):
                    picture.require_mask_size(of, pixels.shape)
                _add_objects(source, picture, ids, classes, coding.names, mask)
                pictures.append(picture)
    source.change_rest(UNMATCHED, used)
    return pictures, names_of(pictures)


def _mask_of_classes(mask: Path) -> Path:
    """Return where the classes of a mask of objects would be."""
    folder = mask.parent.name.replace('Object', 'Class')
    return mask.parent.with_name(folder) / mask.name if folder != mask.parent.name else Path()


def _coding(source: Source, table: Path | None, masks: Sequence[Path]) -> Coding:
    """Return how ``masks`` of classes are read, of which there may be none."""
    if not masks:
        return Coding(lambda mask: np.array(0), _named(source, {0: NAME}))
    if table or table_in(source):
        return Coding(read_colors, _named(source, read_table(source, table, masks[0])))
    numbering = find_numbering(source.root, masks)
    values = numbering.values or range(numbering.from_one, IGNORED)
    names = dict(zip(values, numbering.classes, strict=False))
    return Coding(lambda mask: read_mask(str(mask)), _named(source, names))


def _named(source: Source, names: dict[int, str]) -> dict[int, str]:
    """Return the classes of objects, under the names that were given."""
    kept = {value: name for value, name in names.items() if name.lower() not in NO_OBJECTS}
    if not source.names:
        return kept
    if len(source.names) != len(kept):
        raise InputError(
            f'--names: has {len(source.names)} names, but the masks have {len(kept)} classes of '
            f'objects: {some(kept.values())}'
        )
    return dict(zip(kept, source.names, strict=True))


def _read_ids(mask: Path) -> np.ndarray:
    """Return the number of the object at each pixel (H, W), of colors ``0xRRGGBB``; 0 is none.

    In a palette image 255 is none as well: it is the border of objects in Pascal VOC.
    """
    ids = _read_values(mask)
    return np.where(ids == IGNORED, 0, ids) if _mode(mask) == 'P' else ids


def _read_values(mask: Path) -> np.ndarray:
    """Return the number at each pixel (H, W), of colors ``0xRRGGBB``."""
    return read_colors(mask) if _mode(mask) in ('RGB', 'RGBA') else read_mask(str(mask))


def _mode(mask: Path) -> str:
    """Return what Pillow calls the form of pixels, '' of arrays and JPEG."""
    return '' if mask.suffix.lower() in (ARRAY, *LOSSY) else read_header(str(mask)).mode


def _regions(classes: np.ndarray, names: dict[int, str]) -> np.ndarray:
    """Return a number for each region of a class (H, W), 0 where there is no class."""
    ids = np.zeros(classes.shape, np.int32)
    for value in names:
        count, found = cv2.connectedComponents((classes == value).astype(np.uint8))
        ids = np.where(found > 0, found + ids.max(), ids)
    return ids


def _add_objects(
    source: Source,
    picture: Picture,
    ids: np.ndarray,
    classes: np.ndarray,
    names: dict[int, str],
    mask: Path,
) -> None:
    """Add what has a number above 0; a number that several classes share is several objects."""
    codes = ids.astype(np.int64) << SHIFT | classes
    found = np.unique(codes[ids > 0]).tolist()
    with source.accounting(mask, len(found)):
        for code in found:
            number, value = divmod(code, 1 << SHIFT)
            where = f'{mask}: object {number}'
            if value not in names:
                source.leave_out('objects, or parts of them, without a class, left out', where)
                continue
            pixels = codes == code
            if cv2.connectedComponents(pixels.astype(np.uint8))[0] > 2:  # one is the rest
                source.change(PARTS, where)
            add_mask(source, picture, names[value], pixels, where)
