"""A small data set in COCO's format, which a test may damage."""

import copy
import json

import cv2
import numpy as np
import pytest

from vitbackbones.data.checks.coco import check_dataset
from vitbackbones.errors import InputError

CLASSES = ('cat', 'dog')
GOOD = {
    'images': [
        {'id': 1, 'file_name': 'a.jpg', 'width': 40, 'height': 30},
        {'id': 2, 'file_name': 'sub/b.jpg', 'width': 40, 'height': 30},
    ],
    'annotations': [
        {'id': 1, 'image_id': 1, 'category_id': 3, 'bbox': [0, 0, 9.5, 9], 'area': 80},
        {'id': 2, 'image_id': 2, 'category_id': 7, 'bbox': [5, 5, 35, 25], 'area': 800},
        {'id': 3, 'image_id': 2, 'category_id': 7, 'bbox': [0, 0, 9, 9], 'area': 50},
    ],
    'categories': [{'id': 3, 'name': 'cat'}, {'id': 7, 'name': 'dog'}],
}


class Data:
    """A data set on disk that a test damages: ``content`` is what the file will say."""

    def __init__(self, root):
        self.root, self.content = root, copy.deepcopy(GOOD)
        self.ann_file, self.folder = root / 'annotations' / 'train.json', root / 'images'
        self.ann_file.parent.mkdir()
        (self.folder / 'sub').mkdir(parents=True)
        for image in self.content['images']:
            cv2.imwrite(str(self.folder / image['file_name']), np.zeros((30, 40, 3), np.uint8))

    def check(self, classes=CLASSES, evaluated=False, masks=False, load='color', **options):
        steps = [
            {'type': 'LoadImageFromFile', 'color_type': load},
            {'type': 'LoadAnnotations', 'with_bbox': True, 'with_mask': masks},
        ]
        config = self.config(**{'metainfo': {'classes': classes}, 'pipeline': steps, **options})
        return check_dataset(config, evaluated).warnings

    def error(self, **options):
        with pytest.raises(InputError) as caught:
            self.check(**options)
        assert '\n' not in str(caught.value)
        return str(caught.value)

    def config(self, **options):
        self.ann_file.write_text(json.dumps(self.content))
        return {
            'type': 'CocoDataset',
            'data_root': str(self.root),
            'ann_file': 'annotations/train.json',
            'data_prefix': {'img': 'images/'},
            'metainfo': {'classes': CLASSES},
            **options,
        }
