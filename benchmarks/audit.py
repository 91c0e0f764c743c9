"""Whether ``vitbackbones audit`` finds faults of labels: injected ones, of known kind and place."""

import copy

import numpy as np
from pycocotools import mask as masks

SHARE = 0.05  # of the labels, for each kind of fault
FREE = 0.2  # IoU with any label below which a place is free


def inject_boxes(content: dict, rng: np.random.Generator) -> tuple[dict, list[dict]]:
    """Return COCO annotations with faults, and what they are: kind, picture, id and box."""
    content = copy.deepcopy(content)
    labels, images = content['annotations'], content['images']
    number = round(SHARE * len(labels))
    chosen = rng.permutation(len(labels))[: 3 * number].reshape(3, number)
    missing, other, loose = ([labels[i] for i in rows] for rows in chosen)
    truth = [_fault('missing', each) for each in missing]
    keys = [each['id'] for each in content['categories']]
    for each in other:
        each['category_id'] = int(rng.choice([k for k in keys if k != each['category_id']]))
        truth.append(_fault('class', each))
    sizes = {each['id']: (each['width'], each['height']) for each in images}
    for each in loose:
        each['bbox'] = _loosened(each['bbox'], sizes[each['image_id']], rng)
        truth.append(_fault('loose', each))
    by_image = {}
    for each in labels:
        by_image.setdefault(each['image_id'], []).append(each['bbox'])
    free = max(each['id'] for each in labels)
    donors = rng.choice(len(labels), number)
    for n, donor in enumerate(donors, 1):
        image = images[rng.integers(len(images))]
        box = _free_box(labels[donor]['bbox'], sizes[image['id']], by_image.get(image['id']), rng)
        donor = {**labels[donor], 'id': free + n, 'image_id': image['id'], 'bbox': box}
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
