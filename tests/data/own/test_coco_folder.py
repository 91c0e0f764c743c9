"""Finding COCO's annotation files, their pictures and classes below a folder."""

import pytest

from vitbackbones.data.own.coco_folder import completed, find_classes, find_parts
from vitbackbones.errors import InputError

from .folders import CATEGORIES, coco, one_file, roboflow, write


def test_one_file_is_split_by_the_names_of_its_pictures(tmp_path):
    parts = find_parts(one_file(tmp_path, 40))
    assert parts.keys() == {'train', 'val', 'test'}
    names = [name for part in parts.values() for name in part.names]  # none is in two
    assert sorted(names) == sorted(f'{i}.jpg' for i in range(40))
    for part in parts.values():
        assert (part.images, part.whole) == (tmp_path / 'pictures', False)
        ids = {entry['id'] for entry in part.content['images']}
        assert {entry['image_id'] for entry in part.content['annotations']} == ids


def test_a_folder_for_each_split(tmp_path):
    parts = find_parts(roboflow(tmp_path))
    folders = {split: part.images.name for split, part in parts.items()}
    assert folders == {'train': 'train', 'val': 'valid', 'test': 'test'}
    assert find_classes(parts) == ['cat', 'dog']  # in the order of the file, without 'animals'


def test_the_layout_of_coco_itself(tmp_path):
    files = {'annotations/captions_train2017.json': '{', 'train2017/0.jpg': None}
    for split in ('train', 'val'):
        files |= {f'annotations/instances_{split}2017.json': coco(['0.jpg'])}
        files |= {f'{split}2017/0.jpg': None}
    parts = find_parts(write(tmp_path, files))
    assert [part.images.name for part in parts.values()] == ['train2017', 'val2017']
    assert all(part.whole for part in parts.values())


@pytest.mark.parametrize(
    ('written', 'place'),
    [
        (r'images\{}', 'images'),  # Label Studio on Windows
        ('images/{}', 'photos'),  # its names without its folder
        ('../../label-studio/data/media/upload/1/{}', 'images'),
        ('default/{}', 'images/default'),  # CVAT
    ],
)
def test_folders_in_names_of_pictures_that_are_elsewhere(tmp_path, written, place):
    names = [f'{i:02}-a b.jpg' for i in range(4)]
    write(tmp_path, {f'{place}/{name}': None for name in names})
    write(tmp_path, {'result.json': coco([written.format(name) for name in names])})
    for part in find_parts(tmp_path).values():
        assert all((part.images / e['file_name']).is_file() for e in part.content['images'])


def test_what_exports_lack_is_added_and_nothing_else_changes():
    content = coco(['0.jpg', '1.jpg'])
    assert completed(content, ['dog', 'cat']) == content
    first, second = content['annotations']
    first['id'] = 0
    del second['area'], second['iscrowd']
    changed = completed(content, ['cat', 'dog'])
    assert changed['categories'] == CATEGORIES[::-1]
    assert changed['annotations'] == [{**first, 'id': 3}, {**second, 'area': 200, 'iscrowd': 0}]
    second['bbox'] = [0, 0, 'x', 9**9]  # a check names it later
    assert 'area' not in completed(content, ['dog'])['annotations'][1]


@pytest.mark.parametrize(
    ('files', 'message'),
    [
        ({}, r"no annotation file in COCO's format .* docs/own_data.md"),
        (
            {'0.json': '{"shapes": []}'},
            'labelme, one for each picture: vitbackbones import labelme ',
        ),
        ({'a/0.xml': '<annotation/>'}, r'vitbackbones import voc .* OUT, then --data-root OUT'),
        ({'test.json': coco(['0.jpg'])}, r'test\.json is for test, and no annotation file'),
        ({'a.json': coco(['0.jpg']), 'b.json': coco(['1.jpg'])}, r'several .* a\.json, b\.json'),
        ({'a.json': coco(['0.jpg', '1.jpg'])}, r"its images \('0.jpg', '1.jpg'\) are not in"),
        (
            {'a.json': coco(['0.jpg', '1.jpg']), 'x/0.jpg': None, 'y/1.jpg': None},
            r'in several folders, .*x, .*y\. Move',
        ),
        ({'a.json': coco(['0.jpg']), '0.jpg': None}, 'one picture cannot be split'),
    ],
)
def test_what_cannot_be_found_is_one_message(tmp_path, files, message):
    with pytest.raises(InputError, match=message):
        find_parts(write(tmp_path, files))


@pytest.mark.parametrize(
    ('part', 'key', 'value'), [('annotations', 'category_id', [1]), ('images', 'id', None)]
)
def test_values_of_other_types_are_named(tmp_path, part, key, value):
    content = coco(['0.jpg'], CATEGORIES[:1])
    content[part][0] = {**content[part][0], key: value}
    write(tmp_path, {'a.json': content, '0.jpg': None})
    with pytest.raises(InputError, match=rf'a\.json: {part}\[0\]: \'{key}\' is '):
        find_parts(tmp_path)


def test_an_id_that_is_used_twice_is_found_before_a_file_is_split(tmp_path):
    content = coco(['0.jpg', '1.jpg'])
    content['images'] = [{**entry, 'id': 5} for entry in content['images']]
    write(tmp_path, {'a.json': content})
    with pytest.raises(InputError, match=r"a.json: ids used more than once in 'images'"):
        find_parts(tmp_path)
