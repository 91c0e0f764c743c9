"""Small sets in COCO's form for the tests of own_sets."""

import json

from PIL import Image


def entry(number, file_name):
    return {'id': number, 'file_name': file_name, 'width': 64, 'height': 48}


def box(number, image, category, **more):
    sides = {'bbox': [8, 8, 24, 24], 'area': 576, 'iscrowd': 0}
    return {'id': number, 'image_id': image, 'category_id': category, **sides, **more}


def content(count, classes=('a', 'b')):
    """One box in each image, the classes in turn."""
    images = [entry(i + 1, f'{i:03}.jpg') for i in range(count)]
    boxes = [box(i + 1, i + 1, i % len(classes) + 1) for i in range(count)]
    categories = [{'id': i, 'name': name} for i, name in enumerate(classes, 1)]
    return {'images': images, 'annotations': boxes, 'categories': categories}


def write_set(root, train, val):
    """Write annotations and the images that they name."""
    for split, each in (('train', train), ('val', val)):
        (root / split).mkdir(parents=True, exist_ok=True)
        (root / f'{split}.json').write_text(json.dumps(each))
        for image in each['images']:
            shade = (image['width'], 3 * len(root.name), 40 if split == 'train' else 200)
            Image.new('RGB', (64, 48), shade).save(root / split / image['file_name'])
    return root
