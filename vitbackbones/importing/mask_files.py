"""Masks of objects, a file for each: which picture they belong to, and which pixels are the object.

The files of a picture lie in a folder beside it or beside its folder, as those of Data Science Bowl
2018 do (``ID/images/ID.png``, ``ID/masks/*.png``), or in a folder of its name
(``images/ID.png``, ``masks/ID/*.png``). On request, their names begin with that of the picture
(``ID_cat_0.png``), as those for pycococreator do.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from ..data.own.folder import told_apart
from ..data.own.pairing import pictures_below
from ..errors import InputError
from ..utils.messages import some
from .pictures import Picture, add_mask, names_of, open_picture
from .source import UNMATCHED, Source, split_of

KINDS = ('others', 'masks', 'colors')  # of masks, in the order in which they are taken
FULL = (255, 65535, 0xFFFFFF)  # the number of white
EMPTY = 'masks without a pixel of an object, left out'
SOFT = 'masks with soft edges, thresholded at half of white'


def masks_of_pictures(source: Source, by_name: bool) -> dict[Path, list[Path]]:
    """Return the masks of each picture that has some, by their folders.

    With ``by_name``, also masks whose names begin with that of their picture.
    """
    files = pictures_below(source.root)
    stems = defaultdict(set)
    for file in files:
        stems[file.stem].add(file.parent)
    # a folder with the name of a picture elsewhere stands for its files
    units = {f: f.parent if stems.get(f.parent.name, set()) - {f.parent} else f for f in files}
    pictures, masks = told_apart(source.root, [*dict.fromkeys(units.values())], KINDS)
    known = _Pictures(source, [file for file in files if file in pictures])
    found = defaultdict(list)
    for file in files:
        picture = known.of(file, by_name) if units[file] in masks else None
        if picture:
            found[picture].append(file)
    return found


def are_several(masks: Mapping[Path, Sequence[Path]]) -> bool:
    """Return whether a picture has several masks in one folder, and none of its own name."""
    return any(
        len({mask.parent for mask in own}) < len(own) and picture.stem not in {m.stem for m in own}
        for picture, own in masks.items()
    )


class _Pictures:
    """Pictures by their names, and by the folders that they and their folders lie in."""

    def __init__(self, source: Source, files: Sequence[Path]) -> None:
        self.source = source
        self.named: Mapping[str, list[Path]] = defaultdict(list)
        self.below: Mapping[Path, list[Path]] = defaultdict(list)
        for file in files:
            self.named[file.stem].append(file)
            self.below[file.parent].append(file)
            self.below[file.parent.parent].append(file)

    def of(self, mask: Path, by_name: bool) -> Path | None:
        """Return the picture of a mask, None where it is not clear."""
        split = split_of(self.source, mask)
        alone = self.below.get(mask.parent.parent, [])
        for name in (mask.parent.name, *(_beginnings(mask.stem) if by_name else ())):
            found = self.named.get(name, [])
            if len(found) > 1:
                found = [file for file in found if split_of(self.source, file) == split]
            if len(found) == 1:
                return found[0]
        return alone[0] if len(alone) == 1 else None


def _beginnings(stem: str) -> Iterator[str]:
    """Yield a name, and what it begins with up to a separator, the longest first.

    >>> [*_beginnings('a1_cat-2')]
    ['a1_cat-2', 'a1_cat', 'a1']
    """
    yield stem
    for match in reversed([*re.finditer(r'[\W_]+', stem)]):
        yield stem[: match.start()]


def read_mask_files(
    source: Source,
    masks: Mapping[Path, Sequence[Path]],
    read: Callable[[Path], np.ndarray],
    default: str,
) -> tuple[list[Picture], list[str]]:
    """Read the objects of pictures, one from each mask, and the names of their classes.

    Args:
        source: gets notes and faults. Of several ``names``, the one in the name of the mask counts.
        masks: those of each picture.
        read: returns the numbers or colors of a mask (H, W).
        default: the class, where ``source`` has no names.
    """
    names = [*source.names] or [default]
    pictures = []
    for file, own in masks.items():
        with source.listing_faults():
            picture = open_picture(source, file)
            for mask in own:
                pixels = _object_in(source, mask, read(mask))
                picture.require_mask_size(mask, pixels.shape)
                if pixels.any():
                    with source.accounting(mask, 1):
                        add_mask(source, picture, _class_of(mask, names), pixels, str(mask))
                else:
                    source.change(EMPTY, mask)
            pictures.append(picture)
    used = {*masks, *(mask for own in masks.values() for mask in own)}
    source.change_rest(UNMATCHED, used)
    if len({picture.split for picture in pictures}) == 1:
        for picture in pictures:
            picture.split = None
    return pictures, names_of(pictures)


def _object_in(source: Source, mask: Path, values: np.ndarray) -> np.ndarray:
    """Return the pixels of the object (H, W), bool.

    Raises:
        InputError: the mask has more than one.
    """
    numbers, counts = np.unique(values[values > 0], return_counts=True)
    if len(numbers) < 2:
        return values > 0
    if numbers[-1] in FULL and 2 * counts[-1] >= counts.sum():
        source.change(SOFT, mask)
        return values > numbers[-1] / 2
    raise InputError(
        f'{mask}: has the numbers {some(numbers.tolist(), str)}. In a folder with a mask for each '
        'object, a mask has 0 and one other number. For masks of several objects, use --instances '
        'numbers, with one mask for each image.'
    )


def _class_of(mask: Path, names: Sequence[str]) -> str:
    """Return the class in the name of a mask, or the only one.

    Raises:
        InputError: there is none, or there are several.
    """
    if len(names) == 1:
        return names[0]
    end = '(?![^\\W\\d_])'
    found = [n for n in names if re.search(f'(?<![^\\W_]){re.escape(n)}{end}', mask.stem, re.I)]
    found = [name for name in found if not any(name != n and name in n for n in found)]
    if len(found) != 1:
        raise InputError(
            f'{mask}: its name contains {some(found) if found else "none"} of --names '
            f'({some(names)}). Rename it to contain exactly one, such as IMAGE_{names[0]}_1.png.'
        )
    return found[0]
