"""Annotations in Pascal VOC's form: an XML file for each picture.

Known are VOC's own folders (``Annotations``, ``JPEGImages``, ``ImageSets/Main/train.txt``), XML
files beside their pictures (LabelImg), and a folder for each split (Roboflow).

VOC counts pixels from 1 and names the last one inside: 1 to 10 are ten pixels, from 0 to 10 here.
Many tools count from 0 and name the edge behind the last pixel. Where a corner is 0, that was one
of these, and the files are taken by their word.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from xml.etree.ElementTree import Element

from ..datasets.checks.coco import image_size_fault
from ..datasets.checks.headers import read_header
from ..datasets.own.folder import files_below
from ..errors import InputError
from .boxes import add_box
from .notes import Notes
from .pictures import Picture, Pictures, opened
from .xml_file import read_xml

CORNERS = ('xmin', 'ymin', 'xmax', 'ymax')
LISTS = {'train': 'train', 'val': 'val', 'test': 'test', 'trainval': 'train'}  # file: split
FROM_0 = 'boxes with a corner at 0, so all count pixels from 0, not from 1 as in VOC'
UNLISTED = 'annotated pictures that no list in ImageSets/Main names, left out'


def read_voc(root: Path, notes: Notes) -> tuple[list[Picture], list[str]]:
    """Read all XML files below a folder, and the names of their classes in alphabetical order.

    Raises:
        InputError: there are none, or no pictures.
    """
    pictures = Pictures(root)
    files = sorted(files_below(root, ('.xml',)))
    if not files:
        raise InputError(f'{root}: no annotation file (*.xml) in it or below.')
    read = {}
    for file in files:
        with notes.noted():
            read[file] = _annotation(file)
    found = _annotated(read, pictures, notes)
    for path in sorted({*pictures.files} - found.keys() if not notes.faults else ()):
        notes.add('pictures without an XML file, left out', str(path))
    for picture in [each for each in found.values() if each.split == UNLISTED]:
        notes.add(UNLISTED, str(found.pop(picture.path).path))
    kept = list(found.values())
    return kept, sorted({thing.name for picture in kept for thing in picture.things})


def _annotated(
    read: Mapping[Path, Element], pictures: Pictures, notes: Notes
) -> dict[Path, Picture]:
    """Return the picture of each annotation file with its objects, by the picture's path."""
    first = 1
    for file in _files_with_0(read):
        notes.add(FROM_0, str(file))
        first = 0
    found = {}
    for file, tree in read.items():
        with notes.noted():
            picture = _picture(file, tree, pictures)
            if picture.path in found:
                raise InputError(f'{file}: {picture.path} has another XML file too. Keep one.')
            _add_objects(file, tree, picture, first, notes)
            found[picture.path] = picture
    return found


def _annotation(file: Path) -> Element:
    tree = read_xml(file)
    if tree.tag != 'annotation':
        raise InputError(
            f'{file}: its root is <{tree.tag}>, not <annotation> as in Pascal VOC. Take it out; '
            'what a tool such as CVAT keeps in a form of its own, let it export as COCO.'
        )
    return tree


def _files_with_0(read: Mapping[Path, Element]) -> list[Path]:
    """Return the files that call the first pixel of a row or column 0."""
    return [
        file
        for file, tree in read.items()
        for box in [*tree.iterfind('object/bndbox')]
        if {'0', '0.0'} & {box.findtext(key, '').strip() for key in CORNERS[:2]}
    ]


# ------------------------------------------------------------------------ pictures


def _picture(file: Path, tree: Element, pictures: Pictures) -> Picture:
    path = pictures.find(tree.findtext('filename', '').strip(), file)
    picture = opened(path, _split(file, pictures))
    told = [int(_number(file, tree, f'size/{side}', '0')) for side in ('height', 'width')]
    if all(told):
        _require_size(file, picture, told)
    return picture


def _require_size(file: Path, picture: Picture, told: Sequence[int]) -> None:
    """Compare the size in the file with that of the picture, which EXIF may turn."""
    fault = image_size_fault(told, (picture.height, picture.width))
    if not fault:
        return
    if tuple(told) == read_header(str(picture.path)).stored:
        raise InputError(
            f'{file}: was drawn on {picture.path} as it is stored, but its EXIF orientation turns '
            'it when it is loaded. Save the picture without EXIF data.'
        )
    raise InputError(
        f'{file}: {picture.path} {fault}. Use the picture that was annotated, or correct <size> '
        'if the boxes are right.'
    )


def _split(file: Path, pictures: Pictures) -> str | None:
    lists = _lists(file.parent.parent / 'ImageSets' / 'Main')
    return lists.get(file.stem, UNLISTED) if lists else pictures.split_of(file)


@cache
def _lists(folder: Path) -> dict[str, str]:
    """Return the split of each picture that VOC's lists name, by its name without suffix."""
    files = {name: folder / f'{name}.txt' for name in LISTS}
    there = {name: file for name, file in files.items() if file.is_file()}
    if 'train' in there:
        there.pop('trainval', None)
    return {
        line.strip(): LISTS[name]
        for name, file in there.items()
        for line in file.read_text('utf-8', 'surrogateescape').splitlines()
    }


# ------------------------------------------------------------------------ objects


def _add_objects(file: Path, tree: Element, picture: Picture, first: int, notes: Notes) -> None:
    for number, entry in enumerate(tree.iterfind('object'), 1):
        where = f'{file}: object {number}'
        name = entry.findtext('name', '').strip()
        if not name or entry.find('bndbox') is None:
            missing = 'bndbox' if name else 'name'
            raise InputError(f'{where} has no <{missing}>. Add it, or take the object out.')
        corners = [_number(where, entry, f'bndbox/{corner}') for corner in CORNERS]
        corners[:2] = [value - first for value in corners[:2]]
        crowd = entry.findtext('difficult', '0').strip() == '1'
        if crowd:
            notes.add('difficult objects, neither learned nor counted (iscrowd)', where)
        add_box(picture, name, corners, where, notes, crowd)


def _number(where: Path | str, tree: Element, key: str, default: str = '') -> float:
    text = (tree.findtext(key) or default).strip()
    try:
        int(number := float(text))  # refuses what is not finite
    except (ValueError, OverflowError) as error:
        raise InputError(f'{where}: {key} is {text!r}, not a number.') from error
    return number
