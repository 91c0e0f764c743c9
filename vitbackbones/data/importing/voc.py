"""Annotations in Pascal VOC's form: an XML file for each picture, of the same name.

Known are VOC's own folders (``Annotations``, ``JPEGImages``, ``ImageSets/Main/train.txt``), XML
files beside their pictures (LabelImg), and a folder for each split (Roboflow).

VOC counts pixels from 1 and names the last one inside: 1 to 10 are ten pixels, from 0 to 10 here.
Many tools count from 0 and name the edge behind the last pixel. Where a corner is 0, that was one
of these, and the files are taken by their word.
"""

from collections import defaultdict
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError, fromstring

from ...errors import InputError
from ...utils.files import read_small
from ..own.folder import read_text
from .pictures import Picture, add_object, open_picture
from .source import Source

CORNERS = ('xmin', 'ymin', 'xmax', 'ymax')
LISTS = {'trainval': 'train', 'train': 'train', 'val': 'val', 'test': 'test'}  # the last one counts
FROM_0 = 'boxes with a corner at 0, so all count pixels from 0, not from 1'


def read_voc(source: Source) -> tuple[list[Picture], list[str]]:
    """Read all XML files below a folder, and the names of their classes in alphabetical order."""
    pairs, trees = source.paired(source.ending('.xml')), {}
    for path, file in pairs.items():
        with source.listing_faults():
            trees[path] = _annotation(file)
            boxes = trees[path].iterfind('object/bndbox')
            corners = {box.findtext(key, '').strip() for box in boxes for key in ('xmin', 'ymin')}
            if corners & {'0', '0.0'}:
                source.change(FROM_0, file)
    lists, pictures = defaultdict(dict), []  # splits by name in ImageSets/Main, by its folder
    for name, split in LISTS.items():
        for file in source.ending('.txt'):
            if file.parts[-3:] == ('ImageSets', 'Main', f'{name}.txt'):
                lines = read_text(file).splitlines()
                lists[file.parents[2]] |= {line.strip(): split for line in lines}
    for path in source.pictures:
        listed = path in trees and lists.get(pairs[path].parent.parent)
        if path not in trees:
            source.change('pictures without an XML file that can be used, left out', path)
        elif listed and path.stem not in listed:
            source.change('annotated pictures that ImageSets/Main lacks, left out', path)
        else:
            with source.listing_faults():
                picture = open_picture(source, path)
                picture.split = listed[path.stem] if listed else picture.split
                _add_objects(source, picture, pairs[path], trees[path])
                pictures.append(picture)
    return pictures, sorted({entry['name'] for picture in pictures for entry in picture.objects})


def _annotation(file: Path) -> Element:
    content = read_small(file)
    try:
        # what makes XML grow or open other files is in one; UTF-16 has a zero behind each letter
        if b'<!DOCTYPE' in content.replace(b'\0', b''):
            raise ValueError('it has a DOCTYPE, which annotations do not need; take it out')
        tree = fromstring(content)
    except (ParseError, LookupError, ValueError) as error:  # encodings that Python does not have
        raise InputError(f'{file}: not an XML file that can be read: {error}.') from error
    if tree.tag != 'annotation':
        raise InputError(
            f'{file}: its root is <{tree.tag}>, not <annotation> as in Pascal VOC. Take it out.'
        )
    return tree


def _add_objects(source: Source, picture: Picture, file: Path, tree: Element) -> None:
    told = [tree.findtext(f'size/{side}', '0').strip() for side in ('height', 'width')]
    if '0' not in told and told != [str(picture.height), str(picture.width)]:
        raise InputError(
            f'{file}: its <size> is {told[1]} x {told[0]}, {picture.path} has {picture.width} x '
            f'{picture.height} pixels (turned where its EXIF data says so). Use the picture that '
            'was annotated, without such data, or correct <size> if the boxes are right.'
        )
    first = 0 if FROM_0 in source.changes else 1
    for number, entry in enumerate(tree.iterfind('object'), 1):
        where = f'{file}: object {number}'
        name = entry.findtext('name', '').strip()
        try:
            x1, y1, x2, y2 = (float(entry.findtext(f'bndbox/{key}', '')) for key in CORNERS)
        except ValueError as error:
            raise InputError(f'{where} has no <bndbox> of four numbers. Correct it.') from error
        if not name:
            raise InputError(f'{where} has no <name>. Add it, or take the object out.')
        crowd = entry.findtext('difficult', '0').strip() == '1'
        if crowd:
            source.change('difficult objects, neither learned nor counted (iscrowd)', where)
        points = (x1 - first, y1 - first, x2, y2)
        add_object(source, picture, name, points, where, crowd)
