"""Annotations in XML files: Pascal VOC's, one for each image, and CVAT's, one for many images.

A file of Pascal VOC has the name of its image.

This module reads VOC's own folders (``Annotations``, ``JPEGImages``,
``ImageSets/Main/train.txt``), XML files beside their images (LabelImg), and a folder for each split
(Roboflow).

VOC counts pixels from 1, and the last one is inside: 1 to 10 are ten pixels, here from 0 to 10.
Many tools count from 0, and the last number is the edge behind the last pixel. If a corner is 0,
the files are from such a tool, and their numbers are used as they are.
"""

import html
import math
import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from pathlib import Path, PureWindowsPath
from xml.etree.ElementTree import Element, ParseError, fromstring

import numpy as np

from ..data.loading.image_file import IMAGES
from ..data.own.folder import lines_in, named_split
from ..errors import InputError
from ..utils.files import SMALL, beginning, read_small
from .pictures import Picture, add_mask, add_object, add_shapes, corners_of, names_of, open_picture
from .source import Source, by_name, meant, paired

SHAPES = ('bndbox', 'robndbox', 'polygon')
TURNED = ('cx', 'cy', 'w', 'h', 'angle')  # of roLabelImg's <robndbox>, in radians
CORNERS = ('xmin', 'ymin', 'xmax', 'ymax')
LISTS = {'trainval': 'train', 'test': 'test', 'val': 'val', 'train': 'train'}  # the last one counts
SEVERAL = 'images in several lists; train takes precedence over val, and val over test'
ENOUGH = 5  # boxes, to tell widths from corners
FROM_0 = 'boxes with a corner at 0, so all coordinates are read from 0 instead of 1'


def read_voc(source: Source) -> tuple[list[Picture], list[str]]:
    """Read all XML files below a folder, and the names of their classes in alphabetical order."""
    pairs = paired(source, source.ending('.xml'), _told_picture)
    trees = {}
    for path, file in pairs.items():
        with source.listing_faults():
            trees[path] = read_xml(file, 'annotation')
            boxes = trees[path].iterfind('object/bndbox')
            corners = [box.findtext(key, '') for box in boxes for key in ('xmin', 'ymin')]
            if any(re.fullmatch(r'\s*0+(\.0*)?\s*', corner) for corner in corners):
                source.change(FROM_0, file)
    lists = _lists(source)
    pictures = []
    for path in source.pictures:
        listed = path in trees and lists.get(pairs[path].parent.parent)
        if path not in trees:
            source.change('images without a usable XML file, left out', path)
        elif listed and path.stem not in listed:
            source.change('annotated images that are not in ImageSets/Main, left out', path)
        else:
            with source.listing_faults():
                picture = open_picture(source, path, pairs[path])
                picture.split = listed[path.stem] if listed else picture.split
                _add_objects(source, picture, pairs[path], trees[path])
                pictures.append(picture)
    if not source.faults:
        _require_corners(source, [(picture, trees[picture.path]) for picture in pictures])
    return pictures, names_of(pictures)


def _require_corners(source: Source, found: Sequence[tuple[Picture, Element]]) -> None:
    """Refuse boxes whose second corner is their width and height, as some tools write them.

    Of boxes with corners, about a quarter would also lie in their image with these as sides, so
    several that all do are no accident where some have the corners in another order.

    Raises:
        InputError: they are of that kind.
    """
    count = reordered = 0
    for picture, tree in found:
        for box in tree.iterfind('object/bndbox'):
            x, y, right, bottom = (float(box.findtext(key, '')) for key in CORNERS)
            if x + right > picture.width + 1 or y + bottom > picture.height + 1:
                return
            count += 1
            reordered += right < x or bottom < y
    if reordered and count >= ENOUGH:
        raise InputError(
            f'{source.root}: xmax and ymax seem to be widths and heights. {reordered} of {count} '
            'boxes have an xmax below xmin or a ymax below ymin, and all lie in their image as '
            'xmin, ymin, width, height. Write xmin + width and ymin + height.'
        )


def _lists(source: Source) -> dict[Path, dict[str, str]]:
    """Return the splits of pictures by their names, for each folder with ImageSets/Main."""
    lists: dict[Path, dict[str, str]] = defaultdict(dict)
    stems = {path.stem for path in source.pictures}
    texts = [file for file in source.ending('.txt') if file.stem in LISTS]
    for file in sorted(texts, key=lambda file: [*LISTS].index(file.stem)):
        if file.parent.name not in ('Main', 'ImageSets'):
            if 'ImageSets' not in file.parts:
                source.change('lists of images outside ImageSets, not used', file)
            continue
        folder = file.parent.parent if file.parent.name == 'ImageSets' else file.parents[2]
        for line in lines_in(file):
            name = _stem(line, stems)
            if lists[folder].get(name, 'train') != 'train':  # trainval holds what val does
                source.change(SEVERAL, f'{file}: {name}')
            lists[folder][name] = LISTS[file.stem]
            if name not in stems:
                source.change('names in lists without an image', f'{file}: {name}')
    return lists


def _stem(line: str, stems: Collection[str]) -> str:
    """Return the name of a picture in a list, without folders, a suffix, and VOC's -1, 0 or 1."""
    path = PureWindowsPath(line)
    name = path.stem if path.suffix.lower() in (*IMAGES, '.xml') else path.name
    return name if name in stems else re.sub(r'\s+(-1|0|1)$', '', name)


def _told_picture(file: Path) -> str | None:
    """Return the <filename> of an annotation file, None for another file."""
    content = beginning(file)
    if not re.search(rb'<annotation[\s>]', content):
        return None
    name = re.search(rb'<filename>([^<]*)<', content)
    return html.unescape(name[1].decode('utf-8', 'replace')) if name else ''


def read_xml(file: Path, root: str, most: int = SMALL) -> Element:
    """Return the tree of an XML file that others may have written.

    Raises:
        InputError: it cannot be read, has a DOCTYPE, or has another root.
    """
    content = read_small(file, most)
    try:
        # what makes XML grow or open other files is in one; UTF-16 has a zero behind each letter
        if b'<!DOCTYPE' in content.replace(b'\0', b''):
            raise ValueError('it has a DOCTYPE, which annotations do not need; remove it')
        tree = fromstring(content)
    except (ParseError, LookupError, ValueError) as error:  # encodings that Python does not have
        hint = ' Save it as UTF-8.' if 'encoding' in str(error) else ''
        raise InputError(f'{file}: is not a readable XML file: {error}.{hint}') from error
    if tree.tag != root:
        raise InputError(f'{file}: its root is <{tree.tag}>, not <{root}>. Remove the file.')
    return tree


def _add_objects(source: Source, picture: Picture, file: Path, tree: Element) -> None:
    picture.require_size(file, *(tree.findtext(f'size/{side}') for side in ('width', 'height')))
    seen = sum(each.tag in SHAPES for each in tree.iter())
    entries = tree.findall('object')
    if seen > sum(each.tag in SHAPES for entry in entries for each in entry.iter()):
        raise InputError(f'{file}: has boxes outside its <object> entries. Correct it.')
    with source.accounting(file, seen):
        for number, entry in enumerate(entries, 1):
            _add_shapes(source, picture, entry, f'{file}: object {number}')


def _add_shapes(source: Source, picture: Picture, entry: Element, where: str) -> None:
    """Add each box of an <object>; an outline where it has no box."""
    name = entry.findtext('name', '').strip()
    shapes = [each for each in entry if each.tag in SHAPES]
    if not shapes:
        raise InputError(f'{where} has no <bndbox> with four numbers. Correct it.')
    if not name:
        raise InputError(f'{where} has no <name>. Add it, or remove the object.')
    crowd = entry.findtext('difficult', '0').strip() == '1'
    if crowd:
        source.change('difficult objects, neither trained on nor counted (iscrowd)', where)
    boxes = [each for each in shapes if each.tag == 'bndbox']
    for shape in boxes or shapes:
        add_object(source, picture, name, _points(source, shape, where), where, crowd)
    for _ in range(len(shapes) - len(boxes or shapes)):
        source.leave_out('outlines of objects that also have a box, left out', where)
    for _ in range(sum(each.tag in SHAPES for each in entry.iter()) - len(shapes)):
        source.leave_out('parts of objects, left out', where)


def _points(source: Source, shape: Element, where: str) -> list[float]:
    """Return two corners of a box, or an outline."""
    keys = {'bndbox': CORNERS, 'robndbox': TURNED}.get(shape.tag)
    # of a polygon <pt><x/><y/></pt> ..., or <x1/><y1/> ...
    texts = [shape.findtext(key, '') for key in keys] if keys else _texts(shape)
    try:
        values = [float(text) for text in texts]
    except ValueError as error:
        raise InputError(f'{where} has no <bndbox> with four numbers. Correct it.') from error
    if shape.tag == 'robndbox':
        return corners_of(*values)
    if shape.tag == 'bndbox':
        if max(values) <= 1 and not all(value.is_integer() for value in values):
            raise InputError(f'{where} has a box in fractions of the image. Write it in pixels.')
        first = 0 if FROM_0 in source.changes else 1
        x1, y1, x2, y2 = values
        return [x1 - first, y1 - first, x2, y2]
    if len(values) < 6 or len(values) % 2:
        raise InputError(
            f'{where} has a <polygon> with fewer than three points x and y. Correct it.'
        )
    return values


def _texts(polygon: Element) -> list[str]:
    return [each.text or '' for each in polygon.iter() if re.fullmatch(r'[xy]\d*', each.tag)]


# ------------------------------------------------------------------------ CVAT
# CVAT's own form, "CVAT for images": XML files, each with the shapes of many pictures.


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
                subset = node.get('subset', '')  # of a project: a folder in images/
                path = meant(name, (file.parent / 'images' / subset, *bases), known)
                if path is None:
                    raise InputError(f'{file}: the image {name} does not exist. Add it.')
                if not path.as_posix().endswith(name):
                    note = 'images in other folders than the XML file says, found by their names'
                    source.change(note, f'{file}: {name} is {path}')
                if path in found:
                    raise InputError(f'{file}: {path} is annotated twice. Keep only one <image>.')
                picture = open_picture(source, path)
                picture.split = named_split(subset.lower()) or picture.split
                picture.require_size(file, node.get('width'), node.get('height'))
                add_shapes(source, picture, f'{file}: {name}', [*node], _add_shape, _group_of)
                found[path] = picture
    source.change_rest('images that no CVAT XML file lists, left out', found)
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
        places = _mask(picture, shape) if shape.tag == 'mask' else _outline_of(shape)
    except ValueError as error:
        raise InputError(f'{where} is a {shape.tag} that cannot be read. Correct it.') from error
    if not name:
        raise InputError(f'{where} has no label. Correct it.')
    add = add_mask if shape.tag == 'mask' else add_object
    add(source, picture, name, places, where)  # type: ignore[operator]


def _outline_of(shape: Element) -> list[float]:
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
