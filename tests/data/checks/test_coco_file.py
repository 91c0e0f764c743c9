"""An annotation file is read as a whole or refused by name, and two files are compared."""

import json
import os

import pytest

from vitbackbones.data.checks.coco import check_coco
from vitbackbones.data.checks.coco_file import COLUMNS, differences, read_coco
from vitbackbones.errors import InputError

from .coco_data import CLASSES, GOOD, Data

BOX = {'image_id': 1, 'category_id': 3, 'bbox': [0, 0, 9, 9], 'area': 81, 'iscrowd': 0}
SMALL = {
    'images': [{'id': i, 'file_name': f'{i}.jpg', 'width': 40, 'height': 30} for i in (1, 2)],
    'annotations': [{'id': 1, **BOX}, {'id': 2, **BOX, 'ignore': 1}],
    'categories': [{'id': 3, 'name': 'cat'}, {'id': 7, 'name': 'dog'}],
}
HUGE = 10**400  # larger than any float


@pytest.fixture
def data(tmp_path):
    return Data(tmp_path)


@pytest.fixture
def content():
    return json.loads(json.dumps(SMALL))


def write(path, content):
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return str(path)


def refused(path, content):
    with pytest.raises(InputError) as caught:
        read_coco(write(path / 'a.json', content))
    assert str(caught.value).startswith(f'{path}/a.json: ')
    return str(caught.value)


def test_the_columns_of_a_good_file(tmp_path, content):
    images, annotations, categories = read_coco(write(tmp_path / 'a.json', content))
    assert images['file_name'] == ['1.jpg', '2.jpg']
    assert annotations['iscrowd'] == [0, 0]
    assert annotations['ignore'] == [None, 1]
    assert categories == {'id': [3, 7], 'name': ['cat', 'dog']}


@pytest.mark.parametrize('start', ['', '{"images": '])
def test_lists_without_end(tmp_path, start):
    text = start + '[' * 200_000
    assert 'malformed JSON: lists or objects nested too deeply' in refused(tmp_path, text)


def test_a_number_of_thousands_of_digits(tmp_path, content):
    text = json.dumps(content).replace('"width": 40', '"width": ' + '4' * 5000)
    assert 'malformed JSON: a number of thousands of digits' in refused(tmp_path, text)


@pytest.mark.parametrize('value', [float('nan'), float('inf'), HUGE], ids=['nan', 'inf', 'huge'])
@pytest.mark.parametrize(('part', 'key'), [('images', 'width'), ('annotations', 'area')])
def test_numbers_are_finite(tmp_path, content, part, key, value):
    content[part][1][key] = value
    text = refused(tmp_path, content)
    assert f"{part}[1]: '{key}' is " in text
    assert text.endswith('it must be of type int or float and finite.')
    assert len(text) < 300 + len(str(tmp_path))


@pytest.mark.parametrize('value', [HUGE, float('inf')], ids=['huge', 'inf'])
def test_boxes_are_finite(tmp_path, content, value):
    content['annotations'][1]['bbox'][2] = value
    assert 'annotation 2: bbox is [0, 0, ' in refused(tmp_path, content)


def differing(tmp_path, content):
    return differences(write(tmp_path / 'a.json', SMALL), write(tmp_path / 'b.json', content))


def test_form_and_order_make_no_difference(tmp_path, content):
    content['images'].reverse()
    content['annotations'].reverse()
    content['info'] = {'year': 2020}
    assert differing(tmp_path, content) == []


def test_other_boxes_and_images_do(tmp_path, content):
    content['annotations'][0]['bbox'] = [0, 0, 9, 8]
    assert differing(tmp_path, content) == ['annotations']
    content['images'][0]['file_name'] = 'x.jpg'
    assert differing(tmp_path, content) == ['images', 'annotations']


def test_the_order_of_categories_does(tmp_path, content):
    content['categories'].reverse()
    assert differing(tmp_path, content) == ['categories or their order']


# ---------------------------------------------------------------------------- of a data set


def test_missing_file(data):
    with pytest.raises(InputError, match='annotation file not found: .*nowhere.json'):
        check_coco(str(data.root / 'nowhere.json'), str(data.folder), CLASSES)


def test_a_folder_or_a_pipe_in_place_of_the_file(data):
    os.mkfifo(data.root / 'pipe')
    for place in (data.folder, data.root / 'pipe'):
        with pytest.raises(InputError, match=f'annotation file {place}: not a regular file'):
            check_coco(str(place), str(data.folder), CLASSES)


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


@pytest.mark.parametrize(('part', 'key'), [(part, key) for part in GOOD for key in COLUMNS[part]])
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
