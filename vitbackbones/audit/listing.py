"""The list of suspicions as files: COCO's format, and what CVAT and Label Studio import."""

import json
from collections import defaultdict
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

import numpy as np

from ..data.loading.image_file import read_header, size_of
from ..data.own.pool import Pool
from ..importing.coco import KEPT
from ..importing.corrections import LIST, corrected
from ..utils.files import write_file
from . import Suspicion

CVAT, STUDIO = 'cvat.json', 'label_studio.json'
SIDES = ('x', 'y', 'width', 'height')
SURE = 0.4  # likelihood from which on a suggestion is in what is to be reviewed


def write_lists(out: Path, pool: Pool, listed: Sequence[Suspicion]) -> None:
    """Write the list, and labels with the likelier suggestions for CVAT and Label Studio."""
    rows = sorted({each.picture for each in listed})
    images = [_image(pool, row) for row in rows]
    categories = [{'id': row, 'name': name} for row, name in enumerate(pool.classes)]
    entries = [_entry(number, each) for number, each in enumerate(listed, 1)]
    content = {'images': images, 'annotations': entries, 'categories': categories}
    _write(out / LIST, content | {'values': [*pool.values][: len(pool.classes)]})
    reviewed = _reviewed(pool, rows, entries)
    categories = [each | {'id': each['id'] + 1} for each in categories]  # CVAT counts from 1
    by_picture = defaultdict(list)
    for each in reviewed:
        by_picture[each['image_id']].append(each)
    boxes = [
        {key: each[key] for key in ('image_id', *KEPT)}
        | {'id': number, 'category_id': each['category_id'] + 1}
        for number, each in enumerate(reviewed, 1)
    ]
    _write(out / CVAT, {'images': images, 'annotations': boxes, 'categories': categories})
    _write(out / STUDIO, [_task(each, by_picture[each['id']], pool) for each in images])


def _write(file: Path, content: object) -> None:
    write_file(file, json.dumps(content, indent=1).encode())


def _image(pool: Pool, row: int) -> dict:
    file = pool.files[row]
    height, width = size_of(read_header(str(file)), turns=True)
    return {
        'id': row,
        'file_name': file.relative_to(pool.root).as_posix(),
        'width': width,
        'height': height,
        'sha256': sha256(file.read_bytes()).hexdigest(),
        'labels_sha256': pool.digest(row),
    }


def _entry(number: int, each: Suspicion) -> dict:
    return {
        'id': number,
        'image_id': each.picture,
        'category_id': each.category,
        'bbox': each.box,
        'area': each.box[2] * each.box[3],
        'iscrowd': 0,
        'segmentation': [*each.outlines],
        'fault': each.kind,
        'label_id': each.label,
        'score': round(each.likelihood, 4),
        'reason': each.reason,
    }


def _reviewed(pool: Pool, rows: Sequence[int], entries: Sequence[dict]) -> list[dict]:
    """Return boxes with the likelier suggestions, or these alone where there are masks."""
    sure = [each for each in entries if each['score'] >= SURE]
    if pool.content is None:
        return sure
    by_picture = defaultdict(list)
    for each in sure:
        by_picture[each['image_id']].append(each)
    return [each for row in rows for each in corrected(pool.labels[row], by_picture[row])]


def _task(image: dict, boxes: Sequence[dict], pool: Pool) -> dict:
    """Return a task of Label Studio with what is to be reviewed; its units are percents."""
    size = (image['width'], image['height'])
    common = {'from_name': 'label', 'to_name': 'image'}
    common |= {'original_width': size[0], 'original_height': size[1]}
    result = []
    for each in boxes:
        sides = (np.divide(each['bbox'], size * 2) * 100).tolist()
        value, name = dict(zip(SIDES, sides, strict=True)), 'rectanglelabels'
        if each['segmentation']:
            points = np.reshape(each['segmentation'][0], (-1, 2)) * 100 / size
            value, name = {'points': points.tolist(), 'closed': True}, 'polygonlabels'
        value[name] = [pool.classes[each['category_id']]]
        result.append(common | {'type': name, 'value': value})
    # where its server finds the picture below the folder that holds the data set
    served = '/data/local-files/?d=' + quote(f'{pool.root.name}/{image["file_name"]}')
    return {'data': {'image': served}, 'predictions': [{'result': result}]}
