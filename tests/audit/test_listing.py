"""The list of an audit, and the labels that are to be reviewed in CVAT and Label Studio."""

import json
from hashlib import sha256

import numpy as np
import pytest
from PIL import Image

from vitbackbones.audit.listing import CVAT, STUDIO, SURE, write_lists
from vitbackbones.audit.suspicion import Suspicion
from vitbackbones.data.loading.coco_masks import to_mask
from vitbackbones.data.own.pool import Pool
from vitbackbones.importing.coco import LIST

BOX = (24.0, 16.0, 48.0, 16.0)  # in an image of 96 x 64


def label(key, image, category):
    """A label of a pool, as find_pool() has it."""
    own = {'id': key, 'label_id': f'key {key}', 'image_id': image, 'category_id': category}
    return {**own, 'bbox': [1, 2, 3, 4], 'area': 12, 'iscrowd': 0, 'segmentation': []}


@pytest.fixture
def pool(tmp_path):
    """Three pictures: two labels, one, and none."""
    root = tmp_path / 'own data'
    (root / 'images').mkdir(parents=True)
    files = [root / 'images' / f'{name}.png' for name in 'abc']
    for file in files:
        Image.new('RGB', (96, 64)).save(file)
    labels = [label(1, 0, 0), label(2, 0, 1), label(3, 1, 1)]
    return Pool(root, files, [None] * 3, ['cat', 'dog'], {'annotations': labels}, values=[4, 7, 9])


def suspicion(fault, likelihood, image=0, key=None, **changes):
    given = {'box': BOX, 'category': 1, 'reason': 'why'} | changes
    return Suspicion(likelihood=likelihood, image=image, fault=fault, label_id=key, **given)


def written(tmp_path, pool, *listed):
    write_lists(tmp_path, pool, listed)
    return [json.loads((tmp_path / name).read_text()) for name in (LIST, CVAT, STUDIO)]


def test_the_list_has_each_suspicion_and_each_picture_once(pool, tmp_path):
    outline = (1, 2, 3, 4, 5, 6)
    content, _, _ = written(
        tmp_path,
        pool,
        suspicion('class', 0.98765, image=1, key='key 3'),
        suspicion('missing', 0.1, image=0, outlines=(outline,), category=0),
        suspicion('loose', 0.05, image=1, key='key 3'),
    )
    assert content['categories'] == [{'id': 0, 'name': 'cat'}, {'id': 1, 'name': 'dog'}]
    assert content['values'] == [4, 7]
    first, second = content['images']
    assert (first['id'], first['file_name']) == (0, 'images/a.png')
    assert (second['id'], second['width'], second['height']) == (1, 96, 64)
    assert second['sha256'] == sha256(pool.files[1].read_bytes()).hexdigest()
    assert second['labels_sha256'] == pool.digest(1) != first['labels_sha256']
    anns = content['annotations']
    assert anns[0] == {
        **{'id': 1, 'image_id': 1, 'category_id': 1, 'bbox': [*BOX], 'area': 768, 'iscrowd': 0},
        **{'segmentation': [], 'fault': 'class', 'label_id': 'key 3', 'score': 0.9877},
        'reason': 'why',
    }
    assert [ann['id'] for ann in anns] == [1, 2, 3]
    assert (anns[1]['segmentation'], anns[1]['label_id']) == ([[*outline]], None)


def test_cvat_gets_labels_with_the_likelier_suggestions_and_counts_from_1(pool, tmp_path):
    _, content, _ = written(
        tmp_path,
        pool,
        suspicion('class', 0.9, image=1, key='key 3', category=0),
        suspicion('missing', SURE, image=0),
        suspicion('spurious', SURE - 0.01, image=0, key='key 1'),
    )
    assert content['categories'] == [{'id': 1, 'name': 'cat'}, {'id': 2, 'name': 'dog'}]
    assert [img['id'] for img in content['images']] == [0, 1]
    found = [(ann['id'], ann['image_id'], ann['category_id']) for ann in content['annotations']]
    assert found == [(1, 0, 1), (2, 0, 2), (3, 0, 2), (4, 1, 1)]
    assert content['annotations'][2]['bbox'] == [*BOX]
    assert 'fault' not in content['annotations'][2]


def test_label_studio_gets_percents_of_the_image(pool, tmp_path):
    first, second = written(
        tmp_path,
        pool,
        suspicion('missing', 0.9, image=2),
        suspicion('missing', 0.8, image=2, outlines=((0, 0, 48, 0, 96, 64),), category=0),
        suspicion('spurious', 0.5, image=0, key='key 1'),
    )[2]
    assert first['data'] == {'image': '/data/local-files/?d=own%20data/images/a.png'}
    (prediction,) = second['predictions']
    box, polygon = prediction['result']
    common = {'from_name': 'label', 'to_name': 'image', 'original_width': 96}
    common['original_height'] = 64
    sides = {'x': 25, 'y': 25, 'width': 50, 'height': 25}
    assert box == {
        **common,
        'type': 'rectanglelabels',
        'value': sides | {'rectanglelabels': ['dog']},
    }
    points = {'points': [[0, 0], [50, 0], [100, 100]], 'closed': True}
    assert polygon == {
        **common,
        'type': 'polygonlabels',
        'value': points | {'polygonlabels': ['cat']},
    }
    assert [len(each['result']) for each in first['predictions']] == [1]  # the other label


def test_of_masks_the_suggestions_alone_are_reviewed(pool, tmp_path):
    pool.content = None
    pool.masks = pool.files
    content, reviewed, tasks = written(
        tmp_path, pool, suspicion('mask', SURE, image=1), suspicion('mask', 0.1, image=1)
    )
    assert len(content['annotations']) == 2
    assert [ann['id'] for ann in reviewed['annotations']] == [1]
    assert [len(task['predictions'][0]['result']) for task in tasks] == [1]


PARTS = [[10, 10, 20, 10, 20, 20, 10, 20], [30, 30, 40, 30, 40, 50], [60, 5, 90, 5, 75, 40]]


def shapes_of(tasks):
    """What the only prediction of the only task contains: type and points in pixels."""
    ((prediction,),) = (task['predictions'] for task in tasks)
    return [
        (each['type'], np.reshape(each['value'].get('points', ()), (-1, 2)) * (0.96, 0.64))
        for each in prediction['result']
    ]


@pytest.mark.parametrize('count', [1, 2, 3])
def test_label_studio_gets_an_object_of_several_parts_as_one_polygon(pool, tmp_path, count):
    pool.content['annotations'][2]['segmentation'] = PARTS[:count]
    _, _, tasks = written(tmp_path, pool, suspicion('spurious', 0.1, image=1, key='key 3'))
    ((shape, points),) = shapes_of(tasks)
    assert shape == 'polygonlabels'
    drawn = to_mask([points.ravel().tolist()], 64, 96)
    assert (drawn == to_mask(PARTS[:count], 64, 96)).all()


def test_label_studio_gets_each_outline_of_a_region_of_a_mask(pool, tmp_path):
    pool.content = None
    pool.masks = pool.files
    outlines = tuple(map(tuple, PARTS))
    _, _, tasks = written(tmp_path, pool, suspicion('mask', SURE, image=1, outlines=outlines))
    assert [points.ravel().tolist() for _, points in shapes_of(tasks)] == [
        pytest.approx(part) for part in PARTS
    ]


@pytest.mark.parametrize(
    'unusable',
    [{'size': [64, 96], 'counts': [64 * 96]}, [[1, 2, 3, 4, 5, 6, 7]], [[]], [['1', '2']], 'text'],
)
def test_label_studio_gets_the_box_of_a_label_without_a_usable_outline(pool, tmp_path, unusable):
    pool.content['annotations'][2]['segmentation'] = unusable
    _, _, tasks = written(tmp_path, pool, suspicion('spurious', 0.1, image=1, key='key 3'))
    assert [shape for shape, _ in shapes_of(tasks)] == ['rectanglelabels']


def test_label_studio_gets_run_lengths_as_a_polygon(pool, tmp_path):
    runs = {'size': [64, 96], 'counts': [0, 64 * 10, 64 * 86]}  # the first ten columns
    pool.content['annotations'][2]['segmentation'] = runs
    _, _, tasks = written(tmp_path, pool, suspicion('spurious', 0.1, image=1, key='key 3'))
    ((shape, points),) = shapes_of(tasks)
    assert shape == 'polygonlabels'
    assert to_mask([points.ravel().tolist()], 64, 96)[:, :10].all()


def test_the_area_of_a_suggestion_is_that_of_its_outline(pool, tmp_path):
    content, _, _ = written(tmp_path, pool, suspicion('missing', 0.9, outlines=(PARTS[0],)))
    assert content['annotations'][0]['area'] == 100
