"""An annotation file is read as a whole or refused by name, and two files are compared."""

import copy
import json
import re
import tracemalloc

import pytest

from vitbackbones.data.checks import json_lists
from vitbackbones.data.checks.coco_file import check_references, differences, read_coco
from vitbackbones.data.checks.segmentations import outlines
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
    assert [*categories['id']] == [3, 7]
    assert categories['name'] == ['cat', 'dog']


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
    assert f"ids used more than once in '{part}': {first}. Give" in refused(tmp_path, content)


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


@pytest.mark.parametrize('part', ['images', 'annotations'])
def test_numbers_of_any_length_are_no_ids(tmp_path, content, part):
    """Multiples of 2^61 - 1 have one hash in Python, which makes a table of them slow."""
    content[part][1]['id'] = 2**63
    text = refused(tmp_path, content)
    assert f"{part}[1]: 'id' is {2**63}; it must be of type int or str, with at most 63" in text
    content[part][1]['id'] = -(2**63) + 1
    assert len(read_coco(write(tmp_path / 'a.json', content))) == 3


def test_unknown_ids_are_looked_at_once():
    class Watched(list):
        walks = 0

        def __iter__(self):
            Watched.walks += 1
            return super().__iter__()

    annotations = {'id': [*range(50)], 'image_id': [*range(1000, 1050)]}
    with pytest.raises(InputError, match=r'the image_id of 50 annotations \(ids 0, 1, 2'):
        check_references('a.json', annotations, 'image_id', Watched(range(50)))
    assert Watched.walks <= 3


def test_pieces_of_a_list_are_one_table(tmp_path, content, monkeypatch):
    monkeypatch.setattr(json_lists, 'PIECE', 2)
    monkeypatch.setattr(json_lists, 'CHUNK', 7)
    whole = read_coco(
        write(tmp_path / 'a.json', content), keep_masks=lambda masks: {'masks': masks}
    )
    assert [*whole[1]['id']] == [1, 2, 3]
    assert whole[1]['masks'] == [None] * 3
    assert whole[1]['bbox'].tolist() == [each['bbox'] for each in content['annotations']]
    content['annotations'][2]['area'] = 'large'
    assert "annotations[2]: 'area' is 'large'" in refused(tmp_path, content)


def test_an_annotation_takes_few_bytes_of_memory(tmp_path):
    number = 5000
    ring = [round(value * 1.01, 2) for value in range(40)]
    crowd = {'size': [480, 640], 'counts': [300] * 400}
    annotations = [
        {
            'id': i,
            'image_id': i,
            'category_id': 1,
            'bbox': [i * 1.01, 2, 3, 4],
            'area': i * 1.01,
            'iscrowd': 0,
            'segmentation': crowd if i % 100 == 0 else [ring],
        }
        for i in range(1000, 1000 + number)
    ]
    images = [{'id': 1, 'file_name': 'a.jpg', 'width': 640, 'height': 480}]
    content = {'images': images, 'annotations': annotations, 'categories': GOOD['categories']}
    file = write(tmp_path / 'a.json', content)
    read_coco(file, outlines)  # what is imported or compiled once does not count
    tracemalloc.start()
    tables = read_coco(file, outlines)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(tables[1]['id']) == number
    assert kept / number < 250  # bytes; lists of Python numbers take 350


def test_ids_of_which_some_are_texts_stay_apart(tmp_path, content, monkeypatch):
    monkeypatch.setattr(json_lists, 'PIECE', 1)
    monkeypatch.setattr(json_lists, 'SPAN', 1)
    content['annotations'][1]['id'] = '1'
    _, annotations, _ = read_coco(write(tmp_path / 'a.json', content))
    assert [*annotations['id']] == [1, '1', 3]
    content['annotations'][2]['id'] = '1'
    assert "ids used more than once in 'annotations': '1'" in refused(tmp_path, content)
