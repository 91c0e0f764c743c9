"""Panoptic data: what a JSON file says is what its PNG files show."""

import json
from itertools import chain

import cv2
import numpy as np
import pytest

from vitbackbones.data.checks.panoptic import check_dataset
from vitbackbones.data.loading.coco_masks import to_colors, to_ids
from vitbackbones.data.shapes.writing import KINDS, write
from vitbackbones.errors import InputError


class Panoptic:
    """Two small pictures that a test damages: ``content`` is what the file will say."""

    def __init__(self, root):
        self.root = write(root, train=2, val=1, size=48)
        self.folder = self.root / 'annotations' / 'panoptic_train'
        self.file = self.folder.with_suffix('.json')
        self.png = self.folder / '000001.png'
        self.content = json.loads(self.file.read_text())
        self.infos = self.content['annotations'][1]['segments_info']

    def config(self, **options):
        self.file.write_text(json.dumps(self.content))
        meta = {'thing_classes': KINDS, 'stuff_classes': ('ground',)}
        return {
            'type': 'CocoPanopticDataset',
            'data_root': str(self.root),
            'ann_file': 'annotations/panoptic_train.json',
            'data_prefix': {'img': 'images/train/', 'seg': 'annotations/panoptic_train/'},
            'metainfo': {'classes': (*KINDS, 'ground'), **meta},
            **options,
        }

    def error(self, evaluated=False, **options):
        with pytest.raises(InputError) as caught:
            check_dataset(self.config(**options), evaluated)
        assert '\n' not in str(caught.value)
        return str(caught.value)

    def paint(self, change):
        """Change the numbers of the second picture (H, W)."""
        ids = change(to_ids(cv2.imread(str(self.png))[..., ::-1]))
        cv2.imwrite(str(self.png), to_colors(ids)[..., ::-1])


@pytest.fixture
def data(tmp_path):
    return Panoptic(tmp_path / 'shapes')


def test_shapes_are_good_and_counted(data):
    found = check_dataset(data.config(), evaluated=True)
    infos = chain(*(entry['segments_info'] for entry in data.content['annotations']))
    kinds = [info['category_id'] for info in infos]
    assert found.warnings == []
    assert found.samples == 2
    assert found.occurs == {
        name: kinds.count(i) for i, name in enumerate((*KINDS, 'ground'), start=1)
    }


def test_keys_that_are_missing(data):
    del data.content['categories'][1]['isthing']
    assert "categories[1]: 'isthing' is missing" in data.error()
    data.content['categories'][1]['isthing'] = 1
    for key in ('id', 'category_id', 'bbox', 'area'):
        info = data.infos[0].copy()
        del data.infos[0][key]
        assert 'segments_info[' in data.error()
        assert f'{key!r} is missing' in data.error()
        data.infos[0].update(info)


def test_segments_are_objects(data):
    data.content['annotations'][1]['segments_info'] = [3]
    assert "'segments_info' of an annotation is not a list of objects." in data.error()


def test_a_box_is_four_numbers(data):
    data.infos[0]['bbox'] = [1, 2, 3]
    assert 'annotation 1 of image 2: bbox is [1, 2, 3]' in data.error()


def test_two_segments_of_one_number(data):
    data.infos[0]['id'] = data.infos[1]['id']
    assert "ids used more than once in 'segments_info': '2 of image 2'" in data.error()


def test_missing_png_files(data):
    data.png.unlink()
    error = data.error()
    assert f"PNG files of segments are not in {data.folder}: '000001.png'. mmdet looks" in error


def test_crowds_are_no_objects_to_learn(data):
    before = check_dataset(data.config()).occurs
    kind = KINDS[data.infos[0]['category_id'] - 1]
    data.infos[0]['iscrowd'] = 1
    assert check_dataset(data.config(), True).occurs == before | {kind: before[kind] - 1}
    del data.infos[0]['iscrowd']
    assert check_dataset(data.config()).warnings == []
    assert "(ids '1 of image 2') have no 'iscrowd' of 0 or 1" in data.error(evaluated=True)


@pytest.mark.parametrize(
    ('change', 'message'),
    [
        (lambda ids: ids[:40], 'the image is listed as 48 x 48 pixels but has 48 x 40'),
        (
            lambda ids: np.where(ids == 1, 70001, ids),
            'ids only in the image: 70001; ids only in segments',
        ),
        (
            lambda ids: np.where(ids == 1, 0, ids),
            'image: none; ids only in segments_info of the JSON file',
        ),
    ],
)
def test_a_picture_that_differs_from_the_file(data, change, message):
    data.paint(change)
    error = data.error()
    assert str(data.png) in error
    assert message in error
