"""Folders of own data in the usual layouts, with empty files for pictures."""

import json

CATEGORIES = [{'id': 7, 'name': 'dog'}, {'id': 3, 'name': 'cat'}]


def coco(names, categories=CATEGORIES, **changes):
    """What an annotation file holds: one box in each picture, of each category in turn."""
    return {
        'images': [
            {'id': i, 'file_name': name, 'width': 64, 'height': 48} for i, name in enumerate(names)
        ],
        'annotations': [
            {
                **{'id': i + 1, 'image_id': i, 'bbox': [2, 3, 10, 20], 'area': 200, 'iscrowd': 0},
                'category_id': categories[i % len(categories)]['id'],
                **changes,
            }
            for i in range(len(names))
        ],
        'categories': categories,
    }


def write(root, files):
    """Write files below a folder: texts, dicts as JSON, and None for an empty one."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content) if isinstance(content, dict) else content or '')
    return root


def one_file(root, count=10):
    """The layout of one annotation file, with pictures beside it."""
    names = [f'{i}.jpg' for i in range(count)]
    pictures = {f'pictures/{name}': None for name in names}
    return write(root, {'result.json': coco(names), **pictures})


def roboflow(root):
    """Two pictures in each of three folders, ids from 0, and a category that nothing uses."""
    categories = [{'id': 0, 'name': 'animals'}, *CATEGORIES[::-1]]
    files = {}
    for split in ('train', 'valid', 'test'):
        names = [f'{split}_{i}.jpg' for i in range(2)]
        content = coco(names, categories)
        for i, entry in enumerate(content['annotations']):
            entry |= {'id': i, 'category_id': (3, 7)[i]}
        files |= {f'{split}/_annotations.coco.json': content}
        files |= {f'{split}/{name}': None for name in names}
    return write(root, files)
