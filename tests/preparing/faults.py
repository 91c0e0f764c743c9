"""Sets of pictures that are sound, and 40 ways to break the links of a training, as data."""

import json

import numpy as np
from PIL import Image

SIZE = (120, 90)  # width, height
NAMES = ('cat', 'dog', 'emu')


def content(seed=0, pictures=24, objects=(1, 5), side=(16, 50), bare=0.0, names=NAMES, left=1.0):
    """Return annotations in COCO's form: boxes of a size, on pictures of which some are bare."""
    draw = np.random.default_rng(seed)
    images, boxes = [], []
    for i in range(1, pictures + 1):
        images.append({'id': i, 'file_name': f'{i}.jpg', 'width': SIZE[0], 'height': SIZE[1]})
        for _ in range(0 if i <= bare * pictures else draw.integers(*objects)):
            width, height = draw.integers(*side, 2).tolist()
            x = int(draw.integers(0, max(1, left * SIZE[0] - width)))
            y = int(draw.integers(0, SIZE[1] - height))
            category = int(draw.integers(1, len(names) + 1))
            box = {'id': len(boxes) + 1, 'image_id': i, 'category_id': category, 'iscrowd': 0}
            boxes.append(box | {'bbox': [x, y, width, height], 'area': width * height})
    for number in range(len(names)):  # each is used
        boxes[number]['category_id'] = number + 1
    kinds = [{'id': i, 'name': name} for i, name in enumerate(names, 1)]
    return {'images': images, 'annotations': boxes, 'categories': kinds}


def write(root, found, size=SIZE, light=(0, 256)):
    """Write a data set of one file, with pictures of noise."""
    (root / 'images').mkdir(parents=True)
    for image in found['images']:
        draw = np.random.default_rng(image['id'])
        noise = draw.integers(*light, (*size[::-1], 3)).astype(np.uint8)
        Image.fromarray(noise).save(root / 'images' / image['file_name'], quality=95)
    (root / 'instances.json').write_text(json.dumps(found))


# ------------------------------------------------------------------------ what breaks annotations


def corners(found):
    for each in found['annotations']:
        x, y, width, height = each['bbox']
        each['bbox'] = [x, y, x + width, y + height]


def normalized(found, of=SIZE):
    for each in found['annotations']:
        each['bbox'] = [value / of[i % 2] for i, value in enumerate(each['bbox'])]


def scaled(factor):
    def change(found):
        for each in found['annotations']:
            each['bbox'] = [value * factor for value in each['bbox']]

    return change


def told(width, height):
    def change(found):
        for each in found['images']:
            each.update(width=width, height=height)

    return change


def numbered(by):
    def change(found):
        for each in found['annotations']:
            each['category_id'] += by

    return change


def background(name):
    """Categories begin with one of nothing, and annotations count without it."""

    def change(found):
        kinds = [{'id': 0, 'name': name}, *found['categories']]
        found['categories'] = [{'id': i, 'name': kind['name']} for i, kind in enumerate(kinds)]
        numbered(-1)(found)

    return change


def crowds(found):
    for each in found['annotations'][3:]:
        each['iscrowd'] = 1


def one_picture(found):
    """All objects but a few are of one picture, as where image_id is not set."""
    for each in found['annotations'][3:]:
        each['image_id'] = 24


RATE = 'optim_wrapper.optimizer.lr'
PIXELS = 'model.data_preprocessor.'
EPOCHS = {'train_cfg': {'type': 'EpochBasedTrainLoop', 'max_epochs': 12}}
WARM = {'type': 'LinearLR', 'start_factor': 0.001, 'begin': 0, 'end': 1000, 'by_epoch': False}
COSINE = {'type': 'CosineAnnealingLR', 'begin': 0, 'end': 100, 'by_epoch': False}
ANOTHER, TOO_SMALL = 'annotations of another image size', 'objects too small'
FROZEN = {'optim_wrapper.paramwise_cfg.custom_keys': {'backbone': {'lr_mult': 0}}}
DEAD_HEAD = {'optim_wrapper.paramwise_cfg.custom_keys': {'bbox_head': {'lr_mult': 0.0}}}
# The link that is broken, and how: what changes the annotations, keys of the config, the size of
# the pictures, or settings of the set; ``says`` where a check of every run refuses it before.
FAULTS = (
    {'link': 'classes shifted by one', 'change': numbered(1), 'says': 'shifted by one'},
    {'link': 'classes shifted by one', 'change': numbered(-1), 'says': 'shifted by one'},
    {'link': 'classes shifted by one', 'change': background('background')},
    {'link': 'classes shifted by one', 'change': background('__background__'), 'seed': 4},
    {'link': 'boxes as corners', 'change': corners},
    {'link': 'boxes as corners', 'change': corners, 'seed': 11},
    {'link': 'boxes as corners', 'change': corners, 'set': {'pictures': 60, 'bare': 0.2}},
    {'link': 'boxes as corners', 'change': corners, 'set': {'objects': (5, 9)}, 'seed': 3},
    {'link': 'boxes normalized', 'change': normalized, 'says': 'fractions of the image'},
    {'link': 'boxes normalized', 'change': normalized, 'says': 'fractions of the image', 'seed': 5},
    {'link': 'boxes normalized', 'change': scaled(1 / 64), 'says': 'fractions of the image'},
    {'link': ANOTHER, 'change': scaled(0.5), 'set': {'objects': (3, 6)}},
    {'link': ANOTHER, 'change': scaled(0.3), 'set': {'objects': (3, 6), 'side': (40, 80)}},
    {'link': ANOTHER, 'change': scaled(2)},
    {'link': ANOTHER, 'change': scaled(1.5), 'seed': 8},
    {'link': ANOTHER, 'change': told(240, 180)},
    {'link': ANOTHER, 'size': SIZE[::-1]},
    {'link': ANOTHER, 'size': (640, 480), 'seed': 2},
    {'link': 'masks', 'values': (0, 1, 7), 'says': 'but masks also contain 7'},
    {'link': 'masks', 'values': (0, 1, 2, 3), 'says': 'but masks also contain 3'},
    {'link': 'masks', 'values': (64, 128, 192), 'says': 'but masks also contain 64'},
    {'link': 'normalization', 'options': {f'{PIXELS}std': [0.229, 0.224, 0.225]}},
    {'link': 'normalization', 'options': {f'{PIXELS}mean': [0, 0, 0], f'{PIXELS}std': [1, 1, 1]}},
    {'link': 'normalization', 'options': {f'{PIXELS}std': [5839.5, 5712.0, 5737.5]}},
    {
        'link': 'normalization',
        'options': {f'{PIXELS}mean': [0.485, 0.456, 0.406], f'{PIXELS}std': [0.229, 0.224, 0.225]},
    },
    {'link': 'learning rate', 'options': {RATE: 0.1}},
    {'link': 'learning rate', 'options': {RATE: 1e-8}},
    {'link': 'learning rate', 'options': {RATE: 5.0, 'optim_wrapper.optimizer.type': 'SGD'}},
    {'link': 'learning rate', 'options': {RATE: 1e-7, 'optim_wrapper.optimizer.type': 'SGD'}},
    {'link': 'schedule', 'options': EPOCHS | {'train_dataloader.batch_size': 8}},
    {'link': 'schedule', 'options': {'train_cfg.max_iters': 36}},
    {'link': 'schedule', 'options': {'train_cfg.max_iters': 1200, 'param_scheduler': [WARM]}},
    {'link': 'schedule', 'options': {'param_scheduler': [COSINE]}},
    {'link': TOO_SMALL, 'set': {'side': (1, 4)}, 'scale': (120, 90)},
    {'link': TOO_SMALL, 'set': {'side': (8, 16)}, 'scale': (32, 24)},
    {'link': TOO_SMALL, 'set': {'side': (2, 6)}, 'scale': (120, 120), 'seed': 6},
    {'link': 'frozen too much', 'options': {'frozen': 'backbone'}},
    {'link': 'frozen too much', 'options': {'model.backbone.frozen_stages': 3}},
    {'link': 'frozen too much', 'options': DEAD_HEAD},
    {'link': 'frozen too much', 'options': FROZEN},
    {'link': 'empty targets', 'change': crowds},
    {'link': 'empty targets', 'change': one_picture},
    {'link': 'empty targets', 'set': {'bare': 0.8}},
)
SOUND = (
    {},
    {'seed': 1, 'set': {'pictures': 10}},
    {'seed': 2, 'set': {'bare': 0.4}},
    {'seed': 3, 'set': {'names': ('cat',)}},
    {'seed': 4, 'set': {'objects': (6, 12), 'side': (6, 20)}},
    {'seed': 5, 'set': {'side': (60, 88)}},
    {'seed': 6, 'set': {'left': 0.5}},
    {'seed': 7, 'light': (0, 40)},
    {'seed': 8, 'light': (200, 256)},
    {'seed': 9, 'options': {RATE: 0.02, 'optim_wrapper.optimizer.type': 'SGD'}},
    {'seed': 10, 'options': {f'{PIXELS}mean': [0, 0, 0], f'{PIXELS}std': [255, 255, 255]}},
)
