"""All labeled pictures of a folder, and parts of them."""

import json
import os
from hashlib import sha256

import numpy as np
import pytest
from PIL import Image

from vitbackbones.data.own.pool import Pool, find_pool
from vitbackbones.errors import InputError

from .folders import CATEGORIES, coco, write


@pytest.mark.parametrize('kind', ['pictures', 'masks'])
def test_a_pipe_is_not_waited_for(tmp_path, kind):
    os.mkfifo(tmp_path / 'a.png')
    files = {kind: [tmp_path / 'a.png']}
    with pytest.raises(InputError, match='a.png: not a regular file. Replace it with a good copy'):
        Pool(tmp_path, files.get('pictures', []), [None], ['cat'], masks=files.get('masks', []))


def boxes(root, split='train', names=('a.jpg', 'b.jpg', 'c.jpg')):
    """A folder of three pictures: a dog, a cat, and a dog."""
    pictures = {f'{split}/{name}': None for name in names}
    return write(root, {f'{split}/annotations.json': coco(names), **pictures})


def test_a_pool_of_boxes_counts_pictures_classes_and_labels_anew(tmp_path):
    content = coco(['d.jpg'], CATEGORIES[::-1], segmentation=[[1, 2, 3, 4, 5, 6]])
    write(boxes(tmp_path), {'val/annotations.json': content, 'val/d.jpg': None})
    pool = find_pool(tmp_path)
    names = ['train/a.jpg', 'train/b.jpg', 'train/c.jpg', 'val/d.jpg']
    assert pool.files == [tmp_path / name for name in names]
    assert pool.splits == ['train', 'train', 'train', 'val']
    assert (pool.classes, pool.masks) == (['dog', 'cat'], [])
    images = pool.content['images']
    assert [(each['id'], each['file_name'], each['width']) for each in images] == [
        (row, f'00000{row}.png', 64) for row in range(4)
    ]
    assert pool.content['categories'] == [{'id': 0, 'name': 'dog'}, {'id': 1, 'name': 'cat'}]
    keys = ('id', 'label_id', 'image_id', 'category_id')
    assert [tuple(each[key] for key in keys) for each in pool.content['annotations']] == [
        *((1, 1, 0, 0), (2, 2, 1, 1), (3, 3, 2, 0), (4, 1, 3, 1)),
    ]
    polygons = [each['segmentation'] for each in pool.content['annotations']]
    assert polygons == [[], [], [], [[1, 2, 3, 4, 5, 6]]]
    assert {row: len(labels) for row, labels in pool.labels.items()} == dict.fromkeys(range(4), 1)


def test_no_split_where_all_is_for_testing_or_nothing_names_one(tmp_path):
    assert find_pool(boxes(tmp_path / 'a', 'test')).splits == [None] * 3
    assert find_pool(boxes(tmp_path / 'b', 'val')).splits == ['val'] * 3


def test_the_rarest_class_of_a_picture_and_the_digest_of_its_labels(tmp_path):
    def pool(*anns):
        content = {'annotations': [dict(zip(keys, ann, strict=True)) for ann in anns]}
        return Pool(tmp_path, [tmp_path / str(row) for row in range(4)], [None] * 4, ['a'], content)

    keys = ('image_id', 'category_id', 'bbox')
    box, other = [1, 2, 3, 4], [1, 2, 3, 5]
    some = pool((0, 5, box), (0, 7, box), (1, 5, box), (2, 5, box), (2, 9, box))
    assert some.rarest() == [7, 5, 9, -1]
    assert pool((0, 5, box), (0, 3, box)).rarest() == [3, -1, -1, -1]
    digests = [some.digest(row) for row in range(4)]
    assert len({*digests}) == 4
    assert pool((1, 7, box), (1, 5, box)).digest(1) == digests[0]  # in any order
    assert pool((0, 5, box), (0, 7, other)).digest(0) != digests[0]


@pytest.fixture
def masks(tmp_path):
    """A folder of three pictures and masks of two classes in it."""
    root = tmp_path / 'masks'
    write(root, {f'images/{name}.jpg': None for name in 'abc'})
    (root / 'masks').mkdir()
    for value, name in enumerate('abc'):
        mask = np.zeros((8, 8), np.uint8)
        mask[2:6, 2:6] = value
        Image.fromarray(mask).save(root / 'masks' / f'{name}.png')
    return root


def test_a_pool_of_masks(masks, tmp_path):
    pool = find_pool(masks)
    assert [file.stem for file in pool.files] == [file.stem for file in pool.masks]
    assert sorted(file.name for file in pool.masks) == ['a.png', 'b.png', 'c.png']
    assert pool.splits == [None] * 3
    assert (pool.content, [*pool.values]) == (None, [*range(256)])
    assert pool.classes == ['class 0', 'class 1', 'class 2']
    assert pool.labels == {0: [], 1: [], 2: []}
    assert pool.digest(1) == sha256(pool.masks[1].read_bytes()).hexdigest()
    (masks / 'classes.txt').write_text('ground\nroad\nsky\n')
    named = find_pool(masks)
    assert named.classes == ['ground', 'road', 'sky']
    named.write_part(tmp_path / 'part', tmp_path / 'linked', {'train': [2]})
    assert (tmp_path / 'part' / 'classes.txt').read_text() == 'ground\nroad\nsky\n'


def test_values_of_masks_from_one_or_by_numbers(masks):
    for name in 'abc':
        mask = np.array(Image.open(masks / 'masks' / f'{name}.png'))
        Image.fromarray(mask + 1).save(masks / 'masks' / f'{name}.png')
    assert [*find_pool(masks).values] == [*range(1, 256)]
    (masks / 'classes.txt').write_text('1: ground\n2: road\n3: sky\n')
    assert find_pool(masks).values == (1, 2, 3)


@pytest.mark.parametrize(('folder', 'split'), [('test', None), ('val', 'val')])
def test_the_split_that_a_folder_of_masks_names(masks, folder, split):
    (masks / folder).mkdir()
    for kind in ('images', 'masks'):
        (masks / kind).rename(masks / folder / kind)
    assert {*find_pool(masks).splits} == {split}


def test_what_is_neither_boxes_nor_masks_is_one_message(tmp_path):
    with pytest.raises(InputError, match='COCO.*--masks'):
        find_pool(tmp_path)


def test_a_part_holds_links_and_annotations_of_its_pictures(tmp_path):
    pool = find_pool(boxes(tmp_path / 'data'))
    linked, part = tmp_path / 'linked', tmp_path / 'part'
    for _ in range(2):  # again makes no difference
        pool.link(linked)
        pool.write_part(part, linked, {'train': [0, 2], 'val': [1]})
    assert (linked / 'images' / '000001.png').resolve() == tmp_path / 'data/train/b.jpg'
    assert sorted(file.name for file in linked.iterdir()) == ['images']
    assert (part / 'images').resolve() == linked / 'images'
    assert not (part / 'masks').is_symlink()
    train, val = (
        json.loads((part / 'annotations' / f'instances_{split}.json').read_text())
        for split in ('train', 'val')
    )
    assert [each['id'] for each in train['images']] == [0, 2]
    assert [each['image_id'] for each in val['annotations']] == [1]
    assert len(train['categories']) == len(val['categories']) == 2


def test_a_part_of_masks_holds_lists_of_its_pictures(masks, tmp_path):
    pool = find_pool(masks)
    linked, part = tmp_path / 'linked', tmp_path / 'part'
    pool.link(linked)
    pool.write_part(part, linked, {'train': [0, 2], 'val': [1]})
    assert (linked / 'masks' / '000002.png').resolve() == pool.masks[2]
    assert (part / 'masks').resolve() == linked / 'masks'
    lists = part / 'ImageSets' / 'Segmentation'
    assert (lists / 'train.txt').read_text() == '000000\n000002\n'
    assert (lists / 'val.txt').read_text() == '000001\n'
    assert [*(part / 'annotations').iterdir()] == []
