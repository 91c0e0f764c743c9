"""Finding COCO's annotation files, their pictures and classes below a folder."""

import os
from pathlib import Path

import pytest
from PIL import Image

from vitbackbones.data.own.coco_folder import (
    CocoPart,
    completed,
    find_classes,
    find_parts,
    measurable,
    of_pictures,
    used_names,
)
from vitbackbones.errors import InputError

from .folders import CATEGORIES, coco, one_file, roboflow, write

TWICE = [{'id': 1, 'name': 'a'}, {'id': 2, 'name': 'a'}]


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
        ('/home/me/data/images/cam0/{}', 'images/cam0'),
        ('/data/local-files/?d=set/{}', 'images'),
        ('{}', 'Images'),
        ('{}', 'images/Train/Data'),  # CVAT with images and subsets
    ],
)
def test_folders_in_names_of_pictures_that_are_elsewhere(tmp_path, written, place):
    names = [f'{i:02}-a b.jpg' for i in range(4)]
    write(tmp_path, {f'{place}/{name}': None for name in names})
    write(tmp_path, {'result.json': coco([written.format(name) for name in names])})
    for part in find_parts(tmp_path).values():
        assert all((part.images / e['file_name']).is_file() for e in part.content['images'])


def test_a_split_without_images_is_no_split(tmp_path, capsys):
    names = [f'{i}.jpg' for i in range(10)]
    write(tmp_path, {'train/a.json': coco(names), 'valid/a.json': coco([])})
    write(tmp_path, {f'train/{name}': None for name in names})
    parts = find_parts(tmp_path)
    assert {'train', 'val'} <= parts.keys()
    assert 'valid/a.json: has no images, so the file is skipped' in capsys.readouterr().err
    assert {part.file.parent.name for part in parts.values()} == {'train'}


def test_text_for_the_numbers_of_a_box_is_read_as_numbers(tmp_path, capsys):
    content = coco(['0.jpg', '1.jpg'])
    content['annotations'][0]['bbox'] = [1, 2, '10.5000', '4']
    write(tmp_path, {'train.json': content, '0.jpg': None, '1.jpg': None})
    parts = find_parts(tmp_path).values()
    boxes = {each['id']: each['bbox'] for part in parts for each in part.content['annotations']}
    assert boxes[content['annotations'][0]['id']] == [1, 2, 10.5, 4]
    assert all(part.changed for part in parts)
    assert '1 boxes contain text' in capsys.readouterr().err


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
        (
            {'a.json': coco(['0.jpg', '1.jpg'], image_id='0')},
            r"image_id .* '0'\. .* number in both",
        ),
        (
            {'a.json': coco(['0.jpg', '1.jpg'], image_id=9)},
            r": 9\. Add them to 'images', or remove",
        ),
        ({'a.json': coco(['0.jpg', '1.jpg'], image_id=2)}, r'ids may be shifted by one\.$'),
        (
            {'a.json': coco(['0.jpg', '1.jpg'], category_id=5)},
            r"of 2 ann.*: 5\. Add .* 'categories'",
        ),
        ({'a.json': coco(['0.jpg'], [{'id': 1, 'name': ' '}])}, 'has an empty name'),
        ({'a.json': coco(['0.jpg', '1.jpg'], TWICE)}, r"names are used more than once: 'a'\. Give"),
        ({}, r'no annotation file in COCO format .* docs/own_data.md'),
        ({'a.csv': 'filename'}, r'a\.csv\. .* docs/faq\.md shows how to write a COCO file\.$'),
        (
            {'a.PNG': None},
            'each object a number, convert them with vitbackbones import masks .* --instances',
        ),
        (
            {'0.json': '{"a": []}', '_annotations.csv': 'filename,class,xmin', 'a.tfrecord': 'x'},
            r'Of another format: 0\.json, _annotations\.csv, a\.tfrecord\. ',
        ),
        (
            {'project.json': '[{"data": {}, "annotations": [{"original_width": 8}]}]'},
            'project.json seems to be a file of Label Studio; in Label Studio, export in COCO',
        ),
        ({'0.json': '{"shapes": []}'}, r'but \.json files\. .* vitbackbones import labelme .* OUT'),
        (
            {'captions.json': {'images': [], 'annotations': [{'caption': 'a cat'}]}},
            'captions.json is in COCO format, but has no categories.',
        ),
        ({'a/0.xml': '<annotation/>'}, r'vitbackbones import voc .* OUT, then use --data-root OUT'),
        ({'a/0.xml': '<annotations></annotations>'}, r'vitbackbones import cvat .* OUT, then use'),
        ({'a.txt': '0 0.5 0.5 0.2 0.2'}, r'but \.txt files\. .* vitbackbones import yolo .* OUT'),
        ({'gt/gt.txt': '1,1,20,10,4,8,1,1,1'}, r'no annotation file .* in it or below\. docs/own'),
        (
            {'a.json': {**coco(['0.jpg']), 'annotations': [{'image_id': 0, 'segments_info': []}]}},
            r"'id' is missing; .* This looks like a panoptic file; give the file of instances",
        ),
        ({'test.json': coco(['0.jpg'])}, r'test\.json is for test, and no annotation file'),
        ({'a.json': coco(['0.jpg']), 'b.json': coco(['1.jpg'])}, r'several .* a\.json, b\.json'),
        ({'a.json': coco(['0.jpg', '1.jpg'])}, r"its images \('0.jpg', '1.jpg'\) are not in"),
        (
            {'a.json': coco(['0.jpg', '1.jpg']), 'x/0.jpg': None, 'y/1.jpg': None},
            r'in several folders: .*x, .*y\. Move',
        ),
        ({'a.json': coco(['0.jpg']), '0.jpg': None}, 'one image cannot be split'),
    ],
)
def test_what_cannot_be_found_is_one_message(tmp_path, files, message):
    with pytest.raises(InputError, match=message):
        find_parts(write(tmp_path, files))


def test_a_file_beside_the_folder_of_images_is_named(tmp_path):
    write(tmp_path, {'labels.json': coco(['0.jpg', '1.jpg']), 'images/0.jpg': None})
    with pytest.raises(InputError, match=rf'{tmp_path} contains labels\.json\. If this is'):
        find_parts(tmp_path / 'images')


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


@pytest.mark.parametrize(
    ('told', 'disk'),
    [
        ('IMG_{}.jpg', 'IMG_{}.JPG'),
        ('photo_{}.JPEG', 'Photo_{}.jpeg'),
        ('/data/local-files/?d=p/my%20photo%20{}.jpg', 'my photo {}.jpg'),
        ('upload/Stra%C3%9Fe-{}.jpg', 'Stra\u00dfe-{}.jpg'),
        ('u\u0308ber-{}.jpg', '\u00fcber-{}.jpg'),  # as macOS writes it
        ('https://host/data/upload/1/a%2Bb-{}.jpg', 'a+b-{}.jpg'),
        ('upload/camera.1.{}', 'camera.1.{}.jpg'),  # as Labelbox writes it
    ],
)
def test_other_spellings_of_names_are_found(tmp_path, told, disk):
    write(tmp_path, {f'images/{disk.format(i)}': None for i in range(30)})
    write(tmp_path, {'result.json': coco([told.format(i) for i in range(30)])})
    parts = find_parts(tmp_path)
    names = [name for part in parts.values() for name in part.names]
    assert sorted(names) == sorted(disk.format(i) for i in range(30))
    assert all(part.changed for part in parts.values())


def test_a_name_that_is_there_is_not_taken_for_another_spelling(tmp_path):
    write(tmp_path, {'a.jpg': None, 'A.jpg': None, 'b.jpg': None})
    write(tmp_path, {'result.json': coco(['a.jpg', 'A.jpg', 'B.jpg'])})
    names = {name for part in find_parts(tmp_path).values() for name in part.names}
    assert names == {'a.jpg', 'A.jpg', 'b.jpg'}


@pytest.mark.parametrize(
    ('told', 'disk'),
    [
        (['0.jpg', '1.jpg'], ['0.jpg.jpg', '1.jpg.png']),  # such as drawings of these
        (['0', '1'], ['0.jpg', '0.png', '1.jpg', '1.png']),
        (['0', '1'], ['0.txt', '1.txt']),
    ],
)
def test_a_name_without_a_suffix_means_one_image(tmp_path, told, disk):
    write(tmp_path, {'result.json': coco(told), **dict.fromkeys(disk)})
    with pytest.raises(InputError, match=r'its images \(.* are not in'):
        find_parts(tmp_path)


def test_a_mark_of_windows_before_json_is_skipped(tmp_path):
    root = one_file(tmp_path)
    file = root / 'result.json'
    file.write_text('\ufeff' + file.read_text(), 'utf-8')
    assert find_parts(root)['train'].file == file


def test_the_root_category_of_an_exporter_gives_way_to_the_class_of_its_name(tmp_path):
    categories = [{'id': 0, 'name': 'dog'}, {'id': 9, 'name': 'cow'}, *CATEGORIES]
    content = coco(['0.jpg', '1.jpg'])
    write(tmp_path, {'a.json': content | {'categories': categories}, '0.jpg': None, '1.jpg': None})
    parts = find_parts(tmp_path)
    assert all(part.content['categories'] == categories[1:] for part in parts.values())
    assert all(part.changed for part in parts.values())
    assert find_classes(parts) == ['dog', 'cat']


def test_splits_of_our_own_have_objects_each(tmp_path):
    names = [f'{i:03}.jpg' for i in range(60)]
    write(tmp_path, dict.fromkeys(names))
    for labeled in (names[:2], names[5:8], names[-4:], names):
        boxes = [e for e in coco(names)['annotations'] if names[e['image_id']] in labeled]
        boxes[0] |= {'bbox': [0, 0, 0, 0]} if len(boxes) > 2 else {}
        write(tmp_path, {'a.json': coco(names) | {'annotations': boxes}})
        parts = find_parts(tmp_path)
        counts = [len(part.content['annotations']) for part in parts.values()]
        assert all(part.labeled for part in parts.values())
        assert sum(counts) == len(labeled)
        assert sum(len(part.names) for part in parts.values()) == 60
    write(tmp_path, {'a.json': coco(names) | {'annotations': boxes[-1:]}})
    with pytest.raises(InputError, match='only one image has objects'):
        find_parts(tmp_path)


@pytest.mark.parametrize('kind', ['backup', 'equal', 'sizes'])
def test_pictures_in_two_folders_of_which_one_is_meant(tmp_path, capsys, kind):
    other = {'backup': 'images_backup', 'equal': 'jpg', 'sizes': 'half'}[kind]
    for folder, width in (('images', 64), (other, 32 if kind == 'sizes' else 64)):
        (tmp_path / folder).mkdir()
        for i in range(4):
            Image.new('RGB', (width, 48)).save(tmp_path / folder / f'{i}.png')
    if kind == 'backup':
        Image.new('RGB', (64, 48), 'red').save(tmp_path / other / '0.png')
    write(tmp_path, {'a.json': coco([f'{i}.png' for i in range(4)])})
    assert {part.images.name for part in find_parts(tmp_path).values()} == {'images'}
    assert ('read from' in capsys.readouterr().err) == (kind != 'backup')


def test_pictures_of_equal_sizes_and_times_are_compared_by_their_content(tmp_path):
    for folder, color in (('a', 'red'), ('b', 'lime')):
        (tmp_path / folder).mkdir()
        for i in range(4):
            file = tmp_path / folder / f'{i}.bmp'
            Image.new('RGB', (64, 48), color).save(file)
            os.utime(file, (1, 1))
    write(tmp_path, {'a.json': coco([f'{i}.bmp' for i in range(4)])})
    with pytest.raises(InputError, match='several folders'):
        find_parts(tmp_path)


def test_a_folder_of_pictures_that_cannot_be_read_is_not_the_one(tmp_path):
    for i in range(4):
        write(tmp_path, {f'damaged/{i}.png': None})
        (tmp_path / 'images').mkdir(exist_ok=True)
        Image.new('RGB', (64, 48)).save(tmp_path / 'images' / f'{i}.png')
    write(tmp_path, {'a.json': coco([f'{i}.png' for i in range(4)])})
    assert {part.images.name for part in find_parts(tmp_path).values()} == {'images'}


def part(split, **changes):
    """A part of two pictures; annotations have these changes."""
    return CocoPart(
        Path(f'{split}.json'), coco([f'{split}0.jpg', f'{split}1.jpg'], **changes), Path()
    )


@pytest.mark.parametrize(
    ('changes', 'counts'),
    [
        ({}, True),
        ({'bbox': [0, 0, 1, 1]}, True),
        ({'bbox': [0.5, 0.5, 0.9, 5]}, False),
        ({'bbox': [5, 5, 5, 0]}, False),
        ({'bbox': [0, 0, 'x', 5]}, True),  # a check names it
        ({'bbox': None}, True),
        ({'iscrowd': 1}, False),
    ],
)
def test_objects_that_count(changes, counts):
    assert part('train', **changes).labeled == ({'train0.jpg', 'train1.jpg'} if counts else set())


def test_a_part_of_a_part_holds_what_belongs_to_its_pictures():
    whole = part('train')
    assert (whole.whole, whole.changed) == (True, False)
    assert whole.names == ['train0.jpg', 'train1.jpg']
    half = whole.only({'train1.jpg', 'other.jpg'})
    assert (half.names, half.whole, half.images) == (['train1.jpg'], False, whole.images)
    assert [each['image_id'] for each in half.content['annotations']] == [1]
    assert half.content['categories'] == CATEGORIES
    assert of_pictures(whole.content, {0, 1}) == whole.content


SPLITS = ('train', 'val', 'test')
CROWDS, THIN = {'iscrowd': 1}, {'bbox': [0, 0, 0, 0]}


def test_a_part_for_testing_without_objects_is_done_without(capsys):
    parts = {'train': part('train'), 'val': part('val'), 'test': part('test', **THIN)}
    assert measurable(parts).keys() == {'train', 'val'}
    assert 'test.json: no image for test' in capsys.readouterr().err
    sound = parts | {'test': part('test')}
    assert measurable(sound) == measurable(sound, testing=True) == sound
    assert capsys.readouterr().err == ''
    unlabeled = {'train': part('train', **THIN), 'val': part('val')}
    assert measurable(unlabeled) == unlabeled


@pytest.mark.parametrize(
    ('bare', 'testing', 'message'),
    [
        ('val', False, 'val.json: no image for val has'),
        ('test', True, 'test.json: no image for test has'),
        ('val', True, None),
    ],
)
def test_a_part_that_measures_must_have_objects(bare, testing, message):
    parts = {split: part(split, **(THIN if split == bare else {})) for split in SPLITS}
    if message is None:
        assert measurable(parts, testing) == parts
        return
    with pytest.raises(InputError, match=f'^{message}.* nothing can be measured'):
        measurable(parts, testing)


def test_validation_must_have_objects_where_it_is_what_tests():
    parts = {'train': part('train'), 'val': part('val', **THIN)}
    with pytest.raises(InputError, match='no image for val'):
        measurable(parts, testing=True)


def test_no_object_at_all_is_named():
    with pytest.raises(InputError, match='train.json, val.json: no image has an object'):
        measurable({split: part(split, **THIN) for split in ('train', 'val')})
    with pytest.raises(InputError, match='^val.json'):
        measurable({'train': part('train'), 'val': part('val', **CROWDS)})


def test_what_is_changed_is_known(tmp_path):
    content = coco(['c.jpg', 'd.jpg'])
    write(
        tmp_path / 'c', {'train.json': content, 'val.json': content, 'c.jpg': None, 'd.jpg': None}
    )
    assert [each.changed for each in find_parts(tmp_path / 'c').values()] == [False, False]
    folders = coco(['x/c.jpg', 'x/d.jpg'])
    write(tmp_path / 'c', {'train.json': folders})
    assert [each.changed for each in find_parts(tmp_path / 'c').values()] == [True, False]


def test_nothing_has_to_be_for_training_of_a_model_that_is_trained(tmp_path):
    write(tmp_path, {'test.json': coco(['0.jpg', '1.jpg']), '0.jpg': None, '1.jpg': None})
    assert find_parts(tmp_path, trained_on=[]).keys() == {'test'}
    with pytest.raises(InputError, match='is for test'):
        find_parts(tmp_path)


def test_classes_are_those_that_annotations_use_in_the_order_of_the_first_file():
    train, val = part('train'), part('val')
    third = [*CATEGORIES, {'id': 9, 'name': 'ant'}]
    val.content['categories'] = [{'id': 8, 'name': 'owl'}, *third[::-1]]
    val.content['annotations'][0]['category_id'] = 8
    train.content['categories'] = third
    assert used_names(train.content) == ['dog', 'cat']
    assert find_classes({'train': train, 'val': val}) == ['dog', 'cat', 'owl']
    train.content['annotations'] = val.content['annotations'] = []
    with pytest.raises(InputError, match='no annotation uses a category'):
        find_classes({'train': train, 'val': val})


def test_links_to_what_is_gone_are_named(tmp_path):
    root = one_file(tmp_path / 'own', 3)
    for i in range(3):
        (root / f'pictures/{i}.jpg').unlink()
        (root / f'pictures/{i}.jpg').symlink_to(tmp_path / f'moved/{i}.jpg')
    with pytest.raises(InputError, match=r'to .*moved/.\.jpg, which no longer exists. .*--copy'):
        find_parts(root)
