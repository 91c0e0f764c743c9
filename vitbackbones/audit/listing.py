"""The list of suspicions as files: COCO's format, and what CVAT and Label Studio import."""

import json
from collections.abc import Sequence
from hashlib import sha256
from operator import itemgetter
from pathlib import Path
from urllib.parse import quote

import numpy as np

from ..data.loading.coco_masks import area_of
from ..data.loading.image_file import read_header, size_of
from ..data.own.pool import Pool
from ..importing.coco import KEPT, LIST, corrected
from ..utils.files import write_file
from ..utils.grouping import by_key
from .outlines import polygons_of
from .suspicion import Suspicion

CVAT = 'cvat.json'
STUDIO = 'label_studio.json'
SIDES = ('x', 'y', 'width', 'height')
SURE = 0.4  # least likelihood of a suggestion that is to be reviewed


def write_lists(out: Path, pool: Pool, listed: Sequence[Suspicion]) -> dict:
    """Write the list, and labels with the likelier suggestions for CVAT and Label Studio.

    Returns:
        The list in COCO's format.
    """
    rows = sorted({suspicion.image for suspicion in listed})
    images = [_image(pool, row) for row in rows]
    categories = [{'id': number, 'name': name} for number, name in enumerate(pool.classes)]
    suggested = [_ann(number, suspicion) for number, suspicion in enumerate(listed, 1)]
    content = {'images': images, 'annotations': suggested, 'categories': categories}
    content['values'] = [*pool.values][: len(pool.classes)]
    _write(out / LIST, content)
    reviewed = _reviewed(pool, rows, suggested)
    _write(out / CVAT, _for_cvat(images, reviewed, categories))
    by_image = by_key(reviewed, itemgetter('image_id'))
    _write(out / STUDIO, [_task(img, by_image[img['id']], pool) for img in images])
    return content


def for_review(content: dict, most: int, command: str) -> dict:
    """Return what a page needs to let its reader accept entries of the list.

    Args:
        content: the list.
        most: only so many entries are on the page.
        command: reads what the reader saves.

    Returns:
        ``entries`` with ``id``, ``image`` and ``label`` as text, ``label`` is None if none is
        changed. The parts of the list are JSON: ``text`` of an entry, ``images`` by id, and the
        ``rest``. A ``key`` of the list, and the ``command``.
    """
    entries = [
        {
            'id': str(ann['id']),
            'image': str(ann['image_id']),
            'label': None if ann['label_id'] is None else str(ann['label_id']),
            'text': json.dumps(ann),
        }
        for ann in content['annotations'][:most]
    ]
    rest = {key: content[key] for key in content if key not in ('images', 'annotations')}
    return {
        'entries': entries,
        'images': {str(img['id']): json.dumps(img) for img in content['images']},
        'rest': json.dumps(rest),
        'key': sha256(json.dumps(content).encode()).hexdigest(),
        'command': command,
    }


def _for_cvat(images: Sequence[dict], anns: Sequence[dict], categories: Sequence[dict]) -> dict:
    """Return annotations as CVAT imports them: it counts ids from 1."""
    numbered = [
        {key: ann[key] for key in ('image_id', *KEPT)}
        | {'id': number, 'category_id': ann['category_id'] + 1}
        for number, ann in enumerate(anns, 1)
    ]
    categories = [category | {'id': category['id'] + 1} for category in categories]
    return {'images': images, 'annotations': numbered, 'categories': categories}


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


def _ann(number: int, suspicion: Suspicion) -> dict:
    return {
        'id': number,
        'image_id': suspicion.image,
        'category_id': suspicion.category,
        'bbox': suspicion.box,
        'area': sum(map(area_of, suspicion.outlines)) or suspicion.box[2] * suspicion.box[3],
        'iscrowd': 0,
        'segmentation': [*map(list, suspicion.outlines)],
        'fault': suspicion.fault,
        'label_id': suspicion.label_id,
        'score': round(suspicion.likelihood, 4),
        'reason': suspicion.reason,
    }


def _reviewed(pool: Pool, rows: Sequence[int], suggested: Sequence[dict]) -> list[dict]:
    """Return the labels with the likelier suggestions; for masks the suggestions alone."""
    sure = [ann for ann in suggested if ann['score'] >= SURE]
    if pool.content is None:
        return sure
    by_image = by_key(sure, itemgetter('image_id'))
    return [ann for row in rows for ann in corrected(pool.labels[row], by_image[row])]


def _task(img: dict, anns: Sequence[dict], pool: Pool) -> dict:
    """Return a task of Label Studio with what is to be reviewed; its units are percents."""
    size = (img['width'], img['height'])
    common = {'from_name': 'label', 'to_name': 'image'}
    common |= {'original_width': size[0], 'original_height': size[1]}
    result = []
    for ann in anns:
        name = [pool.classes[ann['category_id']]]
        polygons = polygons_of(ann, img) if pool.content else ann['segmentation']
        if not polygons:
            sides = np.divide(ann['bbox'], size * 2) * 100
            value = dict(zip(SIDES, sides.tolist(), strict=True)) | {'rectanglelabels': name}
            result.append(common | {'type': 'rectanglelabels', 'value': value})
            continue
        for polygon in [_joined(polygons)] if pool.content else polygons:
            points = np.reshape(polygon, (-1, 2)) * 100 / size
            value = {'points': points.tolist(), 'closed': True, 'polygonlabels': name}
            result.append(common | {'type': 'polygonlabels', 'value': value})
    # its server finds the image below the parent folder of the dataset
    served = '/data/local-files/?d=' + quote(f'{pool.root.name}/{img["file_name"]}')
    return {'data': {'image': served}, 'predictions': [{'result': result}]}


def _joined(polygons: Sequence[Sequence[float]]) -> list[float]:
    """Return the parts of an object as one polygon; what joins them is without width."""
    first, *others = polygons
    path = [*first]
    for polygon in others:
        path += [*first[:2], *polygon, *polygon[:2]]
    return [*path, *first[:2]] if others else path
