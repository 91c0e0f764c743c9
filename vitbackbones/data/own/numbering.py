"""Which class each value of index masks stands for: by a file of names, or by the values found."""

import os
import re
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np

from ...errors import InputError
from ...utils.messages import command_line, some
from ..checks.findings import spread
from ..loading.load_mask import IGNORED, BadMask, read_mask
from .folder import names_in_lines

FILES = ('classes.txt', 'labels.txt', 'class_names.txt')
NO_CLASS = {'void', 'ignore', 'ignored', 'unlabeled', 'unlabelled'}  # names for what is ignored
BINARY = ['background', 'foreground']
INSIDE = 0.25  # of the pixels of a class, at least, have neighbors of this class alone
HALF = 0.5  # of the pixels, at least, have values with regions where others are soft edges
MOST = 0.7  # of the values, each in one mask only, number objects
BLURRED = 8  # values that are found along edges only
OBJECTS = 5  # in one picture, at least, where values number them
MANY = 30  # values that are no classes if each is in one mask only
ALL = 200  # values that are no classes
SAMPLE = 200  # masks that are looked at where a file names the classes; otherwise all
THREADS = 8


@dataclass
class Numbering:
    """How masks are read."""

    classes: list[str]  # their names
    values: tuple[int, ...] = ()  # of the classes, () where they are counted from 0, or from 1
    ignored: tuple[int, ...] = ()  # values that stand for no class, beside 255
    from_one: bool = False  # whether 0 stands for no class, and 1 for the first
    notes: list[str] = field(default_factory=list)


class Looks(NamedTuple):
    """What masks hold."""

    pixels: np.ndarray  # of each value in each mask (N, 256)
    inside: np.ndarray  # of each value, those whose neighbors all hold it (256,)

    @property
    def values(self) -> list[int]:
        """All values."""
        return np.flatnonzero(self.pixels.any(0)).tolist()

    @property
    def edges(self) -> set[int]:
        """The values that have no regions of their own."""
        total = self.pixels.sum(0)
        return {value for value in self.values if self.inside[value] < INSIDE * total[value]}

    @property
    def soft(self) -> str:
        """Why most values are those of soft edges, or ''."""
        total = self.pixels.sum(0)
        found = {*self.values}
        edges = self.edges
        regions = found - edges
        between = {0, IGNORED} < found != {*range(len(found) - 1), IGNORED}
        blurred = between and found - {0, IGNORED} <= edges and regions
        most = max(BLURRED, 2 * len(regions)) if len(regions) > 1 else MANY
        share = total[[*regions]].sum() / total.sum()
        if not blurred and (len(edges) < most or share < HALF):
            return ''
        return (
            f'masks contain {len(found)} values, but {share:.0%} of the pixels have the values '
            f'{some(sorted(regions))}. The others occur only along edges, as JPEG compression and '
            'resizing produce them. Set each pixel to one of the intended values, for example mask '
            '= (mask > 127) * 255 for black and white. Resize masks with nearest neighbor.'
        )

    @property
    def numbered(self) -> str:
        """Why values are numbers of objects, which are given anew in each picture; or ''."""
        held = self.pixels[:, 1:IGNORED] > 0
        last = held.sum(1)
        in_turn = all(row[:count].all() for row, count in zip(held, last, strict=True))
        anew = in_turn and len({*last.tolist()}) > 2 and last.max() >= OBJECTS
        alone = (held.sum(0)[held.any(0)] == 1).mean() if held.any() else 0
        if len(held) < 3 or not (anew or (alone > MOST and held.any(0).sum() > OBJECTS)):
            return ''
        sign = 'each mask counts from 1' if anew else 'nearly every value is in only one mask'
        return (
            f'masks contain {len(self.values)} values, which number objects instead of classes: '
            f'{sign}. To train on objects, convert them with '
            f'{command_line("import", "masks", "FOLDER", "OUT", "--instances")}. To train on '
            'classes, replace the number of each object with the number of its class, for example '
            'mask = (mask > 0) * 255 for one class.'
        )

    @property
    def many(self) -> str:
        """Why values are too many for classes, or ''."""
        found = self.values
        files = np.median((self.pixels > 0).sum(0)[found])
        if len(found) <= MANY or (len(found) <= ALL and (files > 1 or len(self.pixels) == 1)):
            return ''
        return (
            f'masks contain {len(found)} different values. That is too many for classes without '
            'names. Are these grayscale images, depths or probabilities?'
        )


def file_of_names(root: Path, masks: Sequence[Path]) -> Path | None:
    """Return the file that names the classes, in ``root`` or a folder on the way to all masks."""
    around = Path(os.path.commonpath([mask.parent for mask in masks]))
    places = [place for place in (around, *around.parents) if place.is_relative_to(root)]
    files = (place / name for place in reversed(places) for name in FILES)
    return next(filter(Path.is_file, files), None)


def find_numbering(root: Path, masks: Sequence[Path]) -> Numbering:
    """Return how the ``masks`` of all splits are numbered, perhaps by a file of names.

    Raises:
        InputError: the values do not tell, or do not fit the names.
    """
    file = file_of_names(root, masks)
    if file is None:
        return by_values(root, look_at(masks))
    numbers = None
    names = names_in_lines(file)
    numbered = [re.fullmatch(r'(\d{1,9})\s*[:=,\t ]\s*(.+)', line) for line in names]
    if all(numbered):
        numbers = [int(line[1]) for line in numbered]
        names = [line[2] for line in numbered]
        _require_one_name_each(file, numbers, names)
    return by_names(file, numbers, names, look_at([masks[i] for i in spread(len(masks), SAMPLE)]))


def _require_one_name_each(file: Path, numbers: Sequence[int], names: Sequence[str]) -> None:
    """Refuse a value with two names, and a class with two values; several may be ignored."""
    values = [value for value, count in Counter(numbers).items() if count > 1]
    if values:
        raise InputError(
            f'{file}: these values have more than one name: {some(values)}. Give each value one '
            'name.'
        )
    counts = Counter(name for name in names if name.lower() not in NO_CLASS)
    if twice := [name for name, count in counts.items() if count > 1]:
        raise InputError(
            f'{file}: these names have more than one value: {some(twice)}. Give each value a '
            'different name, or give the pixels of such a class one value in the masks.'
        )


def look_at(masks: Sequence[Path]) -> Looks:
    """Count the values that masks hold.

    Raises:
        BadMask: one cannot be read, or has a value below 0 or over 255.
    """
    with ThreadPoolExecutor(THREADS) as pool:
        counts = np.stack([*pool.map(_counts, masks)])
    return Looks(counts[:, 0], counts[:, 1].sum(0))


def _counts(mask: Path) -> np.ndarray:
    """Return the pixels of each value, and those of them that lie inside of a region (2, 256)."""
    values = read_mask(str(mask))
    if strange := np.unique(values[(values < 0) | (values > IGNORED)]).tolist():
        raise BadMask(
            f'mask file {mask}: contains {some(strange)}, but mask values must be from 0 to '
            '255. Masks of numbered objects or of depth are not class masks. Convert objects with '
            f'{command_line("import", "masks", "FOLDER", "OUT", "--instances")}.'
        )
    values = values.astype(np.uint8)
    square = np.ones((3, 3), np.uint8)
    inside = values[cv2.erode(values, square) == cv2.dilate(values, square)]
    return np.stack([np.bincount(each.ravel(), minlength=256) for each in (values, inside)])


def by_values(root: Path, looks: Looks) -> Numbering:
    """Return the numbering of masks that nothing but their values tells of.

    Raises:
        InputError: they cannot be those of classes.
    """
    found = looks.values
    if found == [0, IGNORED]:
        return Numbering(BINARY, values=(0, IGNORED))
    if doubt := looks.soft or looks.numbered or looks.many:
        raise InputError(
            f'{root}: {doubt} If each value is a class after all, name the classes in '
            f'{root / FILES[0]}, with a line such as "7: road" for each.'
        )
    values = [value for value in found if value != IGNORED]
    if len(values) < 2:
        raise InputError(
            f'{root}: all masks together contain {some(values) or "nothing"} (and 255, which is '
            'ignored). At least two classes are required.'
        )
    counted = values == list(range(values[0], values[0] + len(values))) and values[0] <= 1
    steps = np.linspace(0, IGNORED, len(found))
    if IGNORED in found and not counted and np.abs(steps - found).max() <= 1:
        values = found  # gray levels, of which white is one
    names = BINARY if values == [0, 1] else [f'class {value}' for value in values]
    notes = []
    thin = sorted(looks.edges.intersection(values))
    if 1 < len(thin) < len(found):
        notes.append(
            f'{root}: the mask values {some(thin)} occur only along edges. If resizing created '
            'them, resize the original masks with nearest neighbor.'
        )
    if counted:
        return Numbering(names, from_one=values[0] == 1, notes=notes)
    if IGNORED in found and IGNORED not in values:
        notes.append(
            f'{root}: the mask value 255 is ignored. If it is a class, name all classes in '
            f'{root / FILES[0]}, with a line such as "255: road" for each.'
        )
    return Numbering(names, values=tuple(values), notes=notes)


def by_names(
    file: Path, numbers: Sequence[int] | None, names: Sequence[str], looks: Looks
) -> Numbering:
    """Return the numbering of masks whose classes have names.

    Args:
        file: which names them.
        numbers: the value of each in the masks, None where the file does not say it.
        names: one for each class; some names stand for what is ignored.
        looks: what masks hold.
    """
    counted = range(len(names))
    told = dict(zip(counted if numbers is None else numbers, names, strict=True))
    if looks.values == [0, IGNORED] and told.keys() == {0, 1}:
        return Numbering([told[0], told[1]], values=(0, IGNORED))
    values = {*looks.values} - {IGNORED}
    if numbers is None and 0 not in values and len(names) in values <= {*range(1, len(names) + 1)}:
        return Numbering(list(names), from_one=True)
    if strange := sorted(values - told.keys()):
        if doubt := looks.soft or looks.numbered:
            raise InputError(f'{file}: lists {len(names)} classes, but {doubt}')
        raise InputError(
            f'{file}: lists {len(names)} classes (values {some(sorted(told))}), but masks also '
            f'contain {some(strange)}. Add a name for each of these values. Use the name void '
            'for a value that belongs to no class.'
        )
    ignored = tuple(n for n, name in told.items() if name.lower() in NO_CLASS)
    kept = {n: name for n, name in told.items() if n not in ignored}
    plain = list(kept) == list(range(len(kept)))
    return Numbering(list(kept.values()), () if plain else tuple(kept), ignored)
