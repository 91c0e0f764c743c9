"""Annotations of labelme: a JSON file for each picture, of the same name, with shapes in pixels."""

import math
from pathlib import Path

from ...errors import InputError
from ...utils.files import read_json
from ...utils.rules import is_number
from .pictures import Picture, add_object, open_picture
from .source import Source

LARGEST = 2**28  # bytes of a file, which may hold its picture
CORNERS = 64  # of a circle
LEAST = {'rectangle': 2, 'polygon': 3, 'circle': 2}  # points of the shapes that are objects


def read_labelme(source: Source) -> tuple[list[Picture], list[str]]:
    """Read all JSON files below a folder, and the names of their classes in alphabetical order."""
    pairs, pictures = source.paired(source.ending('.json')), []
    for path in source.pictures:
        if path not in pairs:
            source.change('pictures without a JSON file, left out', path)
            continue
        with source.listing_faults():
            picture = open_picture(source, path)
            _add_shapes(source, picture, pairs[path])
            pictures.append(picture)
    return pictures, sorted({entry['name'] for picture in pictures for entry in picture.objects})


def _add_shapes(source: Source, picture: Picture, file: Path) -> None:
    content = read_json(file, LARGEST)
    shapes = content.get('shapes') if isinstance(content, dict) else None
    if not isinstance(shapes, list):
        raise InputError(f"{file}: has no list of shapes, as labelme's files do. Take it out.")
    told = [content.get(f'image{side}') for side in ('Width', 'Height')]
    if None not in told and told != [picture.width, picture.height]:
        raise InputError(
            f'{file}: is of a picture of {told[0]} x {told[1]} pixels, {picture.path} has '
            f'{picture.width} x {picture.height}. Use the picture that was annotated.'
        )
    groups: dict = {}  # of shapes that are one object
    for number, shape in enumerate(shapes, 1):
        where = f'{file}: shape {number}'
        shape = shape if isinstance(shape, dict) else {}
        name, kind, points = (shape.get(key) for key in ('label', 'shape_type', 'points'))
        kind = kind or 'polygon'  # as of the first versions
        if kind not in LEAST:
            source.change(f'shapes of the type {str(kind)[:20]}, which are no objects', where)
            continue
        is_list = isinstance(points, list) and len(points) >= LEAST[kind]
        if (
            not isinstance(name, str)
            or not name.strip()
            or not is_list
            or not all(
                isinstance(p, list) and len(p) == 2 and all(map(is_number, p)) for p in points
            )
        ):
            raise InputError(f'{where}: has no label, or no points [x, y]. Correct it.')
        if kind == 'circle':  # its center, and a point of its edge
            (x, y), edge = points[:2]
            radius, turns = math.dist((x, y), edge), (i / CORNERS for i in range(CORNERS))
            angles = [2 * math.pi * turn for turn in turns]
            points = [[x + radius * math.cos(a), y + radius * math.sin(a)] for a in angles]
        before = len(picture.objects)
        flat = [value for point in points for value in point]
        add_object(source, picture, name.strip(), flat, where)
        group = shape.get('group_id')
        if len(picture.objects) > before and group is not None:
            first = groups.setdefault((name, str(group)), picture.objects[-1])
            if first is not picture.objects[-1]:
                _join(first, picture.objects.pop())


def _join(entry: dict, part: dict) -> None:
    """Add a part to an object."""
    x, y, width, height = entry['bbox']
    left, top, wide, high = part['bbox']
    right, bottom = max(x + width, left + wide), max(y + height, top + high)
    x, y = min(x, left), min(y, top)
    entry.update(bbox=[x, y, right - x, bottom - y], area=entry['area'] + part['area'])
    entry['segmentation'] += part['segmentation']
