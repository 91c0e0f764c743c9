"""Splits of YOLO data sets that lists of pictures name, as data.yaml, darknet and CVAT do it."""

import pytest

from vitbackbones.errors import InputError
from vitbackbones.importing.notes import Notes
from vitbackbones.importing.yolo import read_yolo

from .forms import picture, yolo

BOX = '0 0.5 0.5 0.25 0.2\n'


def splits(root, notes=None):
    """Return the split of each picture that is read, by its name."""
    notes = notes or Notes()
    pictures, _ = read_yolo(root, notes)
    assert notes.faults == []
    return {each.path.stem: each.split for each in pictures}


def test_lists_in_data_yaml(tmp_path):
    root = yolo(tmp_path, dict.fromkeys('abcd', BOX), split='all')
    (root / 'data.yaml').write_text('path: ../x\ntrain: ../x/train.txt\nval: v.txt\nnames: [cat]\n')
    (root / 'train.txt').write_text('./images/all/a.png\n/home/me/x/images/all/b.png\n\n')
    (root / 'v.txt').write_text('images\\all\\c.png\r\nimages/all/a.png\n')
    notes = Notes()
    assert splits(root, notes) == {'a': 'train', 'b': 'train', 'c': 'val'}
    (line,) = notes.lines()
    assert line.startswith('pictures that no list of splits names, left out: 1 (')


def test_lists_without_data_yaml_as_darknet_and_cvat_write_them(tmp_path):
    for name in 'ab':
        picture(tmp_path / 'obj_train_data' / f'{name}.png')
        (tmp_path / 'obj_train_data' / f'{name}.txt').write_text(BOX)
    (tmp_path / 'obj.names').write_text('cat\n')
    (tmp_path / 'train.txt').write_text('data/obj_train_data/a.png\n')
    (tmp_path / 'valid.txt').write_text('data/obj_train_data/b.png\n')
    assert splits(tmp_path) == {'a': 'train', 'b': 'val'}


def test_a_list_reaches_nothing_outside_of_the_folder(tmp_path):
    outside = picture(tmp_path / 'x' / 'images' / 'z.png')
    root = yolo(tmp_path / 'in', {'a': BOX, 'b': BOX})
    (root / 'data.yaml').write_text(f'train: train.txt\nval: {tmp_path}/x/v.txt\nnames: [cat]\n')
    (root / 'train.txt').write_text(
        f'{outside}\n../x/images/z.png\nimages/train/a.png\nother/b.png'
    )
    (tmp_path / 'x' / 'v.txt').write_text('images/train/b.png\n')
    notes = Notes()
    assert splits(root, notes) == {'a': 'train'}
    unknown, strange, unlisted = notes.lines()
    assert f'not followed: 3 ({root}/train.txt, line 1: {outside}, ' in unknown
    assert 'x/v.txt)' in strange
    assert unlisted.endswith(f': 1 ({root}/images/train/b.png)')


def test_a_name_that_means_two_pictures_is_refused(tmp_path):
    root = yolo(tmp_path, {'a': BOX})
    yolo(root, {'a': BOX}, split='val')
    (root / 'data.yaml').write_text('train: train.txt\nnames: [cat]\n')
    (root / 'train.txt').write_text('a.png\n')
    with pytest.raises(InputError, match=r'train\.txt, line 1: there are several pictures'):
        read_yolo(root, Notes())
    (root / 'train.txt').write_text('val/a.png\n')
    assert splits(root) == {'a': 'train'}


def test_the_labels_of_a_picture_called_train_are_no_list(tmp_path):
    picture(tmp_path / 'train.png')
    (tmp_path / 'train.txt').write_text(BOX)
    (tmp_path / 'classes.txt').write_text('cat\n')
    assert splits(tmp_path) == {'train': None}
