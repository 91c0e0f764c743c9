"""The files of a data set of unknown origin, what is wrong with them, and what was changed."""

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ...errors import InputError
from ...utils.messages import some
from ..loading.image_file import IMAGES

# what folders of pictures and of annotations are called, also joined to other words
KINDS = re.compile('(jpeg|png)?images?|imgs?|pictures|photos|labels?|annot(ation)?s?|xmls?|_dir')


class Source:
    """A folder to import, which stays as it is.

    Args:
        root: the folder.
        follow: whether links may lead out of it, as those of an earlier import do.

    Attributes:
        root: the folder.
        files: those in it and below that are not hidden, in order.
        pictures: the pictures among them.
        faults: one line for each file that cannot be used; they stop an import.
        changes: what was changed or left out, and all the places.

    Raises:
        InputError: there are no pictures, or a link leads out of the folder.
    """

    def __init__(self, root: Path, follow: bool = False) -> None:
        self.root = root
        self.files: list[Path] = []
        for place, folders, names in os.walk(root):
            folders[:] = [name for name in folders if not name.startswith('.')]
            for name in (*folders, *names):
                file = Path(place, name)
                if name.startswith('.'):
                    continue
                if file.is_symlink() and not follow:
                    target = file.resolve()
                    if not target.is_file() or not target.is_relative_to(root.resolve()):
                        raise InputError(
                            f'{file}: is a link to {target}. Only links to files in {root} are '
                            'followed. Put what is meant in the place of the link, or take it out; '
                            '`vitbackbones convert --copy` writes no links.'
                        )
                if file.is_file():
                    self.files.append(file)
        self.files.sort()
        self.pictures = self.ending(*IMAGES)
        self.faults: list[str] = []
        self.changes: dict[str, list[str]] = defaultdict(list)
        if not self.pictures:
            raise InputError(f'{root}: no picture ({", ".join(IMAGES)}) in it or below.')

    def ending(self, *suffixes: str) -> list[Path]:
        """Return the files with one of the suffixes, in lower or upper case."""
        return [file for file in self.files if file.suffix.lower() in suffixes]

    def change(self, what: str, where: str | Path) -> None:
        """Note something that was changed or left out."""
        self.changes[what].append(str(where))

    @contextmanager
    def listing_faults(self) -> Iterator[None]:
        """List a fault of one file, and go on with the next one."""
        try:
            yield
        except InputError as error:
            self.faults.append(str(error))

    def paired(self, files: Iterable[Path]) -> dict[Path, Path]:
        """Return the annotation file of each picture, and list those of no or several pictures.

        Both have one name, in one folder or in two whose paths differ in :data:`KINDS` alone:
        ``images/train/a.jpg`` and ``labels/train/a.txt``.
        """
        by_place, pairs = defaultdict(list), {}
        for picture in self.pictures:
            by_place[self._place(picture)].append(picture)
        for file in files:
            alike = by_place[self._place(file)]
            if not alike:
                self.faults.append(f'{file}: has no picture. Add it, or take the file out.')
            elif len(alike) > 1:
                self.faults.append(
                    f'{file}: has several pictures of its name, {some(alike, str)}. Keep one.'
                )
            elif alike[0] in pairs:
                self.faults.append(f'{file}: {alike[0]} already has {pairs[alike[0]]}. Keep one.')
            else:
                pairs[alike[0]] = file
        return pairs

    def _place(self, file: Path) -> tuple[str, ...]:
        """Return the folders of a file without the words of :data:`KINDS`, and its name."""
        folder = KINDS.sub('', str(file.parent.relative_to(self.root)).lower())
        words = [name.strip('_-. ') for name in folder.split('/')]
        return (*[word for word in words if word], file.stem)
