"""The form of YOLO: boxes and outlines in parts of the picture."""

import re

import pytest

from vitbackbones.data.importing.source import Source
from vitbackbones.data.importing.yolo import read_yolo
from vitbackbones.errors import InputError

from .forms import picture, yolo

BOX = '0 0.5 0.5 0.25 0.2\n'


def read(root):
    """Return the pictures, and what was changed with the number of places."""
    source = Source(root)
    pictures, _ = read_yolo(source)
    assert source.faults == []
    return pictures, {what: len(places) for what, places in source.changes.items()}


def test_boxes_outlines_and_pictures_without_objects(tmp_path):
    outline = '1 0.1 0.1 0.5 0.1 0.5 0.6\n'
    pictures, changes = read(yolo(tmp_path, {'a': BOX + outline, 'b': '', 'c': None}))
    box, shape = pictures[0].objects
    assert (box['name'], box['bbox'], box['segmentation']) == ('cat', [15, 12, 10, 6], [])
    assert (shape['name'], shape['bbox']) == ('dog', [4, 3, 16, 15])
    assert (shape['segmentation'], shape['area']) == ([[4, 3, 20, 3, 20, 18]], 120)
    assert [each.objects for each in pictures[1:]] == [[], []]
    assert changes == {'pictures without a label file, taken as without objects': 1}
    assert {each.split for each in pictures} == {'train'}


def test_splits_are_folders_and_what_says_another_thing_is_named(tmp_path):
    root = yolo(tmp_path, {'a': BOX}, split='set_a')
    yolo(root, {'b': BOX}, split='valid')
    text = 'train: ../x/images/set_a\nval: [images/valid]\ntest:\nnames: {1: dog, 0: cat}\n'
    (root / 'data.yaml').write_text(text)
    (root / 'train.txt').write_text('images/set_a/a.png\n')
    pictures, changes = read(root)
    assert [each.split for each in pictures] == [None, 'val']
    assert changes == {
        'splits in data.yaml, not followed': 1,
        'lists of pictures, not followed; splits are folders': 1,
    }


def test_names_in_a_text_file_and_labels_beside_the_pictures(tmp_path):
    picture(tmp_path / 'train.png')
    (tmp_path / 'train.txt').write_text(BOX)
    for name in ('classes.txt', 'labels.txt'):
        (tmp_path / name).write_text('cat\ndog\n')
    (tmp_path / 'README.txt').write_text('cells')
    (only,), changes = read(tmp_path)
    assert ([entry['name'] for entry in only.objects], changes) == (['cat'], {})
    (tmp_path / 'labels.txt').write_text('dog\ncat\n')
    with pytest.raises(InputError, match='several files name the classes'):
        read(tmp_path)


def test_key_points_are_left_out(tmp_path):
    root = yolo(tmp_path, {'a': f'{BOX.strip()} 0.1 0.1 0.2 0.2 0.3 0.3'})
    with open(root / 'data.yaml', 'a') as file:
        file.write('kpt_shape: [3, 2]\n')
    (only,), changes = read(root)
    assert [entry['bbox'] for entry in only.objects] == [[15, 12, 10, 6]]
    assert changes == {'key points, left out': 1}


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('2 0.5 0.5 0.2 0.2', r"line 1: has the class 2, but there are 2 classes, 0 to 1 \('cat'"),
        (f'{BOX}\n-1 0.5 0.5 0.2 0.2', 'line 3: has the class -1'),
        ('0 0.5 0.5 0.2', 'line 1: has 4 numbers'),
        ('0 0.5 0.5 0.2 0.2 0.9', 'line 1: has 6 numbers.* confidences'),
        ('0 20 15 10 10', 'line 1: the coordinate 600 is far outside'),
        ('cat 0.5 0.5 0.2 0.2', "line 1: 'cat 0.5 0.5 0.2 0.2' are not numbers"),
    ],
)
def test_one_bad_line_is_named_with_its_file(tmp_path, text, message):
    root = yolo(tmp_path, {'a': text, 'b': BOX})
    source = Source(root)
    pictures, _ = read_yolo(source)
    assert [each.path.stem for each in pictures] == ['b']
    assert re.search(rf'labels/train/a\.txt, {message}', *source.faults)


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('names: !!python/object/apply:os.system ["touch run"]', 'not a YAML file'),
        ('names: 3', 'must be a list of different names'),
        ('', 'nothing names the classes'),
    ],
)
def test_a_yaml_file_runs_nothing_and_must_name_the_classes(tmp_path, monkeypatch, text, message):
    monkeypatch.chdir(tmp_path)
    root = yolo(tmp_path, {'a': BOX})
    (root / 'data.yaml').write_text(text)
    with pytest.raises(InputError, match=message):
        read_yolo(Source(root))
    assert not (tmp_path / 'run').exists()
