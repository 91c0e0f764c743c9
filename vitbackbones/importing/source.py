"""The files of a dataset of unknown origin, what is wrong with them, and what was changed.

Also which annotation file belongs to which picture, and which picture a path of a file means.
"""

import os
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from filecmp import cmp
from pathlib import Path

from ..data.loading.image_file import HEIC, IMAGES
from ..data.own.folder import gone_links, is_of_a_tool, named_split, own_words
from ..errors import InputError
from ..utils.grouping import by_key
from ..utils.messages import some

UNMATCHED = 'images and masks without a match, left out'
# Suffixes of pictures that are not read
OTHERS = ('.jxl', '.tga', '.psd', '.dng', '.cr2', '.cr3', '.nef', '.arw', '.svg', '.dcm', '.exr')
OTHERS += ('.hdr',)
TO_READ_HEIC = 'install pillow-heif (pip install pillow-heif), or convert'


class Source:
    """A folder to import, which stays as it is.

    Args:
        root: the folder.
        follow: whether links may lead out of it.
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
        follow: bool = False,
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
                if file.is_symlink() and not follow:
                    self._require_inside(file)
                if file.is_file():
                    self.files.append(file)
        self.files.sort()
        self.pictures = self.ending(*IMAGES)
        self.unread = self.ending(*{*OTHERS, *HEIC} - {*IMAGES})
        for file in self.unread:
            if file.suffix.lower() in HEIC:
                self.change(f'HEIC images, left out; {TO_READ_HEIC} them', file)
            else:
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

    def _require_inside(self, link: Path) -> None:
        target = link.resolve()
        if not target.exists():
            raise InputError(
                f'{link}: is a link to {target}, which no longer exists. Remove it, or import '
                'again with --copy.'
            )
        if not target.is_file() or not target.is_relative_to(self.root.resolve()):
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

    def change_rest(self, what: str, used: Collection[Path]) -> None:
        """Note all pictures that are not among those used."""
        for picture in self.pictures:
            if picture not in used:
                self.change(what, picture)

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


# ------------------------------------------------------------------------ pairs


DEEPEST = 20  # folders of a path in a file that are looked at


def paired(
    source: Source,
    files: Iterable[Path],
    told: Callable[[Path], str | None],
    pictures: Collection[Path] | None = None,
) -> dict[Path, Path]:
    """Return the annotation file of each picture, and list those of no or several pictures.

    Both have the same name. They lie in one folder, or in two folders whose paths have the same
    :func:`~..data.own.folder.own_words`: ``images/train/a.jpg`` and ``labels/train/a.txt``. Of
    several images with this name, the one at the depth of the file counts. Any other file belongs
    to the image that it names itself. If no file of a folder has its image in the first way, the
    folder may have any name: there, only file names count, unless its images have their files.

    Args:
        source: gets the notes and the faults.
        files: those with the suffix of annotations.
        told: returns the path that a file gives of its picture, '' without one, and None for a
            file that is no annotation.
        pictures: those that are read (default: all).
    """
    pairs = _Pairs(source, source.pictures if pictures is None else pictures)
    apart = [file for file in files if not pairs.add_by_place(file)]
    second = {file.parent for file in apart if pairs.have_files(file)}
    for file in apart:
        with source.listing_faults():
            path = told(file)
            if path is None:
                source.change('files with other content, left out', file)
            elif file.parent in second - pairs.settled:
                source.change('annotation files alongside those that are read, left out', file)
            else:
                pairs.add_apart(file, path)
    return pairs.found


class _Pairs:
    """The pairs of a folder that are found so far."""

    def __init__(self, source: Source, chosen: Collection[Path]) -> None:
        self.source = source
        self.chosen = {*chosen}
        self.known = by_name(chosen)
        self.found: dict[Path, Path] = {}
        self.settled: set[Path] = set()  # folders whose files have their pictures by their place
        self.by_place: set[Path] = set()  # pictures that have such files
        self.stems = by_key(source.pictures, lambda picture: picture.stem)
        self.places: dict[tuple[str, ...], list[Path]] = defaultdict(list)
        for picture in source.pictures:
            for name in (picture.stem, picture.name):  # some tools write a.jpg.txt
                self.places[self._place(picture, name)].append(picture)

    def add_by_place(self, file: Path) -> bool:
        """Return whether a file has pictures by its place, and pair it if they are read."""
        if alike := self.places[self._place(file, file.stem)]:
            self.settled.add(file.parent)
            self._add(file, alike)
            self.by_place |= {*alike}
        return bool(alike)

    def have_files(self, file: Path) -> bool:
        """Return whether all pictures of a file's name have their files."""
        alike = self.stems[file.stem]
        return bool(alike) and self.found.keys() >= {*alike}

    def add_apart(self, file: Path, path: str) -> None:
        """Pair a file without a picture by its place.

        Args:
            file: an annotation file.
            path: of its picture, as it tells it, or ''.

        Raises:
            InputError: it has no picture.
        """
        picture = meant(path, (file.parent, self.source.root), self.known)
        alike = [picture] if picture else []
        if not alike and file.parent not in self.settled:
            free = (each for each in self.stems[file.stem] if each not in self.by_place)
            alike = [each for each in free if self._fit(file, each)]
        if not alike:
            raise InputError(self._without_picture(file))
        if kept := self._add(file, alike):
            note = (
                'annotation files in other folders than their images, matched by the image that '
                'they name'
            )
            self.source.change(note, f'{file} with {kept}')

    def _add(self, file: Path, alike: Sequence[Path]) -> Path | None:
        """Pair a file with the picture that is read, and return it."""
        kept = [picture for picture in alike if picture in self.chosen]
        kept = [each for each in kept if len(each.parts) == len(file.parts)] or kept
        if len(kept) > 1 and all(cmp(kept[0], other, shallow=False) for other in kept[1:]):
            self.source.change('copies of an image, of which the first is used', kept[0])
            kept = kept[:1]
        if not kept:
            self.source.change('annotation files of images that are left out', file)
        elif len(kept) > 1:
            self.source.faults.append(
                f'{file}: several images have this name: {some(kept, str)}. Keep only one.'
            )
        elif kept[0] in self.found:
            self.source.faults.append(
                f'{file}: {kept[0]} already belongs to {self.found[kept[0]]}. Keep only one.'
            )
        else:
            self.found[kept[0]] = file
            return kept[0]
        return None

    def _without_picture(self, file: Path) -> str:
        unread = [each.name for each in self.source.unread if each.stem == file.stem]
        if not unread:
            return f'{file}: has no image. Add the image, or remove the file.'
        if Path(unread[0]).suffix.lower() in HEIC:
            return f'{file}: its image {unread[0]} is in HEIC format: {TO_READ_HEIC} the image.'
        return (
            f'{file}: the format of its image {unread[0]} is not supported. Convert the image '
            f'to one of {", ".join(IMAGES)}.'
        )

    def _place(self, file: Path, name: str) -> tuple[str, ...]:
        """Return the own words of the folders of a file, and a name."""
        return (*own_words(file.parent.relative_to(self.source.root)), name)

    def _fit(self, file: Path, picture: Path) -> bool:
        """Return whether the folders of two files do not name two splits."""
        splits = {split_of(self.source, file), split_of(self.source, picture)}
        return len(splits - {None}) < 2


def split_of(source: Source, file: Path) -> str | None:
    """Return the split that the folders of a file name."""
    return named_split(str(file.parent.relative_to(source.root)))


def by_name(paths: Iterable[Path]) -> Mapping[str, list[Path]]:
    """Return lists of paths by their last part."""
    return by_key(paths, lambda path: path.name)


def meant(text: str, bases: Sequence[Path], known: Mapping[str, Sequence[Path]]) -> Path | None:
    """Return which of the ``known`` paths a text in a file means, None if none or several.

    The text may be of another machine: its first folders are dropped until the rest leads to a
    path from one of the ``bases``, or is the end of a single path. A folder of the text that is
    there has to contain the path: one in another folder is another file of that name.
    """
    parts = [part for part in re.split(r'[/\\]', text.strip()) if part not in ('', '.')]
    alike = {str(path): path for path in known.get(parts[-1], ())} if parts else {}
    for start in range(max(0, len(parts) - DEEPEST), len(parts) if alike else 0):
        tail = '/'.join(parts[start:])
        for base in bases:
            if path := alike.get(os.path.normpath(f'{base}/{tail}')):
                return path
        folders = [Path(base, *parts[start:-1]) for base in bases if start < len(parts) - 1]
        if there := [folder for folder in folders if folder.is_dir()]:
            inside = {path for path in alike.values() if {*path.parents} & {*there}}
            alike = {name: path for name, path in alike.items() if path in inside}
        ends = [path for name, path in alike.items() if name.endswith(f'/{tail}')]
        if len(ends) == 1:
            return ends[0]
    return None
