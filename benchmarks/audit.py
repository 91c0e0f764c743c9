"""Whether ``vitbackbones audit`` finds faults of labels: those injected, of known kind and place.

A copy of each FOLDER gets faults, a twentieth of the labels of each kind, drawn from a seed: boxes
that are missing, put in, of another class, loose; outlines of which a part is cut off; regions of
masks that are missing, put in, of another class, and wrong in a half. The copy is audited as a user
does. A place of the list is right where it names a faulty label, or a box or region of which IoU
with the fault is at least 0.5 (0.3 of regions), each fault once. Whatever was wrong before counts
against the audit.
"""

import copy
import json
import subprocess
import sys
import time
from argparse import Namespace
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from PIL import Image
from pycocotools import mask as masks

from vitbackbones.audit.outlines import with_outlines
from vitbackbones.data.loading.coco_masks import to_code
from vitbackbones.data.loading.load_mask import read_mask
from vitbackbones.data.own.pool import Pool, find_pool

from .command import start

SHARE = 0.05  # of the labels, for each kind of fault
LEAST_SIDE = 8  # of boxes that get faults, in pixels; a looser box of none cannot be drawn
FREE = 0.2  # IoU with any label below which a place is free
LEAST = 0.002  # of a picture, that a region has which counts as a label
SAME = {'boxes': 0.5, 'masks': 0.3}  # IoU
FIRST = 50
KINDS = ('missing', 'class', 'mask', 'spurious')  # of regions


def rows(options: Namespace) -> Iterator[dict]:
    """Yield a row for every folder."""
    for given in options.folders:
        rng = np.random.default_rng(options.seed)
        pool, root = find_pool(Path(given).absolute()), Path(options.work_dir, Path(given).name)
        kind = 'boxes' if pool.content else 'masks'
        pool = with_outlines(pool) if pool.content else pool
        write = write_boxes if pool.content else write_masks
        faults = write(pool, root / 'data', rng)
        began, out = time.perf_counter(), root / 'audit'
        command = [sys.executable, '-m', 'vitbackbones', 'audit', root / 'data', '--out', out]
        subprocess.run([*command, '--minutes', str(options.minutes)], check=True)
        minutes = (time.perf_counter() - began) / 60
        content = json.loads((out / 'faults.json').read_text())
        right = judge(content, faults, SAME[kind])
        most = 3 * len(faults)
        yield {
            'set': Path(given).name,
            'faults': len(faults),
            'listed': len(right),
            f'right of first {FIRST}': round(float(np.mean([*map(bool, right[:FIRST])])), 3),
            'found in three times': round(sum(map(bool, right[:most])) / len(faults), 3),
            **{
                f'of {each}': round(
                    right[:most].count(each) / max(sum(f['kind'] == each for f in faults), 1), 3
                )
                for each in sorted({fault['kind'] for fault in faults})
            },
            'minutes': round(minutes, 1),
        }


def judge(content: dict, faults: list[dict], least: float) -> list[str]:
    """Return for each place of a list the kind of the fault that it names first, or ''."""
    by_picture, images = defaultdict(list), {each['id']: each for each in content['images']}
    for fault in faults:
        by_picture[fault['file_name']].append(fault)
    right = []
    for each in content['annotations']:
        image = images[each['image_id']]
        own = by_picture[image['file_name']]
        hit = next((fault for fault in own if _names(each, fault, image, least)), None)
        right.append(hit['kind'] if hit else '')
        if hit:
            own.remove(hit)
    return right


def _names(each: dict, fault: dict, image: dict, least: float) -> bool:
    if 'mask' in fault:
        region = masks.merge(
            masks.frPyObjects(each['segmentation'], image['height'], image['width'])
        )
        return masks.iou([region], [fault['mask']], [0])[0, 0] >= least
    if each['label_id'] is not None:
        return each['label_id'] == fault['id'] and fault['kind'] != 'missing'
    if fault['kind'] != 'missing':
        return False
    return masks.iou([each['bbox']], [fault['bbox']], [0])[0, 0] >= least


# ------------------------------------------------------------------------ boxes


def write_boxes(pool: Pool, out: Path, rng: np.random.Generator) -> list[dict]:
    """Write a copy of a pool with faults, and return them."""
    (out / 'images').mkdir(parents=True)
    content, faults = inject_boxes(pool.content, rng, pool.outlined)
    names = {row: f'{row:05}_{file.name}' for row, file in enumerate(pool.files)}
    for row, name in names.items():
        (out / 'images' / name).symlink_to(pool.files[row].resolve())
    for each in content['images']:
        each['file_name'] = names[each['id']]
    (out / 'faulty.json').write_text(json.dumps(content))
    return [{**fault, 'file_name': f'images/{names[fault["image_id"]]}'} for fault in faults]


def inject_boxes(
    content: dict, rng: np.random.Generator, outlined: bool = False
) -> tuple[dict, list[dict]]:
    """Return COCO annotations with faults, and what they are: kind, picture, id and box."""
    content = copy.deepcopy(content)
    labels, images = content['annotations'], content['images']
    number = round(SHARE * len(labels))
    sound = [i for i, each in enumerate(labels) if min(each['bbox'][2:]) >= LEAST_SIDE]
    kinds = 4 if outlined else 3
    chosen = rng.permutation(sound)[: kinds * number].reshape(kinds, number)
    missing, other, loose, *cut = ([labels[i] for i in rows] for rows in chosen)
    truth = [_fault('missing', each) for each in missing]
    keys = [each['id'] for each in content['categories']]
    for each in other:
        each['category_id'] = int(rng.choice([k for k in keys if k != each['category_id']]))
        truth.append(_fault('class', each))
    sizes = {each['id']: (each['width'], each['height']) for each in images}
    for each in loose:
        each |= _fitted(each, _loosened(each['bbox'], sizes[each['image_id']], rng))
        truth.append(_fault('loose', each))
    for each in cut[0] if cut else ():
        each['segmentation'] = [_cut(each['segmentation'], sizes[each['image_id']], rng)]
        points = np.reshape(each['segmentation'][0], (-1, 2))
        each['bbox'] = [*points.min(0).tolist(), *np.ptp(points, axis=0).tolist()]
        truth.append(_fault('outline', each))
    by_image = {}
    for each in labels:
        by_image.setdefault(each['image_id'], []).append(each['bbox'])
    free = max(each['id'] for each in labels)
    donors = rng.choice(len(labels), number)
    for n, donor in enumerate(donors, 1):
        image = images[rng.integers(len(images))]
        box = _free_box(labels[donor]['bbox'], sizes[image['id']], by_image.get(image['id']), rng)
        donor = {**labels[donor], 'id': free + n, 'image_id': image['id']}
        donor |= _fitted(donor, box)
        labels.append(donor)
        by_image.setdefault(image['id'], []).append(box)
        truth.append(_fault('spurious', donor))
    gone = {each['id'] for each in missing}
    content['annotations'] = [each for each in labels if each['id'] not in gone]
    for each in content['annotations']:
        each['area'] = each['bbox'][2] * each['bbox'][3]
    return content, truth


def _fault(kind: str, label: dict) -> dict:
    return {'kind': kind, **{key: label[key] for key in ('image_id', 'id', 'bbox')}}


def _fitted(label: dict, box: list) -> dict:
    """Return a box, and the polygons of a label moved from its own box into this one."""
    x, y, w, h = label['bbox']
    scale = np.divide(box[2:], (w, h))
    polygons = [
        ((np.reshape(each, (-1, 2)) - (x, y)) * scale + box[:2]).ravel().tolist()
        for each in label['segmentation']
    ]
    return {'bbox': box, 'segmentation': polygons}


def _cut(polygons: list, size: tuple[int, int], rng: np.random.Generator) -> list:
    """Return the first polygon without a part of its outline, so that an IoU of 0.4 to 0.7 is left.

    After many tries it is whatever was tried last.
    """
    corners = np.reshape(polygons[0], (-1, 2))
    steps = np.linspace(0, 1, 16, endpoint=False)[:, None]
    following = np.roll(corners, -1, 0)
    ring = np.concatenate([a + steps * (b - a) for a, b in zip(corners, following, strict=True)])
    whole = to_code(polygons, *size[::-1])
    for _ in range(200):
        start = rng.integers(len(ring))
        length = int(rng.uniform(0.3, 0.8) * len(ring))
        new = np.roll(ring, -start, 0)[:length].ravel().tolist()
        code = to_code([new], *size[::-1])
        if 0.4 <= masks.iou([code], [whole], [0])[0, 0] <= 0.7:
            break
    return new


def _loosened(box: list, size: tuple[int, int], rng: np.random.Generator) -> list:
    """Move one side of a box to two, or all of them, so that an IoU of 0.4 to 0.7 is left."""
    while True:
        x, y, w, h = box
        left, top, right, bottom = rng.uniform(-0.4, 0.4, 4) * (w, h, w, h)
        x0, y0 = max(x + left, 0), max(y + top, 0)
        x1, y1 = min(x + w + right, size[0]), min(y + h + bottom, size[1])
        if x1 - x0 < 2 or y1 - y0 < 2:
            continue
        new = [float(x0), float(y0), float(x1 - x0), float(y1 - y0)]
        if 0.4 <= masks.iou([new], [box], [0])[0, 0] <= 0.7:
            return new


def _free_box(box: list, size: tuple[int, int], taken: list | None, rng) -> list:
    """Return a box of this size at a place without labels, or with the fewest."""
    w, h = min(box[2], size[0]), min(box[3], size[1])
    places = [[*(rng.random(2) * (size[0] - w, size[1] - h)).tolist(), w, h] for _ in range(50)]
    if not taken:
        return places[0]
    overlaps = masks.iou(places, taken, [0] * len(taken)).max(1)
    return places[int(np.argmax(overlaps < FREE) if overlaps.min() < FREE else overlaps.argmin())]


# ------------------------------------------------------------------------ masks


def write_masks(pool: Pool, out: Path, rng: np.random.Generator) -> list[dict]:
    """Write a copy of a pool with faults, and return them."""
    for name in ('images', 'masks'):
        (out / name).mkdir(parents=True)
    values, faults, objects = [*pool.values][: len(pool.classes)], [], []
    for row, file in enumerate(pool.masks):
        pixels = read_mask(str(file))
        for value in values:
            _, parts, stats, _ = cv2.connectedComponentsWithStats((pixels == value).astype('u1'))
            for part in np.flatnonzero(stats[:, 4] >= LEAST * pixels.size):
                if part and stats[part, 4] < pixels.size / 2:
                    objects.append((row, value, masks.encode(np.asfortranarray(parts == part))))
    number = round(SHARE * len(objects))
    chosen = rng.permutation(len(objects))[: len(KINDS) * number]
    by_row = defaultdict(list)
    for place, i in enumerate(chosen):
        row, value, region = objects[i]
        by_row[row].append((KINDS[place % len(KINDS)], value, masks.decode(region).astype(bool)))
    for row, (file, mask) in enumerate(zip(pool.files, pool.masks, strict=True)):
        pixels, name = read_mask(str(mask)).astype(np.uint8), f'{row:05}_{file.stem}'
        (out / 'images' / f'{name}.png').symlink_to(file.resolve())
        for kind, value, region in by_row[row]:
            region, label = _spoiled(kind, int(value), region, pixels, values, rng)
            pixels[region] = label
            encoded = masks.encode(np.asfortranarray(region))
            faults.append({'kind': kind, 'file_name': f'images/{name}.png', 'mask': encoded})
        Image.fromarray(pixels).save(out / 'masks' / f'{name}.png')
    lines = (f'{value} {name}' for value, name in zip(values, pool.classes, strict=True))
    (out / 'classes.txt').write_text('\n'.join(lines))
    return faults


def _spoiled(
    kind: str, value: int, region: np.ndarray, pixels: np.ndarray, values: list, rng
) -> tuple[np.ndarray, int]:
    """Return where a mask gets another value, and which."""
    ring = cv2.dilate(region.astype(np.uint8), np.ones((5, 5))).astype(bool) & ~region
    around = [int(each) for each in pixels[ring] if each in values and each != value]
    neighbor = max({*around}, key=around.count) if around else value
    if kind == 'class':
        return region, int(rng.choice([each for each in values if each not in (value, neighbor)]))
    if kind == 'mask':  # the half on one side of the middle
        axis = int(rng.integers(2))
        middle = np.median(np.nonzero(region)[axis])
        sides = np.indices(region.shape)[axis] > middle
        return region & sides, neighbor
    if kind == 'spurious':
        height, width = region.shape
        shift = rng.integers(height // 4, 3 * height // 4), rng.integers(width // 4, 3 * width // 4)
        return np.roll(region, shift, (0, 1)), value
    return region, neighbor


def add_folders(add) -> None:
    """Add the folders and how long to train."""
    add('folders', nargs='+', metavar='FOLDER', help='with boxes, or with masks')
    add('--minutes', type=float, default=20, help='of training (default: 20)')
    add('--seed', type=int, default=0, help='of the faults')
    add('--work-dir', default='work_dirs/judged', help='for the copies and audits')


if __name__ == '__main__':
    start(__doc__, rows, add_folders)
