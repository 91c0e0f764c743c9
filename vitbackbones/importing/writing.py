"""Annotated pictures in the forms of other tools: YOLO, Pascal VOC, CVAT for images 1.1.

What a form cannot hold is noted in the :class:`.source.Source`, with all the places.
"""

import math
import os
import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from xml.etree.ElementTree import Element, ElementTree, SubElement, indent

import yaml

from ..data.loading.coco_masks import area_of, box_around, to_mask, to_polygons
from ..errors import InputError
from ..utils.messages import cut
from .pictures import Picture, place
from .source import Source

Pictures = Sequence[Picture]
Names = Sequence[str]
NOT_OF_XML = re.compile('[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]')


def write_yolo(source: Source, out: Path, pictures: Pictures, classes: Names, copy: bool) -> None:
    """Write ``images``, ``labels`` and ``data.yaml``; an outline where there is one, else a box."""
    splits = dict.fromkeys(picture.split for picture in pictures)
    for name, picture in _named(pictures):
        name = Path(picture.split or '', name)
        place(picture.path, out / 'images' / name, copy)
        lines = []
        for index, entry in enumerate(picture.objects, 1):
            where = f'{picture.path}: object {index}'
            x, y, width, height = entry['bbox']
            outline = _one_outline(source, picture, entry, where)
            points = outline or [x + width / 2, y + height / 2, width, height]
            sides = [picture.width, picture.height] * (len(points) // 2)
            parts = (f'{p / side:.12g}' for p, side in zip(points, sides, strict=True))
            lines.append(' '.join([str(classes.index(entry['name'])), *parts]))
        label = out / 'labels' / name.with_suffix('.txt')
        label.parent.mkdir(parents=True, exist_ok=True)
        label.write_text(''.join(f'{line}\n' for line in lines))
    folders = {split or 'train': f'images/{split}' if split else 'images' for split in splits}
    rows = [f'{split}: {folder}' for split, folder in folders.items()]
    # not as JSON, which writes letters such as emoji as two characters that YAML does not join
    names = yaml.safe_dump([*classes], default_flow_style=True, width=math.inf)
    rows.append(f'names: {names.rstrip()}')
    (out / 'data.yaml').write_text('\n'.join(rows) + '\n', 'utf-8')


def write_voc(source: Source, out: Path, pictures: Pictures, classes: Names, copy: bool) -> None:
    """Write ``JPEGImages``, ``Annotations`` and the lists of the splits; boxes alone."""
    for name, picture in _named(pictures):
        place(picture.path, out / 'JPEGImages' / name, copy)
        root = Element('annotation')
        _tags(root, filename=name)
        _tags(SubElement(root, 'size'), width=picture.width, height=picture.height, depth=3)
        for index, entry in enumerate(picture.objects, 1):
            if entry['segmentation']:
                where = f'{picture.path}: object {index}'
                source.change('outlines, left out (VOC supports only boxes)', where)
            x, y, width, height = entry['bbox']
            node = SubElement(root, 'object')
            _tags(node, name=entry['name'], difficult=int(entry['iscrowd']))
            corners = {'xmin': x + 1, 'ymin': y + 1, 'xmax': x + width, 'ymax': y + height}
            _tags(SubElement(node, 'bndbox'), **{k: f'{v:.12g}' for k, v in corners.items()})
        _write_xml(root, out / 'Annotations' / Path(name).with_suffix('.xml'))
        if picture.split:
            file = out / 'ImageSets' / 'Main' / f'{picture.split}.txt'
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open('a', encoding='utf-8') as listed:
                listed.write(f'{Path(name).stem}\n')


def write_cvat(source: Source, out: Path, pictures: Pictures, classes: Names, copy: bool) -> None:
    """Write ``images`` and ``annotations.xml``: boxes, polygons and masks, grouped by object."""
    root = Element('annotations')
    _tags(root, version='1.1')
    labels = SubElement(SubElement(SubElement(root, 'meta'), 'task'), 'labels')
    for name in classes:
        _tags(SubElement(labels, 'label'), name=name)
    for number, (name, picture) in enumerate(_named(pictures)):
        place(picture.path, out / 'images' / name, copy)
        size = {'width': str(picture.width), 'height': str(picture.height)}
        about = {'id': str(number), 'name': name, **size}
        node = SubElement(
            root, 'image', about | ({'subset': picture.split} if picture.split else {})
        )
        for group, entry in enumerate(picture.objects, 1):
            common = {'label': entry['name'], 'source': 'manual', 'occluded': '0', 'z_order': '0'}
            found = entry['segmentation']
            if len(found) > 1 and isinstance(found, list):
                common['group_id'] = str(group)
            x, y, width, height = entry['bbox']
            if not found:
                ends = {'xtl': x, 'ytl': y, 'xbr': x + width, 'ybr': y + height}
                SubElement(node, 'box', common | {k: f'{v:.12g}' for k, v in ends.items()})
            elif isinstance(found, dict):
                SubElement(node, 'mask', common | _cvat_mask(found, picture))
            else:
                for part in found:
                    pairs = (
                        f'{a:.12g},{b:.12g}' for a, b in zip(part[::2], part[1::2], strict=True)
                    )
                    SubElement(node, 'polygon', common | {'points': ';'.join(pairs)})
    _write_xml(root, out / 'annotations.xml')


def _named(pictures: Pictures) -> list[tuple[str, Picture]]:
    """Return pictures with names for one folder, in which also those without ending differ."""
    common = os.path.commonpath([picture.path.parent for picture in pictures])
    ordered = sorted(pictures, key=lambda each: each.path)
    names = [picture.path.name for picture in ordered]
    if len({Path(name).stem for name in names}) < len(names):
        names = [p.path.relative_to(common).as_posix().replace('/', '_') for p in ordered]
    stems = Counter(Path(name).stem for name in names)
    if twice := [name for name in names if stems[Path(name).stem] > 1]:
        raise InputError(f'{common}: several images would be named {twice[0]}. Rename one.')
    return [*zip(names, ordered, strict=True)]


def leave_out_crowds(source: Source, pictures: Pictures, form: str) -> None:
    """Take the crowds out of pictures for a form that has no flag for them."""
    for picture in pictures:
        for number, entry in enumerate(picture.objects, 1):
            if entry['iscrowd']:
                what = f'crowd or difficult objects, left out ({form} has no flag for them)'
                source.leave_out(what, f'{picture.path}: object {number}')
                source.taken -= 1
        picture.objects = [entry for entry in picture.objects if not entry['iscrowd']]


def _one_outline(source: Source, picture: Picture, entry: dict, where: str) -> list[float]:
    """Return the only polygon of an object, or that of its largest part; [] without any."""
    found = entry['segmentation']
    if isinstance(found, list) and len(found) < 2:
        return found[0] if found else []
    source.change('objects with holes or several parts, written to YOLO as one outline', where)
    if isinstance(found, dict):
        found = to_polygons(to_mask(found, picture.height, picture.width))

    return max(found, key=area_of, default=[])


def _cvat_mask(code: dict, picture: Picture) -> dict[str, str]:
    """Return the attributes of a mask: runs by rows inside of its box, first of the background."""
    mask = to_mask(code, picture.height, picture.width)
    left, top, right, bottom = box_around(mask)
    pixels = mask[top:bottom, left:right].ravel()  # (h, w) -> (h * w,)
    runs = [len([*same]) for _, same in groupby(pixels)]
    if pixels[0]:
        runs.insert(0, 0)
    place = {'left': left, 'top': top, 'width': right - left, 'height': bottom - top}
    return {'rle': ', '.join(map(str, runs))} | {key: str(value) for key, value in place.items()}


def _tags(node: Element, **values: object) -> None:
    for key, value in values.items():
        SubElement(node, key).text = str(value)


def _write_xml(root: Element, file: Path) -> None:
    texts = [text for node in root.iter() for text in (node.text, *node.attrib.values()) if text]
    if strange := next(filter(NOT_OF_XML.search, texts), None):
        raise InputError(
            f'{cut(strange)}: contains a character that XML does not allow. Rename it.'
        )
    file.parent.mkdir(parents=True, exist_ok=True)
    indent(root)
    ElementTree(root).write(file, 'utf-8', xml_declaration=True)
