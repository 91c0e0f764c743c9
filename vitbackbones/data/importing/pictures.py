"""Annotated pictures, and the folder in COCO's format that they become."""

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...errors import InputError
from ..loading.image_file import read_content, read_header, size_of
from ..own.splits import named_split
from .source import Source

LEAST = 1  # pixels of a side; mmdet learns from no thinner box
BEYOND = 0.05  # of a picture, that an object may reach over the edge; more is another scale


@dataclass
class Picture:
    """A picture, its size as it is loaded, turned as EXIF says, and its objects.

    These are annotations in COCO's form, with the name of the class in place of numbers.
    """

    path: Path
    width: int
    height: int
    split: str | None
    objects: list[dict] = field(default_factory=list)


def open_picture(source: Source, file: Path) -> Picture:
    """Return a picture by its header, of the split that its folders name.

    Raises:
        InputError: it cannot be read, or is cut short.
    """
    try:
        read_content(str(file))  # finds JPEGs that are cut short, whose headers are whole
        height, width = size_of(read_header(str(file)), turns=True)
    except Exception as error:  # every Pillow plugin has exceptions of its own
        raise InputError(f'{file}: {error}. Put a good copy there, or take it out.') from error
    split = named_split(str(file.parent.relative_to(source.root)))
    return Picture(file, width, height, split)


def add_object(
    source: Source, picture: Picture, name: str, points: Sequence[float], where: str, crowd=False
) -> None:
    """Add an object to a picture; what is changed of it, or that it is left out, is noted.

    Args:
        source, picture: get the notes and the object.
        name: of its class.
        points: x, y, x, y ... in pixels from 0: two opposite corners of a box, or an outline.
        where: file and line, for notes and messages.
        crowd: whether it is neither learned nor counted.

    Raises:
        InputError: a coordinate is no number, or so far outside that the scale is another one.
    """
    limits = (picture.width, picture.height) * (len(points) // 2)
    for value, limit in zip(points, limits, strict=True):
        if not -BEYOND * limit - 1 <= value <= (1 + BEYOND) * limit + 1:  # also where it is nan
            raise InputError(
                f'{where}: the coordinate {value:g} is far outside of the picture, which has '
                f'{picture.width} x {picture.height} pixels. Correct it, or use the picture that '
                'was annotated.'
            )
    kept = [min(max(value, 0), limit) for value, limit in zip(points, limits, strict=True)]
    if kept != [*points]:
        source.change('objects that reach beyond the edge of their picture, cut there', where)
    x, y = kept[::2], kept[1::2]
    left, top, width, height = min(x), min(y), max(x) - min(x), max(y) - min(y)
    outline = kept if len(kept) > 4 else []
    if not outline and kept[:2] != [left, top]:
        source.change('boxes with corners in another order, put right', where)
    twice = sum(x[i - 1] * y[i] - x[i] * y[i - 1] for i in range(len(x)))  # shoelace formula
    entry = {
        'name': name,
        'bbox': [left, top, width, height],
        'area': abs(twice) / 2 if outline else width * height,
        'iscrowd': int(crowd),
        'segmentation': [outline] if outline else [],
    }
    if min(width, height) < LEAST or not entry['area']:
        source.change('objects outside of their picture or thinner than a pixel, left out', where)
    elif entry in picture.objects:
        source.change('objects that are there twice, taken once', where)
    else:
        picture.objects.append(entry)


def write_coco(out: Path, pictures: Sequence[Picture], classes: Sequence[str], copy: bool) -> None:
    """Write ``images`` and a file in ``annotations`` for each split below an empty folder.

    Args:
        out: the folder.
        pictures: all of them; where some have a split, those without are for training.
        classes: the names of all objects, in the order of their numbers.
        copy: copy the pictures; otherwise they are links to the files.
    """
    common = os.path.commonpath([picture.path.parent for picture in pictures])
    rest = 'train' if any(picture.split for picture in pictures) else ''
    parts = {}
    for picture in sorted(pictures, key=lambda each: each.path):
        content = parts.setdefault(picture.split or rest, {'images': [], 'annotations': []})
        name = picture.path.relative_to(common).as_posix()
        key = len(content['images']) + 1
        size = {'width': picture.width, 'height': picture.height}
        content['images'].append({'id': key, 'file_name': name, **size})
        for entry in picture.objects:
            number = classes.index(entry.pop('name')) + 1
            numbers = {'id': len(content['annotations']) + 1, 'image_id': key}
            content['annotations'].append({**numbers, 'category_id': number, **entry})
        place(picture.path, out / 'images' / name, copy)
    categories = [{'id': number, 'name': name} for number, name in enumerate(classes, 1)]
    (out / 'annotations').mkdir()
    for split, content in parts.items():
        file = out / 'annotations' / f'instances{"_" if split else ""}{split}.json'
        file.write_text(json.dumps({**content, 'categories': categories}), 'utf-8')


def place(file: Path, target: Path, copy: bool) -> None:
    """Copy or link a file."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if copy:
        shutil.copyfile(file, target)
    else:
        target.symlink_to(file.resolve())
