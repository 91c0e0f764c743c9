"""The split of each picture of a YOLO data set.

``data.yaml`` names folders (``train: images/train``) or lists of pictures (``train: train.txt``).
Darknet and CVAT write lists without it, called ``train.txt``, ``valid.txt`` and the like.

Paths are of the machine that they were written on. A picture is meant where its path below the
folder of the data set ends the path that was written, or the other way round, so that nothing is
read outside of the folder.
"""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from ..datasets.own.folder import read_text
from ..datasets.own.splits import WORDS
from ..errors import InputError
from ..messages import some
from .notes import Notes
from .pictures import Pictures

NOT_HERE = 'paths of splits in data.yaml that are neither a folder nor a list here, not followed'
UNKNOWN = 'names in lists of splits that are no picture in the folder, not followed'
UNLISTED = 'pictures that no list of splits names, left out'


class Splits:
    """The splits that folders and lists name.

    Args:
        root: the folder of the data set.
        settings: what ``data.yaml`` says.
        pictures: those below ``root``.
        notes: get the paths and names that lead nowhere.

    Attributes:
        lists: the files of lists that were read.

    Raises:
        InputError: a list names a picture that there is more than once.
    """

    def __init__(self, root: Path, settings: dict, pictures: Pictures, notes: Notes) -> None:
        self.pictures = pictures
        self.folders: dict[PurePosixPath, str] = {}
        self.listed: dict[Path, str] = {}
        self.lists: list[Path] = []
        there = {folder for file in pictures.files for folder in self._folders_of(file)}
        for path, split in [*_paths(settings)] or _usual_lists(root, pictures):
            if path in there:
                self.folders.setdefault(path, split)
            elif file := _find_list(root, path):
                self.lists.append(file)
                self._read(file, split, notes)
            else:
                notes.add(NOT_HERE, str(path))

    def of(self, file: Path) -> str | None:
        """Return the split of a picture; UNLISTED where others are listed and it is not.

        Of several splits, it is that for training.
        """
        if file in self.listed:
            return self.listed[file]
        for folder in self._folders_of(file):
            if folder in self.folders:
                return self.folders[folder]
        return UNLISTED if self.listed else self.pictures.split_of(file)

    def _folders_of(self, file: Path) -> list[PurePosixPath]:
        """Return the folders that a picture is in, below that of the data set; deepest first."""
        return [*PurePosixPath(file.relative_to(self.pictures.root)).parents][:-1]

    def _read(self, file: Path, split: str, notes: Notes) -> None:
        for number, line in enumerate(read_text(file).splitlines(), 1):
            if path := _parts(line.strip()):
                found = self._named(path)
                if not found:
                    notes.add(UNKNOWN, f'{file}, line {number}: {line.strip()}')
                if len(found) > 1:
                    raise InputError(
                        f'{file}, line {number}: there are several pictures of this name: '
                        f'{some(found, str)}. Write the folder before the name.'
                    )
                self.listed |= {each: self.listed.get(each, split) for each in found}

    def _named(self, parts: tuple[str, ...]) -> list[Path]:
        """Return the pictures that a path in a list can mean."""
        found = {}
        for file in self.pictures.by_name.get(parts[-1], ()):
            own = file.relative_to(self.pictures.root).parts
            length = min(len(own), len(parts))
            if own[-length:] == parts[-length:]:
                found.setdefault(length, []).append(file)
        return found[max(found)] if found else []


def _paths(settings: dict) -> Iterator[tuple[PurePosixPath, str]]:
    """Yield the paths in ``data.yaml`` with their splits, training first."""
    for split in WORDS:
        given = settings.get(split) or []
        for path in given if isinstance(given, list) else [given]:
            if parts := _parts(str(path)):
                yield PurePosixPath(*parts), split


def _usual_lists(root: Path, pictures: Pictures) -> Iterator[tuple[PurePosixPath, str]]:
    """Yield lists of the usual names that are not the labels of a picture."""
    for split, words in WORDS.items():
        for word in words:
            if (root / f'{word}.txt').is_file() and word not in pictures.by_stem:
                yield PurePosixPath(f'{word}.txt'), split


def _parts(path: str) -> tuple[str, ...]:
    """Return the parts of a path of any system that name something."""
    return tuple(part for part in path.replace('\\', '/').split('/') if part not in ('', '.', '..'))


def _find_list(root: Path, path: PurePosixPath) -> Path | None:
    """Return the list of pictures below ``root`` whose path ends ``path``."""
    ends = (root.joinpath(*path.parts[at:]) for at in range(len(path.parts)))
    return next((end for end in ends if end.suffix == '.txt' and end.is_file()), None)
