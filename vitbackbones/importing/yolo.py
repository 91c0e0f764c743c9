"""Annotations in the form of YOLO: a text file for each picture, a line for each object.

A line is a class number and, in parts of the picture's width and height, the center and the sides
of a box, or the corners x y x y ... of an outline. A YAML file names the classes and leads to the
pictures of each split; darknet and LabelImg write ``classes.txt`` or ``obj.names``. Where nothing
leads to pictures, splits are folders called train, valid, test, or lists of these names.
"""

import re
from pathlib import Path

from ..data.own.folder import SPLIT_OF, read_text
from ..errors import InputError
from ..utils.messages import cut, some
from .pictures import Picture, add_object, names_of, open_picture
from .source import Source, paired, split_of
from .yolo_settings import Told, add_list, find_names, find_told, is_label, is_names

ABOUT = ('readme', 'license')  # how the names of other texts begin
DIGITS = 2  # of a pixel; the six digits of a file are no more
MOST_CLASSES = 10000  # without names
CORNERS = re.compile(r'([\d.-]+ ){8}[^\d\s]')  # of DOTA: four corners in pixels, then a class
LARGEST = 1.5  # number of a place, in parts of a picture; beyond it is in pixels


def read_yolo(source: Source) -> tuple[list[Picture], list[str]]:
    """Read the text file of every picture below a folder, and the names of the classes.

    A picture without a text file has no objects.

    Raises:
        InputError: it is not clear what the names of the classes are.
    """
    told = find_told(source)
    names = find_names(source, told)
    splits = _splits(source, told)
    texts = [file for file in source.ending('.txt') if not file.name.lower().startswith(ABOUT)]
    labels = [file for file in texts if file not in told.lists and not is_names(file)]
    pairs = paired(source, labels, _told_picture, splits)
    labeled = {path.parent for path in pairs}
    pictures = []
    for path, split in splits.items():
        label = pairs.get(path)
        if label is None and labeled and path.parent not in labeled:
            note = 'images in folders without any label file, left out'
            source.change(f'{note} (an empty file means that there are no objects)', path)
            continue
        if label is None:
            source.change('images without a label file, taken to have no objects', path)
        with source.listing_faults():
            picture = open_picture(source, path, label)
            picture.split = split or picture.split
            if label:
                _add_lines(source, picture, names, label, 'kpt_shape' in told.settings)
            pictures.append(picture)
    if not names:
        names = sorted(names_of(pictures), key=int)
        what = (
            'no file names the classes, so their numbers are used as names (to set names: '
            '--names cat dog)'
        )
        source.change(what, source.root)
    return pictures, names


def _splits(source: Source, told: Told) -> dict[Path, str | None]:
    """Return the pictures to read, each with its split."""
    own = {picture: split_of(source, picture) for picture in source.pictures}
    stems = {picture.stem for picture in source.pictures}
    lists = {
        file: SPLIT_OF[file.stem]
        for file in source.ending('.txt')
        if file.stem in SPLIT_OF and file.stem not in stems and file not in told.lists
    }
    is_clear = len({*lists.values()}) == len(lists)
    if told.claims or any(own.values()) or not is_clear:
        told.lists |= {*lists}
        for file in lists:
            source.change('lists of images, not used', file)
    else:
        for file, split in lists.items():
            add_list(source, told, file, split)
    for line in told.missing:
        source.change('splits and lines of lists that lead to no image here', line)
    if not told.claims:
        return own
    found = {split for claimed in told.claims.values() for split in claimed}
    splits: dict[Path, str | None] = {}
    for picture, split in own.items():
        if claimed := told.claims.get(picture):
            is_whole = found == {'train'} and not split  # training holds out a part of it
            splits[picture] = split if split in claimed or is_whole else claimed[0]
        elif (split or 'train') not in found:
            splits[picture] = split
        else:
            source.change('images that no list or YAML file leads to, left out', picture)
        if claimed and len({*claimed}) > 1:
            source.change('images in several splits, assigned to one of them', picture)
    return splits


def _told_picture(file: Path) -> str | None:
    """Return '' for a label file, which names no picture, and None for another text."""
    return '' if is_label(file) else None


def _add_lines(
    source: Source, picture: Picture, names: list[str], file: Path, key_points: bool
) -> None:
    lines = {
        f'{file}, line {number}': line.split()
        for number, line in enumerate(read_text(file).splitlines(), 1)
        if line.split()
    }
    with source.accounting(file, len(lines)):
        for where, words in lines.items():
            if key_points and words[5:]:
                source.change('keypoints, left out', where)
                words = words[:5]
            _add_line(source, picture, names, words, where)


def _add_line(
    source: Source, picture: Picture, names: list[str], words: list[str], where: str
) -> None:
    try:
        number, *places = (float(word) for word in words)
    except ValueError as error:
        line = ' '.join(words)
        what = 'an oriented box of DOTA' if CORNERS.match(line) else 'not a list of numbers'
        raise InputError(
            f'{where}: {cut(line)} is {what}. A YOLO line has a class number, then '
            'coordinates as fractions of the image width and height: the center, width and height '
            'of a box, or the corners of an outline. Spaces separate the numbers.'
        ) from error
    if number not in range(len(names) or MOST_CLASSES):
        there = f'there are {len(names)} classes, 0 to {len(names) - 1} ({some(names)})'
        raise InputError(
            f'{where}: has the class {number:g}, but '
            f'{there if names else "classes are numbers"}. Correct the line, or the class names.'
        )
    if len(places) < 4 or len(places) % 2:
        raise InputError(
            f'{where}: has {len(words)} numbers. An object has a class, then 4 numbers for its '
            'box, or at least 6 for its outline (x and y in turn). Remove confidences.'
        )
    if beyond := [place for place in places if abs(place) > LARGEST]:
        raise InputError(
            f'{where}: has the number {beyond[0]:g}, but YOLO coordinates are fractions of the '
            'image width and height, from 0 to 1. Divide pixels by these.'
        )
    if len(places) == 4:
        x, y, width, height = places
        places = [x - width / 2, y - height / 2, x + width / 2, y + height / 2]
    sides = (picture.width, picture.height) * (len(places) // 2)
    points = [round(place * side, DIGITS) for place, side in zip(places, sides, strict=True)]
    name = names[int(number)] if names else f'{number:.0f}'
    add_object(source, picture, name, points, where)
