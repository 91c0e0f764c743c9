"""Annotations of labelme: a JSON file for each picture, of the same name, with shapes in pixels."""

import math
from base64 import b64decode
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

from ..errors import InputError
from ..utils.files import beginning, read_json
from ..utils.rules import is_number
from .pictures import Picture, add_mask, add_object, add_shapes, names_of, open_picture
from .source import Source, paired

LARGEST = 2**28  # bytes of a file, which may hold its picture
CORNERS = 64  # of a circle
# Points of the shapes that are objects; turned boxes have their four corners
LEAST = {'rectangle': 2, 'polygon': 3, 'circle': 2, 'mask': 2}
LEAST |= {'rotation': 4, 'oriented_rectangle': 4}


def read_labelme(source: Source) -> tuple[list[Picture], list[str]]:
    """Read all JSON files below a folder, and the names of their classes in alphabetical order."""
    pairs = paired(source, source.ending('.json'), _told_picture)
    pictures = []
    for path in source.pictures:
        if path not in pairs:
            source.change('images without a JSON file, left out', path)
            continue
        with source.listing_faults():
            picture = open_picture(source, path, pairs[path])
            _read_shapes(source, picture, pairs[path])
            pictures.append(picture)
    return pictures, names_of(pictures)


def _told_picture(file: Path) -> str | None:
    """Return the imagePath of a file of labelme, None for another one."""
    start = beginning(file)
    if b'"shapes"' not in start and b'"imageData"' not in start:  # which sorted keys put before
        return None
    content = read_json(file, LARGEST)
    path = content.get('imagePath') if isinstance(content, dict) else None
    return path if isinstance(path, str) else ''


def _read_shapes(source: Source, picture: Picture, file: Path) -> None:
    content = read_json(file, LARGEST)
    shapes = content.get('shapes') if isinstance(content, dict) else None
    if not isinstance(shapes, list):
        raise InputError(f'{file}: has no list of shapes, as labelme files do. Remove the file.')
    picture.require_size(file, content.get('imageWidth'), content.get('imageHeight'))
    shapes = [shape if isinstance(shape, dict) else {} for shape in shapes]
    add_shapes(source, picture, str(file), shapes, _add_shape, _group_of)


def _group_of(shape: dict) -> tuple[str, str] | None:
    group = shape.get('group_id')
    return None if group is None else (shape['label'].strip(), str(group))


def _add_shape(source: Source, picture: Picture, shape: dict, where: str) -> None:
    name, kind, points = (shape.get(key) for key in ('label', 'shape_type', 'points'))
    kind = kind or 'polygon'  # as of the first versions
    if name == '__ignore__':  # labelme's own converters leave it out
        source.leave_out('shapes labeled __ignore__', where)
        return
    if not isinstance(kind, str) or kind not in LEAST:
        source.leave_out(f'shapes of type {str(kind)[:20]}, which are not objects', where)
        return
    if not isinstance(name, str) or not name.strip() or not _are_points(points):
        raise InputError(f'{where}: has no label, or no points [x, y]. Correct it.')
    if len(points) < LEAST[kind]:
        raise InputError(
            f'{where}: is a {kind} with {len(points)} points but requires {LEAST[kind]}. Draw '
            'it again, or remove it.'
        )
    if kind == 'mask':
        add_mask(source, picture, name.strip(), _mask(picture, shape, where), where)
        return
    if kind == 'circle':  # its center, and a point of its edge
        (x, y), edge = points[:2]
        radius = math.dist((x, y), edge)
        angles = [2 * math.pi * (i / CORNERS) for i in range(CORNERS)]
        points = [[x + radius * math.cos(a), y + radius * math.sin(a)] for a in angles]
    flat = [value for point in points for value in point]
    add_object(source, picture, name.strip(), flat, where)


def _are_points(points: object) -> bool:
    return isinstance(points, list) and all(
        isinstance(point, list) and len(point) == 2 and all(map(is_number, point))
        for point in points
    )


def _mask(picture: Picture, shape: dict, where: str) -> np.ndarray:
    """Return the pixels (H, W) of a mask, which is a PNG in base64 at its first corner."""
    (x, y), _ = shape['points'][:2]
    left, top = round(x), round(y)
    try:
        with Image.open(BytesIO(b64decode(shape.get('mask') or ''))) as image:
            is_larger = image.width > picture.width + 1 or image.height > picture.height + 1
            part = np.zeros((0, 0)) if is_larger else np.asarray(image.convert('L')) > 0
    except Exception as error:  # every Pillow plugin has exceptions of its own
        raise InputError(f'{where}: its mask is not a base64 image. Draw it again.') from error
    height, width = part.shape
    if is_larger or not (0 <= left <= picture.width and 0 <= top <= picture.height):
        raise InputError(f'{where}: its mask is not inside {picture.path}. Draw it again.')
    mask = np.zeros((picture.height, picture.width), bool)
    inside = mask[top : top + height, left : left + width]  # a view
    inside[:] = part[: inside.shape[0], : inside.shape[1]]
    return mask
