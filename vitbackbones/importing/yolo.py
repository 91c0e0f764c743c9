"""Annotations in the form of YOLO: a text file for each picture, a line for each object.

A line is a class number and, in parts of the picture's width and height, the center and the sides
of a box, or the corners x y x y ... of an outline. ``data.yaml`` names the classes; darknet and
LabelImg write ``classes.txt`` or ``obj.names``.
"""

import math
from collections.abc import Iterator
from pathlib import Path

import yaml

from ..datasets.own.folder import files_below, read_text
from ..datasets.own.names import names_in_lines
from ..datasets.own.splits import SPLIT_OF
from ..errors import InputError
from ..messages import cut, some
from .boxes import add_box, add_polygon
from .notes import Notes
from .pictures import Picture, Pictures, opened
from .yolo_splits import UNLISTED, Splits

NAMES = ('classes.txt', 'obj.names', 'labels.txt')  # files of names, one a line
DIGITS = 2  # of a pixel; the six digits of a file are no more
OTHERS = {*SPLIT_OF, *('readme', 'readme.dataset', 'readme.roboflow', 'license')}  # text files


def read_yolo(root: Path, notes: Notes) -> tuple[list[Picture], list[str]]:
    """Read the text file of every picture below a folder, and the names of the classes.

    A picture without a text file has no objects.

    Raises:
        InputError: there are no pictures, or no names of the classes, or it is not clear which
            picture a list means.
    """
    settings = _settings(root)
    names, keypoints = _names(root, settings), 'kpt_shape' in settings
    pictures = Pictures(root)
    splits, labels = Splits(root, settings, pictures, notes), _labels(root)
    read = []
    for file in pictures.files:
        label, split = _label_of(file, labels), splits.of(file)
        if split == UNLISTED:
            notes.add(UNLISTED, str(file))
            continue
        if label is None:
            notes.add('pictures without a label file, taken as without objects', str(file))
        with notes.noted():
            picture = opened(file, split)
            for where, values in _lines(label) if label else ():
                _add(picture, names, values[:5] if keypoints else values, where, notes)
            read.append(picture)
    notes.faults += [
        f'{label}: there is no picture of this name. Put it there, or take the file out.'
        for label in labels.values()
        if label.stem.lower() not in OTHERS and label not in splits.lists
    ]
    return read, names


# ------------------------------------------------------------------------ data.yaml


def _settings(root: Path) -> dict:
    """Return what ``data.yaml`` says, {} where there is none."""
    files = [f for f in files_below(root, ('.yaml', '.yml')) if _has_names(f)]
    if len(files) > 1:
        raise InputError(f'{root}: several files name classes: {some(files, str)}. Keep one.')
    return _read_yaml(files[0]) if files else {}


def _has_names(file: Path) -> bool:
    return 'names' in _read_yaml(file)


def _read_yaml(file: Path) -> dict:
    try:
        text = file.read_bytes()
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text)):
            raise ValueError('aliases (*name), of which a few lines can make gigabytes')
        content = yaml.safe_load(text)  # makes no objects of other types
    except Exception as error:  # yaml raises KeyError, IndexError ... where a tag does not fit
        raise InputError(f'{file}: not a YAML file that can be read: {cut(str(error))}') from error
    return content if isinstance(content, dict) else {}


def _names(root: Path, settings: dict) -> list[str]:
    """Return the name of each class number."""
    names = settings.get('names')
    if isinstance(names, dict) and set(names) == {*range(len(names))}:
        names = [names[number] for number in range(len(names))]
    if isinstance(names, list) and names and all(isinstance(n, str | int) for n in names):
        return [str(name).strip() for name in names]
    if names is not None:
        raise InputError(
            f'{root}: names in data.yaml is {cut(names)}; write a list of names, or one for each '
            'number from 0.'
        )
    files = [file for file in files_below(root, NAMES) if file.name in NAMES]
    if not files:
        raise InputError(
            f'{root}: nothing names the classes. Put a classes.txt there with a name in each line, '
            'or a data.yaml with names.'
        )
    return names_in_lines(files[0])


# ------------------------------------------------------------------------ label files


def _labels(root: Path) -> dict[Path, Path]:
    """Return the label files, by their paths without suffix."""
    return {
        file.with_suffix(''): file
        for file in sorted(files_below(root, ('.txt',)))
        if file.name not in NAMES
    }


def _label_of(picture: Path, labels: dict[Path, Path]) -> Path | None:
    """Take the label file of a picture out of ``labels``: beside it, or in ``labels``."""
    parts = picture.with_suffix('').parts
    places = [Path(*parts)]
    for at, part in enumerate(parts):
        if part == 'images':
            places.append(Path(*parts[:at], 'labels', *parts[at + 1 :]))
    return next((labels.pop(place) for place in reversed(places) if place in labels), None)


def _lines(label: Path) -> Iterator[tuple[str, list[float]]]:
    """Yield place and numbers of each line that is not empty."""
    for number, line in enumerate(read_text(label).splitlines(), 1):
        where = f'{label}, line {number}'
        try:
            values = [float(word) for word in line.split()]
        except ValueError as error:
            raise InputError(f'{where}: {cut(line)} are not numbers.') from error
        if values:
            yield where, values


def _add(picture: Picture, names: list[str], values: list[float], where: str, notes: Notes) -> None:
    number, *places = values
    if number not in range(len(names)):
        raise InputError(
            f'{where}: has the class {number:g}, but there are {len(names)} classes, 0 to '
            f'{len(names) - 1} ({some(names)}). Correct the line, or the names of the classes.'
        )
    sides = (picture.width, picture.height) * math.ceil(len(places) / 2)
    scaled = [place * side for place, side in zip(places, sides, strict=False)]
    name = names[int(number)]
    if len(places) == 4:
        x, y, width, height = scaled
        corners = (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
        corners = [round(value, DIGITS) for value in corners]
        add_box(picture, name, corners, where, notes)
    elif len(places) >= 6 and len(places) % 2 == 0:
        outline = [round(value, DIGITS) for value in scaled]
        add_polygon(picture, name, outline, where, notes)
    else:
        raise InputError(
            f'{where}: has {len(values)} numbers. An object is a class and 4 numbers of its box, '
            'or 6 and more of its outline, x and y in turn; confidences do not belong there.'
        )
