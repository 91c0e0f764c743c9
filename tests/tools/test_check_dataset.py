"""The check of all files of a data set, as a user calls it."""

import shutil

import cv2
import numpy as np
import pytest

from .conftest import TINY

pytestmark = pytest.mark.compat


@pytest.fixture
def copy(data, tmp_path):
    return shutil.copytree(data, tmp_path / 'spoilt')


def test_a_good_detection_data_set(tool, data):
    result = tool('check_dataset', TINY, '--data-root', data, '--workers', 1)
    assert result.status == 0, result.err
    assert 'train_dataloader.dataset: 8 samples, 8 images' in result.out
    assert '12 files, all can be read' in result.out  # val and test are the same four


def test_bad_images_are_listed(tool, copy):
    bad = sorted((copy / 'images' / 'train').iterdir())[2:4]
    for image in bad:
        image.write_bytes(image.read_bytes()[:100])
    result = tool('check_dataset', TINY, '--data-root', copy, '--workers', 2)
    assert result.status == 2
    assert all(f'image file {image}: truncated' in result.out for image in bad)
    assert 'error: 2 faults in 12 files, see above' in result.err


def test_bad_annotations(tool, copy):
    (copy / 'annotations' / 'instances_val.json').write_text('{')
    result = tool('check_dataset', TINY, '--data-root', copy, '--workers', 1)
    assert result.status == 2
    assert 'instances_val.json: malformed JSON' in result.err


FOLDERS = """
default_scope = 'mmpretrain'
custom_imports = dict(imports=['vitbackbones'])
data_root = 'pets'
train_dataloader = dict(
    dataset=dict(type='CustomDataset', data_root=data_root, data_prefix='train', pipeline=[])
)
"""
MAPS = """
default_scope = 'mmseg'
custom_imports = dict(imports=['vitbackbones'])
data_root = 'roads'
train_dataloader = dict(
    dataset=dict(
        type='BaseSegDataset',
        data_root=data_root,
        metainfo=dict(classes=('road', 'sky')),
        data_prefix=dict(img_path='images', seg_map_path='maps'),
        pipeline=[],
    )
)
"""


def pictures(folder, count, suffix):
    folder.mkdir(parents=True)
    for i in range(count):
        cv2.imwrite(str(folder / f'{i}{suffix}'), np.full((8, 8, 3), i, np.uint8))


def test_class_folders(tool, tmp_path):
    for name in ('cat', 'dog'):
        pictures(tmp_path / 'pets' / 'train' / name, 2, '.jpg')
    (tmp_path / 'run.py').write_text(FOLDERS)
    result = tool('check_dataset', 'run.py', '--workers', 1)
    assert '4 files, all can be read' in result.out
    (tmp_path / 'pets' / 'train' / 'dog' / '1.jpg').write_bytes(b'no image')
    assert 'dog/1.jpg: ' in tool('check_dataset', 'run.py', '--workers', 1).out


def test_a_strip_that_cannot_be_resized(tool, tmp_path):
    pictures(tmp_path / 'pets' / 'train' / 'cat', 2, '.jpg')
    cv2.imwrite(str(tmp_path / 'pets/train/cat/1.png'), np.zeros((1, 500, 3), np.uint8))
    step = "pipeline=[dict(type='Resize', scale=(64, 64), keep_ratio=True)]"
    (tmp_path / 'run.py').write_text(FOLDERS.replace('pipeline=[]', step))
    result = tool('check_dataset', 'run.py', '--workers', 1)
    assert 'cat/1.png: its 500 x 1 pixels leave nothing of the short side' in result.out
    assert 'error: 1 faults in 3 files, see above' in result.err


def test_an_empty_class_folder(tool, tmp_path):
    pictures(tmp_path / 'pets' / 'train' / 'cat', 1, '.jpg')
    (tmp_path / 'pets' / 'train' / 'dog').mkdir()
    (tmp_path / 'run.py').write_text(FOLDERS)
    result = tool('check_dataset', 'run.py', '--workers', 1)
    assert result.status == 2
    assert "no image in the class folders 'dog'" in result.err


def test_label_maps(tool, tmp_path):
    pictures(tmp_path / 'roads' / 'images', 3, '.jpg')
    maps = tmp_path / 'roads' / 'maps'
    pictures(maps, 3, '.png')
    for path in maps.iterdir():
        cv2.imwrite(str(path), cv2.imread(str(path))[..., 0] * 0)  # class 0 everywhere
    (tmp_path / 'run.py').write_text(MAPS)
    result = tool('check_dataset', 'run.py', '--workers', 1)
    assert '3 images, 3 label maps' in result.out
    (maps / '1.png').write_bytes(b'')
    result = tool('check_dataset', 'run.py', '--workers', 1)
    assert result.status == 2
    assert 'maps/1.png' in result.out + result.err
