"""Accepted corrections of labels: the list of an audit, or what was reviewed in a labeling tool."""

import os
import re
import shutil
from collections import defaultdict
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from ..data.loading.coco_masks import to_mask
from ..data.loading.image_file import read_header, size_of
from ..data.loading.load_mask import read_mask
from ..data.own.annotation_files import is_coco
from ..data.own.coco_folder import require_read
from ..data.own.numbering import file_of_names
from ..data.own.patterns import Patterns
from ..data.own.pool import Pool, find_pool
from ..data.own.splits import named_split
from ..errors import InputError
from ..utils.files import read_json
from ..utils.messages import cut, plural, some
from ..utils.rules import is_number
from .coco import KEPT, add_annotation
from .pairing import by_name, meant
from .pictures import Picture, place, write_coco
from .source import Source

LIST = 'faults.json'
LARGEST = 2**30  # bytes of a list
ADDED = re.compile('[0-9a-f]{8}-')  # before the names of Label Studio's exports
CHANGES = ('missing', 'spurious', 'class', 'loose', 'mask')


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
        elif ann['fault'] == 'loose':
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
    if pool.content is None and picture.objects and not picture.objects[0]['segmentation']:
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
            f'{pool.root}: {plural(len(changed), "image")} or the labels have changed since the '
            f'audit: {some(changed)}. Run the audit again, or remove them from the list.'
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
                continue
            outlines = [np.reshape(p, (-1, 1, 2)).round().astype(np.int32) for p in found]
            cv2.fillPoly(pixels, outlines, value)
        target.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels).save(target)
    if names := file_of_names(pool.root, pool.masks):
        shutil.copyfile(names, out / names.name)
