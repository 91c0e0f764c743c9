"""An annotation file is read as a whole or refused by name, and two files are compared."""

import copy
import json
import re

import pytest

from vitbackbones.data.checks.coco_file import differences, read_coco
from vitbackbones.errors import InputError

from .coco_data import GOOD

NAN = float('nan')  # which json reads and writes


@pytest.fixture
def content():
    return copy.deepcopy(GOOD)


def write(path, content):
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return str(path)


def refused(folder, content):
    with pytest.raises(InputError) as caught:
        read_coco(write(folder / 'a.json', content))
    text = str(caught.value)
    assert text.startswith(f'{folder}/a.json: ')
    assert len(text) < 300 + len(str(folder))
    return text


def test_the_columns_of_a_good_file(tmp_path, content):
    content['annotations'][1]['ignore'] = 1
    images, annotations, categories = read_coco(write(tmp_path / 'a.json', content))
    assert images['file_name'] == ['a.jpg', 'sub/b.jpg']
    assert annotations['ignore'] == [None, 1, None]
    assert categories == {'id': [3, 7], 'name': ['cat', 'dog']}


def test_a_file_that_is_missing_or_no_regular_file(tmp_path):
    for name, message in {'none': 'file not found: .*none', '.': 'not a regular file'}.items():
        with pytest.raises(InputError, match=message):
            read_coco(str(tmp_path / name))


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('{"images": [],\n "annotations": [,]}', 'malformed JSON: .* line 2 column 18'),
        ('[' * 200_000, 'malformed JSON: maximum recursion depth exceeded'),
        ('[1, 2, 3]', 'A COCO file for detection is an object'),
    ],
    ids=['a comma', 'lists without end', 'a list'],
)
def test_what_is_no_json_of_coco(tmp_path, text, message):
    assert re.search(message, refused(tmp_path, text))


@pytest.mark.parametrize('part', GOOD)
def test_a_list_that_is_missing_empty_or_of_another_kind(tmp_path, content, part):
    for value in (None, [1]):
        text = refused(tmp_path, {**content, part: value})
        assert f'{part!r} is missing or not a list of objects' in text
    assert f'the list {part!r} is empty' in refused(tmp_path, {**content, part: []})
    content[part][1]['id'] = first = content[part][0]['id']
    assert f"ids used more than once in '{part}': {first}." in refused(tmp_path, content)


@pytest.mark.parametrize(('part', 'key'), [('images', 'file_name'), ('annotations', 'area')])
def test_missing_keys_and_wrong_types_are_named(tmp_path, content, part, key):
    content[part][1][key] = None
    assert f"{part}[1]: '{key}' is None" in refused(tmp_path, content)
    del content[part][1][key]
    assert f"{part}[1]: '{key}' is missing" in refused(tmp_path, content)


@pytest.mark.parametrize(
    'box', [[1, 2, 3], [1, 2, 3, '4'], [1, 2, 3, NAN], [1, 2, 3, 10**400]], ids=range(4)
)
def test_a_box_is_four_finite_numbers(tmp_path, content, box):
    content['annotations'][1]['bbox'] = box
    text = refused(tmp_path, content)
    assert 'annotation 2: bbox is [' in text
    assert 'it must be four numbers, [x, y, width, height] in pixels.' in text


def test_files_that_differ(tmp_path, content):
    def differing():
        return differences(write(tmp_path / 'a.json', GOOD), write(tmp_path / 'b.json', content))

    content['info'] = {'year': 2020}  # makes no difference
    assert differing() == []
    content['annotations'][0]['bbox'] = [0, 0, 9, 8]
    assert differing() == ['annotations']
    content['images'][0]['file_name'] = 'x.jpg'
    assert differing() == ['images', 'annotations']
    content['categories'].reverse()
    assert differing() == ['images', 'annotations', 'categories']
