"""The form of YOLO: boxes and outlines in parts of the picture."""

import pytest

from vitbackbones.errors import InputError
from vitbackbones.importing.notes import Notes
from vitbackbones.importing.yolo import read_yolo

from .forms import picture, yolo

BOX = '0 0.5 0.5 0.25 0.2\n'


def test_boxes_outlines_and_pictures_without_objects(tmp_path):
    outline = '1 0.1 0.1 0.5 0.1 0.5 0.6\n'
    root = yolo(tmp_path, {'a': BOX + outline, 'b': '', 'c': None})
    notes = Notes()
    pictures, names = read_yolo(root, notes)
    assert (names, notes.faults) == (['cat', 'dog'], [])
    box, shape = pictures[0].things
    assert (box.name, box.box, box.polygon) == ('cat', (15, 12, 10, 6), ())
    assert (shape.name, shape.box) == ('dog', (4, 3, 16, 15))
    assert shape.polygon == (4, 3, 20, 3, 20, 18)
    assert [each.things for each in pictures[1:]] == [{}, {}]
    assert [line.partition(' (')[0] for line in notes.lines()] == [
        'pictures without a label file, taken as without objects: 1'
    ]
    assert {each.split for each in pictures} == {'train'}


def test_paths_of_another_machine_name_the_splits(tmp_path):
    root = yolo(tmp_path, {'a': BOX}, split='set_a')
    yolo(root, {'b': BOX}, split='set_b')
    text = 'train: ../../x/images/set_a\nval: [/set_b]\nnames: {0: cat, 1: dog}\n'
    (root / 'data.yaml').write_text(text.replace('../../x/', '../'))
    notes = Notes()
    pictures, names = read_yolo(root, notes)
    assert [each.split for each in pictures] == ['train', None]
    assert names == ['cat', 'dog']
    assert notes.lines() == [
        'paths of splits in data.yaml that are neither a folder nor a list here, not followed: 1 '
        '(set_b)'
    ]


def test_a_folder_that_trains_and_validates_is_for_training(tmp_path):
    root = yolo(tmp_path, {'a': BOX})
    text = 'path: .\ntrain: images/train\nval: images/train\nnames: [cat]\n'
    (root / 'data.yaml').write_text(text)
    ((read,), _) = read_yolo(root, Notes())
    assert read.split == 'train'


def test_names_in_a_text_file_and_labels_beside_the_pictures(tmp_path):
    picture(tmp_path / 'train_1.png')
    (tmp_path / 'train_1.txt').write_text(BOX)
    (tmp_path / 'classes.txt').write_text('cat\ndog\n')
    ((read,), names) = read_yolo(tmp_path, Notes())
    assert ([thing.name for thing in read.things], names) == (['cat'], ['cat', 'dog'])


def test_key_points_are_left_out(tmp_path):
    root = yolo(tmp_path, {'a': f'{BOX.strip()} 0.1 0.1 2 0.2 0.2 2'})
    with open(root / 'data.yaml', 'a') as file:
        file.write('kpt_shape: [2, 3]\n')
    ((read,), _) = read_yolo(root, Notes())
    assert [thing.box for thing in read.things] == [(15, 12, 10, 6)]


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('2 0.5 0.5 0.2 0.2', r"line 1: has the class 2, but there are 2 classes, 0 to 1 \('cat'"),
        (f'{BOX}\n-1 0.5 0.5 0.2 0.2', 'line 3: has the class -1'),
        ('0.5 0.5 0.5 0.2 0.2', r'line 1: has the class 0\.5'),
        ('0 0.5 0.5 0.2', 'line 1: has 4 numbers'),
        ('0 0.5 0.5 0.2 0.2 0.9', 'line 1: has 6 numbers.* confidences'),
        ('0 20 15 10 10', 'line 1: the coordinate 600 is far outside'),
        ('cat 0.5 0.5 0.2 0.2', "line 1: 'cat 0.5 0.5 0.2 0.2' are not numbers"),
        ('0 inf 0.5 0.2 0.2', 'line 1: the coordinate inf is far outside'),
    ],
)
def test_one_bad_line_is_named_with_its_file(tmp_path, text, message):
    root = yolo(tmp_path, {'a': text, 'b': BOX})
    notes = Notes()
    pictures, _ = read_yolo(root, notes)
    assert [each.path.stem for each in pictures] == ['b']
    with pytest.raises(InputError, match=rf'labels/train/a\.txt, {message}'):
        raise InputError(*notes.faults)


def test_a_label_file_without_a_picture(tmp_path):
    root = yolo(tmp_path, {'a': BOX})
    (root / 'labels' / 'train' / 'b.txt').write_text(BOX)
    (root / 'README.txt').write_text('cells')
    notes = Notes()
    read_yolo(root, notes)
    (fault,) = notes.faults
    assert 'labels/train/b.txt: there is no picture of this name' in fault


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('names: !!python/object/apply:os.system ["touch run"]', 'not a YAML file'),
        ('names: 3', 'names in data.yaml is 3'),
        ('names: {0: a, 2: b}', 'names in data.yaml is'),
        ('a: [', 'not a YAML file'),
        ('names: [a]\nnc: !!int ""', 'not a YAML file'),
        ('a: &a [x, x]\nnames: [*a, *a]', r'not a YAML file.*aliases \(\*name\)'),
        ('nc: 2', 'nothing names the classes'),
    ],
)
def test_a_yaml_file_runs_nothing_and_must_name_the_classes(tmp_path, monkeypatch, text, message):
    monkeypatch.chdir(tmp_path)
    root = yolo(tmp_path, {'a': BOX})
    (root / 'data.yaml').write_text(text)
    with pytest.raises(InputError, match=message):
        read_yolo(root, Notes())
    assert not (tmp_path / 'run').exists()
