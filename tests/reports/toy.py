"""A small data set in COCO's form and made-up detections, with all that makes evaluation special.

Three classes, one of which nothing is of; a picture without objects, and a crowd region.
"""

import json

import torch
from PIL import Image

CLASSES = ('cat', 'dog', 'emu')
SIDE = 120
CROWD = (0, 0, 60, 60)
BOXES = {1: [(0, (5, 5, 20, 20)), (1, (40, 40, 60, 70))], 2: [(0, (10, 50, 40, 40))], 3: []}


def polygon(box):
    x, y, width, height = box
    return [[x, y, x + width, y, x + width, y + height, x, y + height]]


def entry(number, image, label, box, crowd=0):
    shape = polygon(box)
    if crowd:  # run lengths by columns, from the upper left corner: nothing, 60 rows, the rest ...
        shape = {'size': [SIDE, SIDE], 'counts': [0, *([box[3], SIDE - box[3]] * box[2])]}
        shape['counts'][-1] += (SIDE - box[2]) * SIDE
    return {
        'id': number,
        'image_id': image,
        'category_id': label + 1,
        'bbox': list(box),
        'area': box[2] * box[3],
        'iscrowd': crowd,
        'segmentation': shape,
    }


def write(folder):
    """Write pictures and annotations; returns the annotation file."""
    found = [(image, *each) for image, own in BOXES.items() for each in own]
    entries = [entry(i, *each) for i, each in enumerate(found, start=1)]
    entries.append(entry(len(entries) + 1, 2, 1, CROWD, crowd=1))
    sides = {'height': SIDE, 'width': SIDE}
    images = [{'id': image, 'file_name': f'{image}.png', **sides} for image in BOXES]
    for image in images:
        Image.new('RGB', (SIDE, SIDE), (90, 120, 90)).save(folder / image['file_name'])
    categories = [{'id': i, 'name': name} for i, name in enumerate(CLASSES, start=1)]
    content = {'images': images, 'annotations': entries, 'categories': categories}
    (folder / 'truth.json').write_text(json.dumps(content))
    return folder / 'truth.json'


def sample(image, objects, masks=False):
    """Return what a detector says of a picture: (label, score, box as x, y, width, height)."""
    boxes = torch.tensor([(x, y, x + w, y + h) for *_, (x, y, w, h) in objects]).reshape(-1, 4)
    found = {
        'bboxes': boxes.float(),
        'labels': torch.tensor([label for label, *_ in objects], dtype=torch.int64),
        'scores': torch.tensor([score for _, score, _ in objects]),
    }
    if masks:
        found['masks'] = torch.zeros(len(objects), SIDE, SIDE, dtype=torch.bool)
        for mask, (left, top, right, bottom) in zip(found['masks'], boxes.tolist(), strict=True):
            mask[int(top) : int(bottom), int(left) : int(right)] = True
    return {'img_id': image, 'ori_shape': (SIDE, SIDE), 'pred_instances': found}


FOUND = {
    1: [(0, 0.9, (6, 5, 20, 20)), (0, 0.8, (42, 40, 60, 70)), (1, 0.4, (40, 42, 60, 66))],
    2: [(1, 0.7, (10, 10, 30, 30)), (0, 0.6, (70, 0, 40, 40)), (0, 0.2, (14, 50, 40, 42))],
    3: [(2, 0.5, (0, 0, 50, 50))],
}
