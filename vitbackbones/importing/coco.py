"""Annotations in COCO's form, as :mod:`.pictures` has those of other forms, and their corrections.

Corrections that were accepted are the list of an audit, or what was reviewed in a labeling tool.
"""

import os
import re
import shutil
from collections import defaultdict
from collections.abc import Mapping, Sequence
from hashlib import sha256
from operator import itemgetter
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from ..data.checks.coco_file import require_box
from ..data.checks.segmentations import usable_segmentation
from ..data.loading.coco_masks import to_mask
from ..data.loading.image_file import read_header, size_of
from ..data.loading.load_mask import read_mask
from ..data.own.annotation_files import is_coco
from ..data.own.coco_folder import CocoPart, find_parts, require_read
from ..data.own.folder import named_split
from ..data.own.numbering import file_of_names
from ..data.own.pairing import Patterns
from ..data.own.pool import Pool, find_pool
from ..errors import InputError
from ..utils.files import read_json
from ..utils.grouping import by_key
from ..utils.messages import cut, plural, some
from ..utils.rules import is_number
from .pictures import BEYOND_EDGE, LEAST, OUTSIDE, Picture, open_picture, place, write_coco
from .source import Source, by_name, meant

KEPT = ('bbox', 'area', 'iscrowd', 'segmentation')
NO_MASK = 'outlines with fewer than 3 points or outside their image, left out'


def read_coco(source: Source, annotations: Sequence[str] = ()) -> tuple[list[Picture], list[str]]:
    """Read the annotation files below a folder, and the names of their classes, in their order.

    ``annotations`` are those of :func:`~..data.own.annotation_files.find_files`.
    """
    parts = find_parts(source.root, (), annotations)
    names = {}
    pictures: dict[Path, Picture] = {}
    for split, part in parts.items():
        classes = {category['id']: category['name'] for category in part.content['categories']}
        names |= dict.fromkeys(classes.values())
        objects = by_key(part.content['annotations'], itemgetter('image_id'))
        for image in part.content['images']:
            own = objects[image['id']]
            with source.listing_faults(), source.accounting(part.file, len(own)):
                picture = _picture(source, part, image, split if len(parts) > 1 else None, pictures)
                for ann in own:
                    where = f'{part.file}: annotation {ann["id"]}'
                    add_annotation(source, picture, classes[ann['category_id']], ann, where)
    if source.left_out and not source.taken and not source.faults:
        raise InputError(
            f'{source.root}: all {source.left_out} boxes are outside their image or thinner than a '
            'pixel. COCO boxes are [x, y, width, height] in pixels, not fractions of the image.'
        )
    return [*pictures.values()], [*names]


def _picture(
    source: Source, part: CocoPart, image: dict, split: str | None, pictures: dict[Path, Picture]
) -> Picture:
    """Open a picture of a split, unless it is among the ``pictures`` by path.

    Raises:
        InputError: it cannot be read, has another size, or is for another split as well.
    """
    picture = open_picture(source, part.images / image['file_name'])
    picture.split = split
    picture.require_size(part.file, image.get('width'), image.get('height'))
    known = pictures.setdefault(picture.path, picture)
    if known.split != split:
        raise InputError(
            f'{picture.path}: is listed for {known.split} and for {split}. Remove it from one '
            'of the annotation files.'
        )
    if known is not picture:
        source.change('images listed under several ids, merged', picture.path)
    return known


def add_annotation(source: Source, picture: Picture, name: str, ann: dict, where: str) -> None:
    """Add an annotation to a picture, or note a fault or that it is left out.

    Args:
        source, picture: get the notes and the object.
        name: of its class.
        ann: as a file of unknown origin has it.
        where: file and id, for notes and messages.
    """
    with source.listing_faults():
        if found := _read_annotation(source, picture, ann, where):
            picture.objects.append({'name': name, **found})
            source.taken += 1
        else:
            source.leave_out(OUTSIDE, where)
        return
    source.left_out += 1  # and its fault is listed


def _read_annotation(source: Source, picture: Picture, ann: dict, where: str) -> dict | None:
    """Return what of an annotation is :data:`KEPT`, None where nothing is in the picture.

    Raises:
        InputError: a value cannot be meant.
    """
    crowd = ann.get('iscrowd', 0)
    area = ann.get('area')
    require_box(where, ann.get('bbox'))
    if crowd not in (0, 1):
        raise InputError(f'{where}: iscrowd is {cut(crowd)}; it must be 0 or 1')
    try:
        found = usable_segmentation(ann.get('segmentation'), picture.height, picture.width)
    except (ValueError, OverflowError) as error:
        raise InputError(f'{where}: the segmentation cannot be used: {error}') from error
    if found.dropped:
        source.change(NO_MASK, where)
    x, y, width, height = ann['bbox']
    left, top = max(x, 0), max(y, 0)
    right, bottom = min(x + width, picture.width), min(y + height, picture.height)
    sides = [right - left, bottom - top]
    if min(width, height, *sides) < LEAST:
        return None
    if (left, top, right, bottom) != (x, y, x + width, y + height) or found.cut:
        source.change(BEYOND_EDGE, where)
    if not is_number(area) or area <= 0 or (sides != [width, height] and not found.mask):
        area = sides[0] * sides[1]
    kept = [left, top, *sides], area, int(crowd), found.mask
    return dict(zip(KEPT, kept, strict=True))


# ------------------------------------------------------------------------ corrections


LIST = 'faults.json'
LARGEST = 2**30  # bytes of a list
ADDED = re.compile('[0-9a-f]{8}-')  # before the names of Label Studio's exports
CHANGES = ('missing', 'spurious', 'class', 'loose', 'outline', 'mask')


def import_corrections(
    source: Source,
    file: Path,
    out: Path,
    copy: bool,
    least: float = 0.0,
    annotations: Sequence[str] = (),
    patterns: Patterns | None = None,
) -> str:
    """Write what a folder holds, with corrections, and return a line on them.

    Args:
        source: the folder that was audited; gets notes and faults.
        file: the list of an audit, without what was not accepted; or annotations of whole pictures
            in COCO's format, in the folder of that list.
        out: an empty folder.
        copy: copy the pictures; otherwise they are links.
        least: likelihood below which an entry of the list is left out.
        annotations, patterns: those of :func:`~..data.own.pool.find_pool`.

    Raises:
        InputError: a picture or its labels are not those of the audit any more, or the list does
            not fit.
    """
    content = _read(file)
    pool = find_pool(source.root, annotations, patterns)
    is_list = any('sha256' in img for img in content['images'])
    audited = content if is_list else _read(file.with_name(LIST))
    rows = _rows(file, pool, content)
    _require_same(pool, audited, {*rows.values()})
    names = {category['id']: category['name'] for category in content['categories']}
    if strange := sorted({*names.values()} - {*pool.classes}):
        raise InputError(f'{file}: contains classes that are not in {source.root}: {some(strange)}')
    by_row = defaultdict(list)
    for ann in content['annotations']:
        where, row = f'{file}: annotation {ann["id"]}', rows[ann['image_id']]
        if is_list:
            _require_change(where, ann, pool.labels[row], by_row[row])
            if ann.get('score', 1) < least:
                source.change(f'corrections with a likelihood below {least:g}, left out', where)
                continue
        by_row[row] += _entries(source, pool, row, names[ann['category_id']], ann, where)
    count = sum(map(len, by_row.values()))
    if pool.content is None:
        _write_masks(pool, by_row, out, copy)
    else:
        labels = {
            row: corrected(pool.labels[row], by_row[row]) if is_list else by_row[row]
            for row in rows.values()
        }
        _write_boxes(pool, labels, out, copy)
    return f'{plural(count, "annotation")} of {plural(len(rows), "image")} applied'


def corrected(labels: Sequence[dict], entries: Sequence[dict]) -> list[dict]:
    """Return the labels of a picture after some corrections, each an entry of the list."""
    changed = {ann['label_id']: ann for ann in entries if ann['fault'] != 'missing'}
    kept = []
    for label in labels:
        ann = changed.get(label['label_id'])
        if ann is None:
            kept.append(label)
        elif ann['fault'] == 'class':
            kept.append(label | {'category_id': ann['category_id']})
        elif ann['fault'] in ('loose', 'outline'):
            kept.append(label | {key: ann[key] for key in ('bbox', 'area', 'segmentation')})
    return [*kept, *(ann for ann in entries if ann['fault'] == 'missing')]


def _require_change(where: str, ann: dict, labels: list[dict], others: list[dict]) -> None:
    """Refuse a correction of no label, or of a label that another correction changes."""
    fault = ann.get('fault')
    label = ann.get('label_id')
    score = ann.get('score', 1)
    if fault not in CHANGES:
        raise InputError(f'{where}: fault is {cut(fault)}; it must be one of {CHANGES}')
    if not is_number(score):
        raise InputError(f'{where}: score is {cut(score)}; it must be a number')
    if fault in ('missing', 'mask'):
        return
    if label not in [each['label_id'] for each in labels]:
        raise InputError(
            f'{where}: label_id is {cut(label)}, but the image has no label with this id'
        )
    if label in [each['label_id'] for each in others if each['fault'] != 'missing']:
        raise InputError(f'{where}: label {cut(label)} has two corrections. Keep only one.')


def _entries(source: Source, pool: Pool, row: int, name: str, ann: dict, where: str) -> list[dict]:
    """Return an annotation in the form of the folder, after a check; [] if it is left out.

    What is left out, cut or faulty is noted in ``source``.
    """
    numbers = {key: ann[key] for key in ('id', 'fault', 'label_id') if key in ann}
    numbers['category_id'] = pool.classes.index(name)
    if ann.get('fault') in ('spurious', 'class'):  # whose box is that of the label
        return [numbers]
    height, width = size_of(read_header(str(pool.files[row])), turns=True)
    picture = Picture(pool.files[row], width, height, None)
    if pool.content is None:  # where boxes are not read
        ann = ann | {'bbox': [0, 0, width, height]}
    add_annotation(source, picture, name, ann, where)
    for each in picture.objects:
        del each['name']
    is_mask = pool.content is None or ann.get('fault') == 'outline'
    if is_mask and picture.objects and not picture.objects[0]['segmentation']:
        source.change('corrections of masks without an outline, left out', where)
        return []
    return [numbers | each for each in picture.objects]


def _read(file: Path) -> dict:
    content = read_json(file, LARGEST)
    if not is_coco(content):
        raise InputError(f'{file}: is not in COCO format (images, annotations and categories)')
    if not content['images']:
        raise InputError(f'{file}: lists no images, so there is nothing to apply')
    require_read(file, content)
    return content


def _rows(file: Path, pool: Pool, content: dict) -> dict[int | str, int]:
    """Return the number of each picture that a list names, by its id there."""
    row_of = {picture: row for row, picture in enumerate(pool.files)}
    known = by_name(pool.files)
    rows = {}
    for img in content['images']:
        name = img['file_name'].rpartition('?d=')[2]
        # the last part alone may be that of a picture in another folder
        exact = Path(os.path.normpath(pool.root / name.replace('\\', '/')))
        found = exact if exact in row_of else meant(name, [pool.root.parent], known)
        found = found or meant(ADDED.sub('', name), [], known)
        if found is None:
            raise InputError(f'{file}: {cut(name)} is not an image in {pool.root}')
        rows[img['id']] = row_of[found]
    return rows


def _require_same(pool: Pool, audited: dict, rows: set[int]) -> None:
    """Refuse corrections of what is not there any more.

    Raises:
        InputError: a picture or its labels have changed, or were not audited.
    """
    known = {img['file_name']: img for img in audited['images']}
    changed = []
    for row in sorted(rows):
        name = pool.files[row].relative_to(pool.root).as_posix()
        then = known.get(name, {})
        digest = sha256(pool.files[row].read_bytes()).hexdigest()
        if (then.get('sha256'), then.get('labels_sha256')) != (digest, pool.digest(row)):
            changed.append(name)
    if changed:
        raise InputError(
            f'{pool.root}: {plural(len(changed), "image")} or their labels have changed since the '
            f'audit: {some(changed)}. Run the audit again, or remove these images from the list.'
        )


def _write_boxes(pool: Pool, changed: Mapping[int, list[dict]], out: Path, copy: bool) -> None:
    pictures = []
    for row, file in enumerate(pool.files):
        height, width = size_of(read_header(str(file)), turns=True)
        objects = [
            {'name': pool.classes[each['category_id']]} | {k: each[k] for k in KEPT if k in each}
            for each in changed.get(row, pool.labels[row])
        ]
        pictures.append(Picture(file, width, height, pool.splits[row], objects))
    write_coco(out, pictures, pool.classes, copy)


def _write_masks(pool: Pool, changed: Mapping[int, list[dict]], out: Path, copy: bool) -> None:
    common = os.path.commonpath([file.parent for file in pool.files])
    for row, (file, mask) in enumerate(zip(pool.files, pool.masks, strict=True)):
        name = file.relative_to(common)
        split = pool.splits[row]
        if split and named_split(str(name.parent)) != split:
            name = Path(split, name)
        place(file, out / 'images' / name, copy)
        target = (out / 'masks' / name).with_suffix('.png')
        if row not in changed:
            place(mask, target, copy)
            continue
        pixels = read_mask(str(mask)).astype(np.uint8)
        for each in changed[row]:
            value = int(pool.values[each['category_id']])
            found = each['segmentation']
            if isinstance(found, dict):
                pixels[to_mask(found, *pixels.shape)] = value
            else:
                outlines = [np.reshape(p, (-1, 1, 2)).round().astype(np.int32) for p in found]
                cv2.fillPoly(pixels, outlines, value)
        target.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels).save(target)
    if names := file_of_names(pool.root, pool.masks):
        shutil.copyfile(names, out / names.name)
