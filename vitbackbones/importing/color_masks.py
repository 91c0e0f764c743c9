"""Masks with a color for each class, rewritten as index masks beside links to their pictures."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from PIL import Image

from ..datasets.checks.headers import reason_of
from ..datasets.load_mask import IGNORED, size_fault
from ..datasets.own.mask_folder import MaskPart, named_parts
from ..datasets.own.names import in_words as class_words
from ..errors import InputError
from ..messages import plural, some
from .coco import place
from .color_table import find_table, in_words, labels_of, table_of
from .notes import Notes
from .pictures import opened

COLORED = ('RGB', 'RGBA', 'P', 'PA')  # Pillow's names for pictures with colors
MOST_UNKNOWN = 0.05  # of the pixels; where borders are blended it is less


def import_color_masks(root: Path, out: Path, colors: Path | None, copy: bool, notes: Notes) -> str:
    """Write ``images``, ``masks`` and ``classes.txt`` below an empty folder; return a summary.

    Pixels of colors that belong to no class are ignored, 255.

    Args:
        root: with pictures and masks.
        out: the folder to write.
        colors: the file that names the colors; by default one that is found, or else the colors
            of the masks are the classes.
        copy: copy the pictures; otherwise they are links to the files.
        notes: get what is wrong with a file, and colors that belong to no class.

    Raises:
        InputError: the colors do not tell the classes.
    """
    parts = named_parts(root)
    table = find_table(root, colors) or table_of(root, _colors_of(parts, notes))
    labels, names = labels_of(table)
    seen, count = Counter(), 0
    for split, part in parts.items():
        inside = split if len(parts) > 1 else ''
        for name, (picture, mask) in zip(part.names, part.pairs(), strict=True):
            with notes.noted():
                codes = read_colors(mask)
                _require_size(picture, mask, codes.shape)
                seen.update(_counted(codes))
                _write_mask(out / 'masks' / inside / f'{name}.png', index_mask(codes, labels))
                place(picture, out / 'images' / inside / picture.relative_to(part.images), copy)
                count += 1
    _require_any(seen, notes)
    _note_unknown(seen, table, notes)
    (out / 'classes.txt').write_text(''.join(f'{name}\n' for name in names), 'utf-8')
    return f'{class_words(names)}; {plural(count, "picture")} with masks'


def read_colors(mask: Path) -> np.ndarray:
    """Read the color ``0xRRGGBB`` of each pixel (H, W), int32.

    Raises:
        InputError: it cannot be read, has no colors, or is a JPEG, which changes them.
    """
    try:
        with Image.open(mask) as image:
            kind, format = image.mode, image.format
            pixels = np.asarray(image.convert('RGB'), np.int32)  # (H, W, 3)
    except Exception as error:
        raise InputError(f'{mask}: {reason_of(error)}. Put a good copy there.') from error
    if kind not in COLORED:
        raise InputError(
            f'{mask}: is of kind {kind}, without colors. Index masks, also of 0 and 255, need no '
            'import: give their folder to --data-root.'
        )
    if format == 'JPEG':
        raise InputError(f'{mask}: is a JPEG, which changes colors. Save the original as PNG.')
    return pixels @ np.array([1 << 16, 1 << 8, 1], np.int32)  # (H, W, 3) -> (H, W)


def index_mask(codes: np.ndarray, labels: Mapping[int, int]) -> np.ndarray:
    """Return the label of each pixel (H, W), uint8; 255 where its color has none."""
    known = np.array(sorted(labels), np.int32)
    values = np.array([labels[color] for color in sorted(labels)], np.uint8)
    at = np.searchsorted(known, codes).clip(max=len(known) - 1)
    return np.where(known[at] == codes, values[at], np.uint8(IGNORED))


def _counted(codes: np.ndarray) -> dict[int, int]:
    colors, counts = np.unique(codes, return_counts=True)
    return dict(zip(colors.tolist(), counts.tolist(), strict=True))


def _colors_of(parts: dict[str, MaskPart], notes: Notes) -> Counter:
    seen = Counter()
    for _, mask in [pair for part in parts.values() for pair in part.pairs()]:
        with notes.noted():
            seen.update(_counted(read_colors(mask)))
    _require_any(seen, notes)
    notes.faults.clear()  # the masks are read once more
    return seen


def _require_any(seen: Counter, notes: Notes) -> None:
    if not seen:
        raise InputError(f'not one mask can be used; the first: {notes.faults[0]}')


def _require_size(picture: Path, mask: Path, size: tuple[int, int]) -> None:
    image = opened(picture, None)
    if fault := size_fault(str(mask), size, str(picture), (image.height, image.width)):
        raise InputError(fault)


def _write_mask(file: Path, labels: np.ndarray) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(labels).save(file)


def _note_unknown(seen: Counter, table: Mapping[int, str], notes: Notes) -> None:
    """Note the colors that the table lacks; refuse a table that does not fit."""
    unknown = Counter({color: count for color, count in seen.items() if color not in table})
    if not unknown:
        return
    share = unknown.total() / seen.total()
    shown = [f'{in_words(color)} ({plural(n, "pixel")})' for color, n in unknown.most_common()]
    if share > MOST_UNKNOWN:
        raise InputError(
            f'{share:.0%} of the pixels of the masks have colors that the table of colors lacks: '
            f'{some(shown, str)}. Add them to the table; what belongs to no class is named void.'
        )
    for color in shown:
        notes.add(f'colors that the table lacks, {share:.2%} of the pixels, ignored (255)', color)
