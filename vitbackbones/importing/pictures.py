"""Annotated pictures as every form gives them, and the pictures below a folder."""

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from ..datasets.checks.findings import IMAGES
from ..datasets.checks.headers import read_header, reason_of
from ..datasets.image_file import naming, read_content
from ..datasets.own.folder import files_below
from ..datasets.own.splits import named_split
from ..errors import InputError
from ..messages import some
from .notes import Notes

ADVICE = ' Put a good copy there, or take it out.'


@dataclass(frozen=True)
class Thing:
    """An object on a picture.

    Attributes:
        name: of its class.
        box: x and y of the corner at the upper left, width, height, in pixels from 0.
        polygon: x, y, x, y ... of its outline, empty where only the box is known.
        crowd: it is neither learned nor counted, as VOC's difficult ones.
    """

    name: str
    box: tuple[float, float, float, float]
    polygon: tuple[float, ...] = ()
    crowd: bool = False


@dataclass
class Picture:
    """A picture, its size as it is loaded, turned as EXIF says, and what is on it, in order."""

    path: Path
    width: int
    height: int
    split: str | None
    things: dict[Thing, None] = field(default_factory=dict)  # a set has no order


class Pictures:
    """The pictures below a folder, to be found by the names that annotations give them.

    Raises:
        InputError: there are none.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files = sorted(files_below(root, IMAGES))
        if not self.files:
            raise InputError(f'{root}: no picture ({", ".join(IMAGES)}) in it or below.')
        self.by_name, self.by_stem = defaultdict(list), defaultdict(list)
        for file in self.files:
            self.by_name[file.name].append(file)
            self.by_stem[file.stem].append(file)

    def find(self, name: str, annotation: Path) -> Path:
        """Return the picture that an annotation file names, or that is named as the file is.

        Only the last part of ``name`` counts: the rest is of the machine that it was written on.
        Of several pictures it is the one that shares most folders with the annotation file.

        Raises:
            InputError: there is none, or more than one.
        """
        last = name.replace('\\', '/').rpartition('/')[2]
        found = self.by_name[last] or self.by_stem[last] or self.by_stem[annotation.stem]
        if not found:
            raise InputError(
                f'{annotation}: its picture {last or annotation.stem!r} is not in {self.root} or '
                'below. Put it there, or take the file out.'
            )
        shared = [_shared(file, annotation) for file in found]
        best = [f for f, count in zip(found, shared, strict=True) if count == max(shared)]
        if len(best) > 1:
            raise InputError(
                f'{annotation}: there are several pictures of its name: '
                f'{some(best, str)}. Put the one that is meant beside the file.'
            )
        return best[0]

    def split_of(self, file: Path) -> str | None:
        """Return the split that the folders of a file name."""
        return named_split(str(file.relative_to(self.root).parent))


def _shared(file: Path, other: Path) -> int:
    return len(Path(os.path.commonpath([file, other])).parts)


def opened(file: Path, split: str | None) -> Picture:
    """Return a picture by its header.

    Raises:
        InputError: it cannot be read, is cut short, or has a name that is no text.
    """
    try:
        str(file).encode()
    except UnicodeEncodeError as error:
        raise InputError(f'{file}: its name is not in UTF-8. Rename it.') from error
    with naming(str(file), ADVICE):
        read_content(str(file))  # finds JPEGs that are cut short, whose headers are whole
    try:
        height, width = read_header(str(file)).size(turns=True)
    except Exception as error:
        raise InputError(f'{file}: {reason_of(error)}.{ADVICE}') from error
    return Picture(file, width, height, split)


# ------------------------------------------------------------------------ all of them


def note_twins(pictures: Iterable[Picture], notes: Notes) -> None:
    """Note pictures of the same content: one that trains and validates is no proof of anything."""
    for first, *others in _same_files([picture.path for picture in pictures]):
        for other in others:
            notes.add('pictures of the same content as another one', f'{other} is {first}')


def _same_files(files: list[Path]) -> Iterator[list[Path]]:
    by_size = defaultdict(list)
    for file in files:
        by_size[file.stat().st_size].append(file)
    for alike in by_size.values():
        by_content = defaultdict(list)
        for file in alike if len(alike) > 1 else ():
            by_content[sha256(file.read_bytes()).digest()].append(file)
        yield from (same for same in by_content.values() if len(same) > 1)
