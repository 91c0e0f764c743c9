"""The check of a data set: one clear message for each fault, none for a good one."""

import copy
import json
import os

import cv2
import numpy as np
import pytest
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from vitbackbones.datasets import coco_check
from vitbackbones.datasets.coco_check import check_coco, check_dataset, check_image
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

    def check(self, classes=CLASSES, **options):
        self.ann_file.write_text(json.dumps(self.content))
        return check_coco(str(self.ann_file), str(self.folder), classes, **options)

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


@pytest.fixture
def data(tmp_path):
    return Data(tmp_path)


def test_a_good_data_set_has_no_warning(data):
    assert data.check() == []


# ---------------------------------------------------------------------------- the file


def test_missing_file(data):
    with pytest.raises(InputError, match='annotation file not found: .*nowhere.json'):
        check_coco(str(data.root / 'nowhere.json'), str(data.folder), CLASSES)


def test_a_folder_in_place_of_the_file(data):
    with pytest.raises(InputError, match='Is a directory'):
        check_coco(str(data.folder), str(data.folder), CLASSES)


@pytest.mark.parametrize(
    ('content', 'message'),
    [
        (b'', 'line 1, column 1'),
        (b'{"images": [],\n "annotations": [,]}', 'line 2, column 18'),
        (json.dumps(GOOD).encode()[:-30], 'malformed JSON at line 1, column'),
        (b'\xff\xd8\xff\xe0', 'not a JSON text'),
    ],
)
def test_malformed_json_is_located(data, content, message):
    data.ann_file.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        check_coco(str(data.ann_file), str(data.folder), CLASSES)
    assert str(data.ann_file) in str(caught.value)


@pytest.mark.parametrize('part', list(GOOD))
@pytest.mark.parametrize(
    ('value', 'message'),
    [
        (None, 'is missing or not a list of objects'),
        ({}, 'is missing or not a list of objects'),
        ([1], 'is missing or not a list of objects'),
        ([], 'is empty'),
    ],
)
def test_a_list_that_is_missing_empty_or_of_another_kind(data, part, value, message):
    data.content[part] = value
    error = data.error()
    assert message in error
    assert repr(part) in error
    assert str(data.ann_file) in error


def test_a_file_of_another_format(data):
    data.content = [1, 2, 3]
    assert 'A COCO file for detection is an object' in data.error()


@pytest.mark.parametrize(
    ('part', 'key'), [(part, key) for part in GOOD for key in coco_check.COLUMNS[part]]
)
def test_missing_keys_and_wrong_types_are_named(data, part, key):
    data.content[part][1][key] = None
    assert f"{part}[1]: '{key}' is None" in data.error()
    del data.content[part][1][key]
    assert f"{part}[1]: '{key}' is missing" in data.error()


@pytest.mark.parametrize('part', list(GOOD))
def test_ids_used_twice(data, part):
    first = data.content[part][0]['id']
    data.content[part][1]['id'] = first
    assert f"ids used more than once in '{part}': {first}." in data.error()


# ---------------------------------------------------------------------------- references


@pytest.mark.parametrize('key', ['image_id', 'category_id'])
def test_unknown_references(data, key):
    data.content['annotations'][1][key] = 99
    message = f'1 annotations (ids 2) have a {key} that the file does not define: 99.'
    assert message in data.error()


def test_categories_outside_the_classes(data):
    error = data.error(classes=('cat', 'bird'))
    assert "'dog' (id 7)" in error
    assert "it has 'cat', 'bird'" in error
    assert "('cat', 'dog')" in error
    assert 'metainfo.classes' in error
    assert 'num_classes of the model to their number, 2' in error


def test_class_names_must_be_equal_and_not_alike(data):
    assert "'cat' (id 3), 'dog' (id 7)" in data.error(classes=('Cat', 'Dog'))


def test_unused_categories_may_be_outside_the_classes(data):
    data.content['categories'].append({'id': 1, 'name': 'animals'})
    assert data.check() == []


def test_classes_without_category_are_a_warning(data):
    (warning,) = data.check(classes=('cat', 'dog', 'cow'))
    assert "has no category for the classes 'cow'" in warning


@pytest.mark.parametrize('classes', [('dog', 'cat'), ('cow', 'cat', 'dog')])
def test_labels_that_mmdet_would_shift_are_a_warning(data, classes):
    from mmdet.datasets import CocoDataset

    warning = data.check(classes=classes)[-1]
    assert f"label 0 is 'cat' but will be shown as {classes[0]!r}" in warning
    options = data.config(metainfo={'classes': classes})
    del options['type']
    first = CocoDataset(**options)[0]['instances'][0]  # a cat
    assert first['bbox_label'] == 0  # the warning is true


def test_category_names_used_twice(data):
    data.content['categories'].append({'id': 9, 'name': 'dog'})
    assert "category names used more than once: 'dog'" in data.error()


def test_names_that_are_no_class_may_be_used_twice(data):
    data.content['categories'] += [{'id': 8, 'name': 'thing'}, {'id': 9, 'name': 'thing'}]
    assert data.check() == []


# ---------------------------------------------------------------------------- pictures


def test_missing_pictures_are_counted_and_listed(data):
    (data.folder / 'sub' / 'b.jpg').unlink()
    error = data.error()
    assert f'1 of the 2 images of {data.ann_file} are not in {data.folder}' in error
    assert "'sub/b.jpg'" in error


def test_a_long_list_is_cut(data):
    more = [{**GOOD['images'][0], 'id': 10 + i, 'file_name': f'{i}.jpg'} for i in range(9)]
    data.content['images'] += more
    assert '9 of the 11 images' in data.error()
    assert "'0.jpg', '1.jpg', '2.jpg', '3.jpg', '4.jpg' and 4 more." in data.error()


def test_missing_folder(data):
    data.folder = data.root / 'elsewhere'
    assert f'image folder not found: {data.folder}' in data.error()


def test_each_folder_is_listed_once(data, monkeypatch):
    listed = []
    scandir = os.scandir
    monkeypatch.setattr(os, 'scandir', lambda path: listed.append(path) or scandir(path))
    assert data.check() == []
    assert sorted(listed) == [f'{data.folder}/', f'{data.folder}/sub']


def test_the_first_picture_is_decoded(data):
    (data.folder / 'a.jpg').write_bytes(b'not a picture')
    assert f'image file {data.folder}/a.jpg: truncated, damaged or not an image' in data.error()


def test_pictures_of_another_size_than_the_file_says(data):
    cv2.imwrite(str(data.folder / 'a.jpg'), np.zeros((15, 20, 3), np.uint8))
    (warning,) = data.check()
    assert 'gives a.jpg as 40 x 30 pixels, the file has 20 x 15' in warning


def test_check_image(data):
    path = data.folder / 'a.jpg'
    assert check_image(str(path)) == (30, 40)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(InputError, match=r'a\.jpg: truncated'):
        check_image(str(path))
    with pytest.raises(InputError, match='no.jpg: No such file'):
        check_image(str(data.folder / 'no.jpg'))


# ---------------------------------------------------------------------------- boxes

FAULTS = {
    'zero width': ({'bbox': [3, 3, 0, 5]}, 'empty, negative or thinner than a pixel', True),
    'negative': ({'bbox': [9, 9, -5, -5]}, 'empty, negative or thinner than a pixel', True),
    'outside': ({'bbox': [50, 3, 5, 5]}, 'boxes outside of their image', True),
    'left of it': ({'bbox': [-9, 3, 5, 5]}, 'boxes outside of their image', True),
    'no area': ({'area': 0}, "annotations with an 'area' of 0 or less", True),
    'beyond': ({'bbox': [30, 3, 15, 5]}, 'boxes that reach beyond the edge', False),
    'beyond the left': ({'bbox': [-3, 3, 9, 5]}, 'boxes that reach beyond the edge', False),
}


@pytest.mark.parametrize('fault', FAULTS)
def test_doubtful_boxes_are_a_warning_that_is_true(data, fault):
    from mmdet.datasets import CocoDataset

    change, message, dropped = FAULTS[fault]
    data.content['annotations'][2].update(change)
    (warning,) = data.check()
    assert message in warning
    assert warning.endswith(': 1 (annotation ids 3)')
    options = data.config()
    del options['type']
    assert len(CocoDataset(**options)[1]['instances']) == 2 - dropped


NAN = float('nan')  # which json reads and writes


@pytest.mark.parametrize(
    'box', [[1, 2, 3], [1, 2, 3, '4'], [1, 2, 3, None], [[1, 2, 3, 4]], [], [1, 2, 3, NAN]]
)
def test_a_box_that_is_not_four_numbers(data, box):
    data.content['annotations'][1]['bbox'] = box
    assert f'annotation 2: bbox is {box!r}; it must be four numbers' in data.error()


def test_boxes_in_fractions_of_the_image_leave_nothing(data):
    for annotation in data.content['annotations']:
        annotation['bbox'] = [0.1, 0.1, 0.5, 0.5]
    assert 'not one usable box: all 3' in data.error()
    assert 'not fractions' in data.error()


def test_pictures_without_annotation_are_counted(data):
    data.content['annotations'].pop(0)
    (warning,) = data.check()
    assert warning.endswith('images without annotation: 1 (ids 1)')


# ---------------------------------------------------------------------------- evaluation


def test_evaluation_needs_iscrowd(data):
    assert data.check() == []
    assert "3 annotations (ids 1, 2, 3) have no 'iscrowd' of 0 or 1" in data.error(evaluated=True)
    for annotation in data.content['annotations']:
        annotation['iscrowd'] = 0
    assert data.check(evaluated=True) == []


def test_annotation_0_is_never_found_by_coco_evaluation(data):
    for annotation in data.content['annotations']:
        annotation.update(iscrowd=0, id=annotation['id'] - 1)
    (warning,) = data.check(evaluated=True)
    assert 'never counts annotation id 0 as found' in warning
    perfect = [{**annotation, 'score': 1.0} for annotation in data.content['annotations']]
    truth = COCO(str(data.ann_file))
    evaluation = COCOeval(truth, truth.loadRes(perfect), 'bbox')
    evaluation.evaluate()
    evaluation.accumulate()
    cat, dog = evaluation.eval['precision'][0, 50, :, 0, -1]
    assert (cat, dog) == (0, 1)  # the only cat is annotation 0; the warning is true


# ---------------------------------------------------------------------------- configurations


def test_configuration_of_mmdet(data):
    assert check_dataset(data.config()) == []


@pytest.mark.parametrize(
    'wrap',
    [
        lambda inner: {'type': 'RepeatDataset', 'times': 3, 'dataset': inner},
        lambda inner: {'type': 'ConcatDataset', 'datasets': [inner]},
        lambda inner: {'type': 'RepeatDataset', 'dataset': {'type': 'X', 'datasets': [inner]}},
    ],
)
def test_wrappers_are_looked_into(data, wrap):
    data.content['annotations'].pop(0)
    (warning,) = check_dataset(wrap(data.config()))
    assert 'images without annotation: 1' in warning


def test_without_metainfo_the_classes_of_mmdet_apply(data):
    config = data.config()
    del config['metainfo']
    assert check_dataset(config)[0].endswith(
        "classes 'person', 'bicycle', 'car', 'motorcycle', 'airplane' and 73 more"
    )
    data.content['categories'][0]['name'] = 'lynx'
    with pytest.raises(InputError, match=r"'lynx' \(id 3\)"):
        check_dataset({**data.config(), 'metainfo': None})


def test_test_mode_is_taken_as_evaluated(data):
    with pytest.raises(InputError, match='iscrowd'):
        check_dataset(data.config(test_mode=True))


def test_a_text_in_place_of_a_tuple_of_classes(data):
    with pytest.raises(InputError, match=r"metainfo\.classes is the text 'cat'; write a tuple"):
        check_dataset(data.config(metainfo={'classes': ('cat')}))


def test_missing_image_prefix(data):
    config = data.config()
    del config['data_prefix']
    with pytest.raises(InputError, match=r'needs data_prefix=dict\(img=\.\.\.\)'):
        check_dataset(config)


def test_other_data_sets_and_remote_files_are_left_alone(data):
    config = data.config(ann_file='nowhere.json')
    assert check_dataset({**config, 'type': 'LVISV1Dataset'}) == []
    assert check_dataset({**config, 'type': 'mmseg.ADE20KDataset'}) == []
    assert check_dataset({**config, 'backend_args': {'backend': 'petrel'}}) == []
    with pytest.raises(InputError, match='nowhere.json'):
        check_dataset(config)
