"""Panoptic data: what a JSON file says is what its PNG files show."""

import json
from itertools import chain

import cv2
import numpy as np
import pytest

from vitbackbones.data.checks.panoptic import check_dataset, segment_checks
from vitbackbones.data.loading.load_mask import BadMask
from vitbackbones.data.loading.panoptic import to_colors, to_ids
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

    def error(self, evaluated=False, kind=InputError, **options):
        with pytest.raises(kind) as caught:
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


def test_pixels_of_each_class_are_counted(data):
    looks = [look() for look in segment_checks(data.config()).values()]
    masks = [cv2.imread(str(data.root / f'annotations/train/00000{i}.png'), -1) for i in (0, 1)]
    for look, mask in zip(looks, masks, strict=True):
        counts = np.bincount(mask.ravel(), minlength=5)  # void, ground, shapes
        assert look.pixels.tolist() == [*counts[2:], counts[1]]


@pytest.mark.parametrize('key', ['isthing', 'id', 'name'])
def test_categories_lack_a_key(data, key):
    del data.content['categories'][1][key]
    assert f"categories[1]: '{key}' is missing" in data.error()


@pytest.mark.parametrize('key', ['id', 'category_id', 'bbox', 'area'])
def test_segments_lack_a_key(data, key):
    del data.infos[0][key]
    assert f"segments_info of image 2[0]: '{key}' is missing" in data.error()


def test_things_are_those_of_the_configuration(data):
    data.content['categories'][3]['isthing'] = 1
    error = data.error()
    assert "isthing of the categories 'ground' is not what metainfo says" in error
    assert "thing_classes are 'circle', 'square', 'triangle'" in error


@pytest.mark.parametrize('number', [0, -3, 2**24])
def test_numbers_that_no_color_has(data, number):
    data.infos[0]['id'] = number
    assert f'the ids {number} must be different numbers from 1 to 16777215' in data.error()


def test_numbers_used_twice(data):
    data.infos[0]['id'] = data.infos[-1]['id']
    assert 'segments_info of image 2: the ids' in data.error()


def test_an_unknown_category(data):
    data.infos[0]['category_id'] = 77
    assert '1 annotations (ids 1 of image 2) have a category_id' in data.error().replace("'", '')


def test_missing_png_files(data):
    data.png.unlink()
    error = data.error()
    assert f"1 PNG files of segments are not in {data.folder}: '000001.png'. mmdet looks" in error


def test_no_folder_of_png_files(data):
    error = data.error(data_prefix={'img': 'images/train/'})
    assert 'needs data_prefix=dict(img=..., seg=...)' in error


def test_segments_without_iscrowd_are_refused_where_they_are_evaluated(data):
    del data.infos[0]['iscrowd']
    assert check_dataset(data.config()).warnings == []
    assert "1 segments (1 of image 2) have no 'iscrowd' of 0 or 1" in data.error(evaluated=True)


def test_crowds_are_no_objects_to_learn(data):
    before = check_dataset(data.config()).occurs
    kind = KINDS[data.infos[0]['category_id'] - 1]
    data.infos[0]['iscrowd'] = 1
    assert check_dataset(data.config(), True).occurs == before | {kind: before[kind] - 1}


def bad_picture(data):
    error = data.error(kind=BadMask)
    assert str(data.png) in error
    (*_, look) = segment_checks(data.config()).values()
    assert look().fault == error
    return error


def test_a_picture_of_another_size(data):
    data.paint(lambda ids: ids[:40])
    assert 'the image is given as 48 x 48 pixels and has 48 x 40' in bad_picture(data)


def test_pixels_that_the_file_says_nothing_of(data):
    data.paint(lambda ids: np.where(ids == 1, 70001, ids))
    assert 'pixels of the segments 70001, which segments_info' in bad_picture(data)


def test_segments_without_pixels(data):
    data.paint(lambda ids: np.where(ids == 1, 0, ids))
    assert 'no pixel of the segments 1, which segments_info' in bad_picture(data)


def test_another_area(data):
    area = data.infos[0]['area']
    data.infos[0]['area'] = 2 * area
    assert f'the segment 1 has {area} pixels, and its area in the JSON file' in bad_picture(data)


def test_a_percent_of_an_area_may_differ(data):
    data.infos[0]['area'] *= 1.009
    assert check_dataset(data.config()).warnings == []
    data.infos[0]['area'] *= 1.009
    assert 'the segment 1 has' in bad_picture(data)


def test_a_picture_that_cannot_be_read(data):
    data.png.write_bytes(data.png.read_bytes()[:60])
    assert 'truncated, damaged or not an image' in bad_picture(data)


def test_all_bad_pictures_are_counted(data):
    for name in ('000000.png', '000001.png'):
        (data.folder / name).write_bytes(b'')
    assert data.error().endswith(' (2 files have faults)')
