"""Masks that tell objects apart, by a number or color for each or as regions of a class.

The classes of numbered objects are in masks of their own where ``SegmentationClass`` lies beside
``SegmentationObject``, as in Pascal VOC and what labelme and CVAT write. Otherwise there is one.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np

from ..data.loading.image_file import ARRAY, read_header
from ..data.loading.load_mask import IGNORED, read_mask, size_fault
from ..data.own.mask_folder import named_parts
from ..data.own.numbering import find_numbering
from ..data.own.patterns import Patterns
from ..data.own.roles import LOSSY
from ..errors import InputError
from ..utils.messages import some
from .color_masks import read_colors, read_table, table_in
from .pictures import Picture, add_mask, names_of, open_picture
from .source import Source

FORMS = ('numbers', 'regions')
NAME = 'object'  # of the only class, by default
NO_OBJECTS = {'background', '_background_', '__background__', 'bg', 'class 0'}
SHIFT = 24  # bits of a class in a code, enough for a color
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
        form: one of :data:`FORMS`. With ``'numbers'``, all pixels of a number or color are one
            object, and 0 is none. With ``'regions'``, each region of a class is an object.
        table, patterns: as of :func:`.color_masks.import_masks`.

    Raises:
        InputError: there are no such files, or classes cannot be told.
    """
    by_region = form == 'regions'
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
                    size = (picture.height, picture.width)
                    if fault := size_fault(str(of), pixels.shape, str(file), size):
                        raise InputError(fault)
                _add_objects(source, picture, ids, classes, coding.names, mask)
                pictures.append(picture)
    for file in source.pictures:
        if file not in used:
            source.change('images and masks without a match, left out', file)
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
    is_image = mask.suffix.lower() not in (ARRAY, *LOSSY)
    mode = read_header(str(mask)).mode if is_image else ''
    if mode in ('RGB', 'RGBA'):
        return read_colors(mask)
    ids = read_mask(str(mask))
    return np.where(ids == IGNORED, 0, ids) if mode == 'P' else ids


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
