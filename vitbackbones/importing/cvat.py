"""CVAT's own form, "CVAT for images": XML files, each with the shapes of many pictures."""

import math
import re
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from ..data.own.folder import named_split
from ..errors import InputError
from .pictures import Picture, add_mask, add_object, add_shapes, corners_of, names_of, open_picture
from .source import Source, beginning, by_name, meant
from .voc import read_xml

LARGEST = 2**27  # bytes of a file, which may be of many pictures
BOX = ('xtl', 'ytl', 'xbr', 'ybr')


def read_cvat(source: Source) -> tuple[list[Picture], list[str]]:
    """Read all XML files of CVAT below a folder, and the names of their classes.

    Raises:
        InputError: a file has tracks of a video.
    """
    found: dict[Path, Picture] = {}
    known = by_name(source.pictures)
    for file in source.ending('.xml'):
        if not re.search(rb'<annotations[\s>]', beginning(file)):
            source.change('files with other content, left out', file)
            continue
        tree = read_xml(file, 'annotations', LARGEST)
        if tree.find('track') is not None:
            raise InputError(f'{file}: contains video tracks. Export it as "CVAT for images".')
        bases = (file.parent / 'images', file.parent, source.root)
        for node in tree.iterfind('image'):
            with source.listing_faults():
                name = node.get('name', '')
                path = meant(name, bases, known)
                if path is None:
                    raise InputError(f'{file}: the image {name} does not exist. Add it.')
                if not path.as_posix().endswith(name):
                    note = 'images in other folders than the XML file says, found by their names'
                    source.change(note, f'{file}: {name}, {path}')
                if path in found:
                    raise InputError(f'{file}: {path} is annotated twice. Keep only one <image>.')
                picture = open_picture(source, path)
                picture.split = named_split(node.get('subset', '').lower()) or picture.split
                picture.require_size(file, node.get('width'), node.get('height'))
                add_shapes(source, picture, f'{file}: {name}', [*node], _add_shape, _group_of)
                found[path] = picture
    for path in source.pictures:
        if path not in found:
            source.change('images that no CVAT XML file lists, left out', path)
    return [*found.values()], names_of(found.values())


def _group_of(shape: Element) -> tuple[str | None, str] | None:
    """Return the group of an outline; grouped boxes are objects of their own."""
    group = shape.get('group_id', '0')
    return None if group == '0' or shape.tag == 'box' else (shape.get('label'), group)


def _add_shape(source: Source, picture: Picture, shape: Element, where: str) -> None:
    name = shape.get('label', '').strip()
    if shape.tag not in ('box', 'polygon', 'mask'):
        source.leave_out(f'shapes of type {shape.tag[:20]}, which are not objects', where)
        return
    try:
        places = _mask(picture, shape) if shape.tag == 'mask' else _points(shape)
    except ValueError as error:
        raise InputError(f'{where} is a {shape.tag} that cannot be read. Correct it.') from error
    if not name:
        raise InputError(f'{where} has no label. Correct it.')
    add = add_mask if shape.tag == 'mask' else add_object
    add(source, picture, name, places, where)  # type: ignore[operator]


def _points(shape: Element) -> list[float]:
    if shape.tag == 'polygon':
        values = [float(word) for word in re.split('[,;]', shape.get('points', ''))]
        if len(values) < 6:
            raise ValueError('fewer than three points')
        return values
    x1, y1, x2, y2 = (float(shape.get(key, '')) for key in BOX)
    if angle := float(shape.get('rotation', 0)):
        return corners_of((x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1, math.radians(angle))
    return [x1, y1, x2, y2]


def _mask(picture: Picture, shape: Element) -> np.ndarray:
    """Return the pixels (H, W) of a mask: runs by rows in its box, the first of the background."""
    left, top, width, height = (int(shape.get(k, '')) for k in ('left', 'top', 'width', 'height'))
    runs = [int(word) for word in shape.get('rle', '').split(',')]
    if min(left, top, *runs) < 0 or sum(runs) != width * height:
        raise ValueError('runs that do not fill the box')
    mask = np.zeros((picture.height, picture.width), bool)
    inside = mask[top : top + height, left : left + width]  # a view
    if inside.shape != (height, width):
        raise ValueError('a box outside the image')
    inside[:] = np.repeat(np.arange(len(runs)) % 2 == 1, runs).reshape(height, width)
    return mask
