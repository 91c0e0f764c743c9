"""Annotations in the form of YOLO: a text file for each picture, a line for each object.

A line is a class number and, in parts of the picture's width and height, the center and the sides
of a box, or the corners x y x y ... of an outline. ``data.yaml`` names the classes; darknet and
LabelImg write ``classes.txt`` or ``obj.names``. Splits are folders called train, valid, test.
"""

from pathlib import Path

import yaml

from ...errors import InputError
from ...utils.files import read_small
from ...utils.messages import cut, some
from ..own.folder import names_in_lines, read_text
from ..own.splits import SPLIT_OF, WORDS, named_split
from .pictures import Picture, add_object, open_picture
from .source import Source

NAMES = ('classes.txt', 'obj.names', 'labels.txt')  # files of names, one a line
ABOUT = ('readme', 'license')  # how the names of other texts begin
DIGITS = 2  # of a pixel; the six digits of a file are no more
LARGEST_YAML = 2**18  # bytes; the names of 10000 classes take two thirds of it


def read_yolo(source: Source) -> tuple[list[Picture], list[str]]:
    """Read the text file of every picture below a folder, and the names of the classes.

    A picture without a text file has no objects.

    Raises:
        InputError: it is not clear what the names of the classes are.
    """
    files = source.ending('.yaml', '.yml')
    if len(files) > 1:
        raise InputError(f'{source.root}: has several YAML files: {some(files, str)}. Keep one.')
    settings = _read_yaml(files[0]) if files else {}
    names = _names(source, settings)
    for split in WORDS:
        place = settings.get(split)
        if place and named_split(str(place)) != split:
            source.change('splits in data.yaml, not followed', f'{split}: {cut(place)}')
    pairs, pictures = source.paired(_labels(source)), []
    for path in source.pictures:
        label = pairs.get(path)
        if label is None:
            source.change('pictures without a label file, taken as without objects', path)
        with source.listing_faults():
            picture = open_picture(source, path)
            lines = read_text(label).splitlines() if label else ()
            for number, line in enumerate(lines, 1):
                where, words = f'{label}, line {number}', line.split()
                if 'kpt_shape' in settings and words[5:]:
                    source.change('key points, left out', where)
                    words = words[:5]
                if words:
                    _add_line(source, picture, names, words, where)
            pictures.append(picture)
    return pictures, names


def _labels(source: Source) -> list[Path]:
    """Return the text files but those known to be others."""
    labels, stems = [], {path.stem for path in source.pictures}
    for file in source.ending('.txt'):
        if file.stem in SPLIT_OF and file.stem not in stems:
            source.change('lists of pictures, not followed; splits are folders', file)
        elif file.name not in NAMES and not file.name.lower().startswith(ABOUT):
            labels.append(file)
    return labels


def _read_yaml(file: Path) -> dict:
    text = read_small(file, LARGEST_YAML)
    try:
        content = yaml.safe_load(text)  # makes no objects of other types
    except Exception as error:  # yaml raises KeyError, IndexError ... where a tag does not fit
        raise InputError(f'{file}: not a YAML file that can be read: {cut(str(error))}') from error
    return content if isinstance(content, dict) else {}


def _names(source: Source, settings: dict) -> list[str]:
    names = settings.get('names')
    if names is None:
        told = {tuple(names_in_lines(file)) for file in source.files if file.name in NAMES}
        if len(told) == 1:
            return [*told.pop()]
        raise InputError(
            f'{source.root}: {"several files name" if told else "nothing names"} the classes. Put '
            'one classes.txt there with a name in each line, or a data.yaml with names.'
        )
    if isinstance(names, dict) and names.keys() == {*range(len(names))}:
        names = [names[number] for number in range(len(names))]
    if isinstance(names, list) and names and all(isinstance(n, str | int) for n in names):
        names = [str(name).strip() for name in names]
        if len({*names, ''}) > len(names):
            return names
    raise InputError(
        f'{source.root}: names in data.yaml must be a list of different names, or have one for '
        'each number from 0.'
    )


def _add_line(
    source: Source, picture: Picture, names: list[str], words: list[str], where: str
) -> None:
    try:
        number, *places = (float(word) for word in words)
    except ValueError as error:
        raise InputError(f'{where}: {cut(" ".join(words))} are not numbers.') from error
    if number not in range(len(names)):
        raise InputError(
            f'{where}: has the class {number:g}, but there are {len(names)} classes, 0 to '
            f'{len(names) - 1} ({some(names)}). Correct the line, or the names of the classes.'
        )
    if len(places) < 4 or len(places) % 2:
        raise InputError(
            f'{where}: has {len(words)} numbers. An object is a class and 4 numbers of its box, or '
            '6 and more of its outline, x and y in turn; confidences do not belong there.'
        )
    if len(places) == 4:
        x, y, width, height = places
        places = [x - width / 2, y - height / 2, x + width / 2, y + height / 2]
    sides = (picture.width, picture.height) * (len(places) // 2)
    points = [round(place * side, DIGITS) for place, side in zip(places, sides, strict=True)]
    add_object(source, picture, names[int(number)], points, where)
