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

from ...errors import InputError
from ...utils.files import read_json
from ...utils.messages import cut, plural, some
from ..loading.image_file import read_header, size_of
from ..loading.load_mask import read_mask
from ..own.annotation_files import is_coco
from ..own.coco_folder import require_read
from ..own.numbering import FILES
from ..own.pool import Pool, find_pool
from ..own.splits import named_split
from .coco import KEPT
from .pictures import Picture, place, write_coco

LIST = 'faults.json'
LARGEST = 2**30  # bytes of a list
ADDED = re.compile('[0-9a-f]{8}-')  # before the names of Label Studio's exports
CHANGES = ('missing', 'spurious', 'class', 'loose', 'mask')


def import_corrections(file: Path, root: Path, out: Path, copy: bool) -> str:
    """Write what a folder holds, with corrections, and return a line on them.

    Args:
        file: the list of an audit, without what was not accepted; or annotations of whole pictures
            in COCO's format, in the folder of that list.
        root: the folder that was audited.
        out: an empty folder.
        copy: copy the pictures; otherwise they are links.

    Raises:
        InputError: a picture or its labels are not those of the audit any more, or the list does
            not fit.
    """
    content = _read(file)
    entries, pool = content['annotations'], find_pool(root)
    is_list = any('sha256' in each for each in content['images'])
    audited = content if is_list else _read(file.with_name(LIST))
    rows = _rows(file, pool, content)
    _require_same(pool, audited, {*rows.values()})
    names = {each['id']: each['name'] for each in content['categories']}
    if strange := sorted({*names.values()} - {*pool.classes}):
        raise InputError(f'{file}: has classes that are not in {root}: {some(strange)}')
    by_row = defaultdict(list)
    for each in entries:
        own = each | {'category_id': pool.classes.index(names[each['category_id']])}
        if is_list and own.get('fault') not in CHANGES:
            raise InputError(f'{file}: annotation {each["id"]}: fault must be of {CHANGES}')
        by_row[rows[each['image_id']]].append(own)
    if pool.content is None:
        _write_masks(pool, by_row, out, copy)
    else:
        labels = {
            row: corrected(pool.labels[row], by_row[row]) if is_list else by_row[row]
            for row in rows.values()
        }
        _write_boxes(pool, labels, out, copy)
    return f'{plural(len(entries), "annotation")} of {plural(len(rows), "picture")} taken over'


def corrected(labels: Sequence[dict], entries: Sequence[dict]) -> list[dict]:
    """Return the labels of a picture after some corrections, each an entry of the list."""
    changed = {each['label_id']: each for each in entries if each['fault'] != 'missing'}
    kept = []
    for label in labels:
        entry = changed.get(label['label_id'])
        if entry is None:
            kept.append(label)
        elif entry['fault'] == 'class':
            kept.append(label | {'category_id': entry['category_id']})
        elif entry['fault'] == 'loose':
            kept.append(label | {key: entry[key] for key in ('bbox', 'area', 'segmentation')})
    return [*kept, *(each for each in entries if each['fault'] == 'missing')]


def _read(file: Path) -> dict:
    content = read_json(file, LARGEST)
    if not is_coco(content):
        raise InputError(f"{file}: not in COCO's format (images, annotations and categories)")
    require_read(file, content)
    return content


def _rows(file: Path, pool: Pool, content: dict) -> dict[int | str, int]:
    """Return the number of each picture that a list names, by its id there."""
    names = [picture.relative_to(pool.root).as_posix() for picture in pool.files]
    places = {f'{pool.root.name}/{name}': row for row, name in enumerate(names)}
    places |= {name: row for row, name in enumerate(names)}
    rows, ends = {}, defaultdict(list)
    for row, picture in enumerate(pool.files):
        ends[picture.name].append(row)
    for each in content['images']:
        name = each['file_name'].replace('\\', '/').rpartition('?d=')[2].removeprefix('./')
        tails = [name.split('/', start)[-1] for start in range(name.count('/') + 1)]
        # the last part alone may be that of a picture in another folder
        exact = [places[tail] for tail in tails[:-1] or tails if tail in places][:1]
        found = exact or ends[tails[-1]] or ends[ADDED.sub('', tails[-1])]
        if len(found) != 1:
            raise InputError(f'{file}: {cut(name)} is not one of the pictures in {pool.root}')
        rows[each['id']] = found[0]
    return rows


def _require_same(pool: Pool, audited: dict, rows: set[int]) -> None:
    """Refuse corrections of what is not there any more.

    Raises:
        InputError: a picture or its labels have changed, or were not audited.
    """
    known = {each['file_name']: each for each in audited['images']}
    changed = []
    for row in sorted(rows):
        name = pool.files[row].relative_to(pool.root).as_posix()
        then = known.get(name, {})
        digest = sha256(pool.files[row].read_bytes()).hexdigest()
        if (then.get('sha256'), then.get('labels_sha256')) != (digest, pool.digest(row)):
            changed.append(name)
    if changed:
        raise InputError(
            f'{pool.root}: {plural(len(changed), "picture")} or the labels have changed since the '
            f'audit: {some(changed)}. Audit again, or take them out of the list.'
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
            outlines = [
                np.reshape(points, (-1, 1, 2)).round().astype(np.int32)
                for points in each['segmentation']
            ]
            cv2.fillPoly(pixels, outlines, int(pool.values[each['category_id']]))
        target.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels).save(target)
    for name in FILES:
        if (pool.root / name).is_file():
            shutil.copyfile(pool.root / name, out / name)
