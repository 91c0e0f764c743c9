"""The files of a dataset of unknown origin, what is wrong with them, and what was changed."""

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ..data.loading.image_file import IMAGES
from ..data.own.folder import gone_links, is_of_a_tool
from ..errors import InputError
from ..utils.messages import some

# Suffixes of pictures that are not read
OTHERS = ('.heic', '.heif', '.jxl', '.tga', '.psd', '.dng', '.cr2', '.cr3', '.nef', '.arw', '.svg')
OTHERS += ('.dcm', '.exr', '.hdr')


class Source:
    """A folder to import, which stays as it is.

    Args:
        root: the folder.
        follow: whether links may lead out of it, or the folders to whose files they may lead, as
            those of an earlier import do.
        settings: a YAML file that was named in place of the folder.
        names: of the classes, in the order of their numbers, where they were given.

    Attributes:
        root, settings, names: as given.
        files: those in it and below that are not hidden, in order.
        pictures: the pictures among them.
        unread: pictures among them of a form that is not read.
        faults: one line for each file that cannot be used; they stop an import.
        changes: what was changed or left out, and all the places.
        taken: number of objects that went in.
        left_out: number of objects that were left out by name.

    Raises:
        InputError: there are no pictures, or a link leads out of the folder.
    """

    def __init__(
        self,
        root: Path,
        follow: bool | Sequence[Path] = False,
        settings: Path | None = None,
        names: Sequence[str] = (),
    ) -> None:
        self.root = root
        self.settings = settings
        self.names = names
        self.files: list[Path] = []
        self.faults: list[str] = []
        self.changes: dict[str, list[str]] = defaultdict(list)
        self.taken = 0
        self.left_out = 0
        for place, folders, files in os.walk(root):
            folders[:] = [name for name in folders if self._is_data(Path(place, name))]
            for file in (Path(place, name) for name in (*folders, *files)):
                if file.name.startswith('.'):
                    continue
                if file.is_symlink() and follow is not True:
                    self._require_inside(file, follow or ())
                if file.is_file():
                    self.files.append(file)
        self.files.sort()
        self.pictures = self.ending(*IMAGES)
        self.unread = self.ending(*OTHERS)
        for file in self.unread:
            self.change('images in unsupported formats, left out; convert them', file)
        if not self.pictures:
            found = ''.join(f' {what}: {some(at, str, 3)}.' for what, at in self.changes.items())
            if not settings and (leading := self.ending('.yaml', '.yml')):
                found += f' If {leading[0]} leads to images, give it instead of the folder.'
            found += f' {gone_links(root)}'.rstrip()
            raise InputError(f'{root}: no images ({", ".join(IMAGES)}) in it or below.{found}')

    def _is_data(self, folder: Path) -> bool:
        if folder.name.startswith('.'):
            return False
        if is_of_a_tool(folder):
            self.change('folders of tools and their runs, left out', folder)
            return False
        return True

    def _require_inside(self, link: Path, others: Sequence[Path]) -> None:
        target = link.resolve()
        others = others if link.suffix.lower() in IMAGES else ()
        inside = [folder.resolve() for folder in (self.root, *others)]
        if not target.exists():
            raise InputError(
                f'{link}: is a link to {target}, which no longer exists. Remove it, or import '
                'again with --copy.'
            )
        if not target.is_file() or not any(map(target.is_relative_to, inside)):
            raise InputError(
                f'{link}: is a link to {target}. Only links to files in {self.root} are '
                'followed. Replace the link with the file, or remove it; `vitbackbones convert '
                '--copy` writes no links.'
            )

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

    def leave_out(self, what: str, where: str) -> None:
        """Note an object that does not go in."""
        self.change(what, where)
        self.left_out += 1

    @contextmanager
    def accounting(self, where: str | Path, seen: int) -> Iterator[None]:
        """Hold a reader to its books: each object that it saw goes in, or is left out by name.

        What goes in adds one to ``taken``, as in :func:`.pictures.add_object`; :meth:`leave_out`
        counts the rest. A file with a fault is named as a whole, and nothing of it counts.

        Args:
            where: the annotation file, for the message.
            seen: its number of objects, counted in another way than by reading them.

        Raises:
            RuntimeError: an object got lost, which is a defect of the reader.
        """
        before = self.taken, self.left_out
        try:
            yield
        except InputError:
            self.taken, self.left_out = before
            raise
        counted = self.taken + self.left_out - sum(before)
        if counted != seen:
            raise RuntimeError(f'{where}: has {seen} objects, and {counted} are accounted for')

    def require_all(self, objects: int) -> None:
        """Compare the objects of all pictures in the end with those that went in.

        Raises:
            RuntimeError: these are other numbers, which is a defect of the reader.
        """
        if objects != self.taken:
            raise RuntimeError(f'{self.root}: {self.taken} objects went in, {objects} are there')
