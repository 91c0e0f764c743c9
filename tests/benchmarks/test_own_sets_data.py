"""The images that own_sets draws."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from benchmarks.own_sets_data import RealSet, shuffled
from vitbackbones.data.own.coco_folder import find_parts
from vitbackbones.errors import InputError

from .sets import box, content, entry, write_set

ROOT = Path(__file__).parents[2]


def names(found, n, seed=0):
    return [found.pool.files[row].name for row in found.draw(n, seed)]


def test_fewer_images_are_among_more(tmp_path):
    found = RealSet(write_set(tmp_path / 'set', content(30), content(3)), tmp_path / 'work')
    few, more = names(found, 10), names(found, 25)
    assert len({*few}) == 10
    assert more[:10] == few


def test_each_seed_draws_other_images(tmp_path):
    found = RealSet(write_set(tmp_path / 'set', content(30), content(3)), tmp_path / 'work')
    assert len({tuple(names(found, 10, seed)) for seed in range(3)}) == 3


def test_a_draw_depends_on_the_names_alone(tmp_path):
    train = content(30)
    backwards = {key: entries[::-1] for key, entries in train.items()}
    drawn = [
        names(
            RealSet(write_set(tmp_path / str(i) / 'set', each, content(3)), tmp_path / 'work'), 10
        )
        for i, each in enumerate((train, backwards))
    ]
    assert drawn[0] == drawn[1]


def test_an_image_that_is_added_changes_the_order_of_no_others():
    before = shuffled(['a', 'b', 'c', 'd'], 0)
    after = shuffled(['d', 'new', 'c', 'b', 'a'], 0)
    assert [name for name in after if name != 'new'] == before


def test_another_process_draws_the_same():
    code = 'from benchmarks.own_sets_data import shuffled; print(*shuffled("abcdef", 3))'
    given = {'capture_output': True, 'text': True, 'cwd': ROOT, 'env': {'PYTHONHASHSEED': '7'}}
    done = subprocess.run([sys.executable, '-c', code], **given)
    assert done.stdout.split() == shuffled('abcdef', 3)


def test_images_without_labels_are_not_drawn(tmp_path):
    train = content(6)
    train['annotations'][0]['iscrowd'] = 1
    train['annotations'][1]['bbox'] = [8, 8, 0, 24]
    del train['annotations'][2]
    found = RealSet(write_set(tmp_path / 'set', train, content(2)), tmp_path / 'work')
    assert sorted(names(found, 10)) == ['003.jpg', '004.jpg', '005.jpg']


def test_an_image_that_is_listed_twice_is_one(tmp_path):
    train = content(3)
    train['images'].append(entry(99, '001.jpg'))
    train['annotations'].append(box(99, 99, 1))
    found = RealSet(write_set(tmp_path / 'set', train, content(2)), tmp_path / 'work')
    assert sorted(names(found, 9)) == ['000.jpg', '001.jpg', '002.jpg']


def test_a_validation_image_is_not_drawn(tmp_path):
    root = write_set(tmp_path / 'set', content(4), content(2))
    (root / 'train').rename(root / 'images')  # of both splits
    shutil.rmtree(root / 'val')
    found = RealSet(root, tmp_path / 'work')
    assert sorted(names(found, 9)) == ['002.jpg', '003.jpg']


def test_a_class_that_was_not_drawn_keeps_its_place(tmp_path):
    train = content(4, ('a', 'b', 'c'))
    train['annotations'] = [each | {'category_id': 3} for each in train['annotations']]
    val = content(3, ('a', 'b', 'c'))
    found = RealSet(write_set(tmp_path / 'set', train, val), tmp_path / 'work')
    written = json.loads((found.write(2, 0) / 'annotations/instances_train.json').read_text())
    assert [each['name'] for each in written['categories']] == ['a', 'b', 'c']
    assert {each['category_id'] for each in written['annotations']} == {2}


def test_a_written_folder_has_the_drawn_images_and_all_for_validation(tmp_path):
    root = write_set(tmp_path / 'set', content(30), content(3))
    before = sorted(root.rglob('*'))
    found = RealSet(root, tmp_path / 'work')
    parts = find_parts(found.write(10, 0))
    assert len(parts['train'].names) == 10
    assert len(parts['val'].names) == 3
    files = {(parts['train'].images / name).resolve() for name in parts['train'].names}
    assert files == {found.pool.files[row] for row in found.draw(10, 0)}
    assert sorted(root.rglob('*')) == before


def test_a_set_without_validation_images_is_divided(tmp_path):
    root = write_set(tmp_path / 'set', content(40), content(2))
    (root / 'val.json').rename(root / 'test.json')
    (root / 'val').rename(root / 'test')
    found = RealSet(root, tmp_path / 'work')
    assert 3 < len(found.val) < 15
    assert len(found.val) + len(found.drawable) == 40
    assert {*found.val}.isdisjoint(found.drawable.values())
    parts = find_parts(found.write(10, 0))
    assert (len(parts['train'].names), len(parts['val'].names)) == (10, len(found.val))


def test_a_set_of_one_image_is_refused(tmp_path):
    root = write_set(tmp_path / 'set', content(1), content(2))
    (root / 'val.json').unlink()
    with pytest.raises(InputError, match='no labeled images for training.*train.json and val.json'):
        RealSet(root, tmp_path / 'work')


def test_a_set_whose_validation_images_have_no_labels_is_refused(tmp_path):
    root = write_set(tmp_path / 'set', content(4), content(2) | {'annotations': []})
    with pytest.raises(InputError, match='set: has no labeled images for validation'):
        RealSet(root, tmp_path / 'work')


def test_a_set_that_lacks_images_is_refused(tmp_path):
    root = write_set(tmp_path / 'set', content(4), content(2))
    (root / 'train' / '002.jpg').unlink()
    with pytest.raises(InputError, match='set: images are missing: train/002.jpg. Add them'):
        RealSet(root, tmp_path / 'work')


def test_ids_may_be_text_on_both_sides(tmp_path):
    train = content(4)
    for image, ann in zip(train['images'], train['annotations'], strict=True):
        image['id'] = ann['image_id'] = str(image['id'])
    found = RealSet(write_set(tmp_path / 'set', train, content(2)), tmp_path / 'work')
    written = json.loads((found.write(2, 0) / 'annotations/instances_train.json').read_text())
    ids = {image['id'] for image in written['images']}
    assert {ann['image_id'] for ann in written['annotations']} == ids
    train['images'] = content(4)['images']
    with pytest.raises(InputError, match='write a number in both places, not text'):
        RealSet(write_set(tmp_path / 'set', train, content(2)), tmp_path / 'work')


def test_a_category_that_no_label_uses_is_no_class(tmp_path):
    train = content(4)
    train['categories'].insert(0, {'id': 0, 'name': 'root'})
    found = RealSet(write_set(tmp_path / 'set', train, content(2)), tmp_path / 'work')
    assert found.pool.classes == ['a', 'b']


def test_images_with_masks_are_drawn_too(tmp_path):
    root = tmp_path / 'set'
    for row in range(8):
        split = 'val' if row < 2 else 'train'
        for kind, mode in (('images', 'RGB'), ('masks', 'L')):
            (root / kind / split).mkdir(parents=True, exist_ok=True)
            pixels = np.full((48, 64), row % 2, np.uint8)
            Image.fromarray(pixels).convert(mode).save(root / kind / split / f'{row}.png')
    found = RealSet(root, tmp_path / 'work')
    assert found.kind == 'masks'
    folder = found.write(3, 0)
    lists = [folder / 'ImageSets' / 'Segmentation' / f'{split}.txt' for split in ('train', 'val')]
    assert [len(file.read_text().split()) for file in lists] == [3, 2]
