"""The form of YOLO: boxes and outlines in parts of the picture."""

import re

import pytest

from vitbackbones.errors import InputError
from vitbackbones.importing.source import Source
from vitbackbones.importing.yolo import read_yolo
from vitbackbones.importing.yolo_settings import folder_of

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
    assert changes == {'images without a label file, taken to have no objects': 1}
    assert {each.split for each in pictures} == {'train'}


def test_a_yaml_file_leads_to_the_pictures_of_each_split(tmp_path):
    root = yolo(tmp_path, {'a': BOX}, split='set_a')
    yolo(root, {'b': BOX}, split='valid')
    yolo(root, {'c': BOX}, split='set_b_old')
    text = 'train: ../x/images/set_a\nval: [images/valid, gone]\ntest:\nnames: {1: dog, 0: cat}\n'
    (root / 'data.yaml').write_text(text)
    (root / 'train.txt').write_text('images/set_a/a.png\n')
    pictures, changes = read(root)
    assert [each.split for each in pictures] == ['train', 'val']
    assert changes == {
        'splits and lines of lists that lead to no image here': 1,
        'lists of images, not used': 1,
        'images that no list or YAML file leads to, left out': 1,
        'annotation files of images that are left out': 1,
    }


@pytest.mark.parametrize(
    ('settings', 'splits'),
    [
        ('train: images/x\nval: images/y', ['train', 'val']),
        ('train: ./images/x/\nval: images\\y', ['train', 'val']),
        ('path: /content/set\ntrain: images/x\nval: /content/set/images/y', ['train', 'val']),
        ('path: ../in\ntrain: images/x\nval: images/y', ['train', 'val']),
        (r'path: C:\set' + '\ntrain: images/x\ntest: images/y', ['train', 'test']),
        ('train: [images/x]\nvalidation: [images/y]', ['train', 'val']),
        ('train: [images/x, images/y]', [None, None]),  # training holds out a part
        ('train: .\nval: images/y', ['train', 'train']),
        ('train: images/x\nval: images/z', [None]),
        ('train: images/z\nval: images/y', [None, 'val']),
        ('train: lists/1.txt\nval: lists/2.txt', ['train', 'val']),
        ('train: null\nval: ~', [None, None]),
        ('train: {a: b}\nval: 3', [None, None]),
    ],
)
def test_ways_to_name_a_split(tmp_path, settings, splits):
    root = yolo(tmp_path / 'in', {'a': BOX}, split='x')
    yolo(root, {'b': BOX}, split='y')
    (root / 'lists').mkdir()
    (root / 'lists' / '1.txt').write_text('/content/set/images/x/a.png\n\n')
    (root / 'lists' / '2.txt').write_text('data\\images\\y\\b.png\nimages/y/gone.png\n')
    (root / 'data.yaml').write_text(f'{settings}\nnames: [cat, dog]\n')
    pictures, _ = read(root)
    assert [each.split for each in pictures] == splits


def test_a_split_that_no_yaml_file_names_is_taken_by_its_folder(tmp_path):
    root = yolo(tmp_path, {'a': BOX})
    yolo(root, {'b': BOX, 'c': None}, split='test')
    yolo(root, {'d': None}, split='val')
    (root / 'data.yaml').write_text('train: images/train\nnames: [cat, dog]\n')
    pictures, changes = read(root)
    assert [(each.path.stem, each.split) for each in pictures] == [
        ('b', 'test'),
        ('c', 'test'),
        ('a', 'train'),
    ]
    note = 'images in folders without any label file, left out'
    assert changes[f'{note} (an empty file means that there are no objects)'] == 1


def test_darknets_files_and_lists_without_settings(tmp_path):
    for name in 'ab':
        picture(tmp_path / 'obj' / f'{name}.png')
        (tmp_path / 'obj' / f'{name}.txt').write_text(BOX)
        (tmp_path / f'{"train" if name == "a" else "valid"}.txt').write_text(
            f'data/obj/{name}.png\n'
        )
    (tmp_path / 'obj.names').write_text('cat\ndog\n')
    pictures, changes = read(tmp_path)
    assert ([each.split for each in pictures], changes) == (['train', 'val'], {})
    (tmp_path / 'fold2').mkdir()
    (tmp_path / 'fold2' / 'train.txt').write_text('obj/b.png\n')
    pictures, changes = read(tmp_path)  # which of the lists is meant is not clear
    assert [each.split for each in pictures] == [None, None]
    assert changes == {'lists of images, not used': 3}
    (tmp_path / 'fold2' / 'train.txt').unlink()
    text = 'classes = 2\ntrain = data/valid.txt\nnames = data/obj.names\nbackup = backup/\n'
    (tmp_path / 'obj.data').write_text(text)
    pictures, changes = read(tmp_path)
    assert [each.path.stem for each in pictures] == ['b']
    assert changes['lists of images, not used'] == 1


@pytest.mark.parametrize(('text', 'is_other'), [('cat\n dog', False), ('dog\ncat', True)])
def test_other_names_than_those_of_the_yaml_file_are_said(tmp_path, text, is_other):
    root = yolo(tmp_path, {'a': BOX})
    (root / 'classes.txt').write_text(text)
    (only,), changes = read(root)
    assert [entry['name'] for entry in only.objects] == ['cat']
    assert ('text files with other names than data.yaml, not used' in changes) == is_other


@pytest.mark.parametrize('name', ['_darknet.labels', 'voc.names', 'class_names.txt'])
def test_files_of_names_by_other_tools(tmp_path, name):
    root = yolo(tmp_path, {'a': BOX})
    (root / 'data.yaml').unlink()
    (root / 'images' / name).write_text('ant\nbee\n')
    _, names = read_yolo(Source(root))
    assert names == ['ant', 'bee']


def test_names_in_a_text_file_and_labels_beside_the_pictures(tmp_path):
    picture(tmp_path / 'train.png')
    (tmp_path / 'train.txt').write_text(BOX)
    for name in ('classes.txt', 'labels.txt'):
        (tmp_path / name).write_text('cat\ndog\n')
    (tmp_path / 'README.txt').write_text('cells')
    (only,), changes = read(tmp_path)
    assert ([entry['name'] for entry in only.objects], changes) == (['cat'], {})
    (tmp_path / 'labels.txt').write_text('cat\n')  # LabelImg adds names as they come
    (only,), changes = read(tmp_path)
    assert ([entry['name'] for entry in only.objects], changes) == (['cat'], {})
    (tmp_path / 'labels.txt').write_text('dog\ncat\n')
    with pytest.raises(InputError, match='name different classes. Import each.* --names cat dog'):
        read(tmp_path)


@pytest.mark.parametrize(
    ('names', 'read_as'),
    [
        ('[no, yes]', ['no', 'yes']),
        ('[010, 1_000]', ['010', '1_000']),
        ('[12:30, 1e3]', ['12:30', '1e3']),
        ('[0.5, 2024-01-01]', ['0.5', '2024-01-01']),
        ('[~, null]', ['~', 'null']),
        ('[0x1F, .inf]', ['0x1F', '.inf']),
        ('[True, " off "]', ['True', 'off']),
        ("{'1': dog, '0': cat}", ['cat', 'dog']),
        ('{0: y, 1: n}', ['y', 'n']),
        ('\n- !!str 1\n- =', ['1', '=']),
        ('lists/names.txt', ['no', 'on']),
    ],
)
def test_names_are_read_as_they_are_written(tmp_path, names, read_as):
    root = yolo(tmp_path, {'a': f'{BOX}1 0.5 0.5 0.5 0.5'})
    (root / 'lists').mkdir()
    (root / 'lists' / 'names.txt').write_text('no\non\n')
    (root / 'data.yaml').write_text(f'nc: 2\nnames: {names}\n')
    (only,), changes = read(root)
    assert [entry['name'] for entry in only.objects] == read_as
    assert not any('nc ' in what for what in changes)
    (root / 'data.yaml').write_text(f'nc: 80\nnames: {names}\n')
    assert read(root)[1]['nc that differs from the number of names, not used'] == 1


def test_of_several_yaml_files_that_which_leads_to_the_pictures_counts(tmp_path):
    root = yolo(tmp_path, {'a': BOX})
    for name, text in {
        'runs/args.yaml': 'task: detect\nmodel: small.pt\nval: true\n',
        'code/hyp.yaml': 'lr0: 0.01\n',
        'code/data/coco.yaml': 'train: coco/train2017.txt\nval: coco/val\nnames: [person, car]\n',
        'code/environment.yml': 'name: x\ndependencies: [python]\n',
        'code/template.yaml': '{{ broken',
        'same.yaml': 'path: .\ntrain: images/train\nnames: {0: cat, 1: dog}\n',
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (only,), changes = read(root)
    assert [entry['name'] for entry in only.objects] == ['cat']
    assert changes == {
        'unusable YAML files, left out': 1,
        'YAML files besides data.yaml, left out': 1,
    }
    stock = 'train: VisDrone/images/train\nnames: [bird]\ndownload: https://example.org/x.zip\n'
    (root / 'code' / 'data' / 'visdrone.yaml').write_text(stock)
    assert read(root)[1]['YAML files besides data.yaml, left out'] == 2
    (root / 'same.yaml').write_text('train: images/train\nnames: [dog, cat]\n')
    with pytest.raises(InputError, match='different classes or splits. Give one .* import yolo'):
        read(root)
    source = Source(root, settings=root / 'same.yaml')
    ((only,), _) = read_yolo(source)
    assert [entry['name'] for entry in only.objects] == ['dog']


def test_the_end_of_a_path_is_not_that_of_another_split(tmp_path):
    for kind in ('images', 'labels'):
        (tmp_path / 'train' / kind).mkdir(parents=True)
    picture(tmp_path / 'train' / 'images' / 'a.png')
    (tmp_path / 'train' / 'labels' / 'a.txt').write_text(BOX)
    (tmp_path / 'data.yaml').write_text('train: train/images\nval: val/images\nnames: [cat]\n')
    (only,), changes = read(tmp_path)
    assert only.split == 'train'
    assert changes == {'splits and lines of lists that lead to no image here': 1}


def test_where_none_leads_to_pictures_the_uppermost_yaml_file_names_the_classes(tmp_path):
    root = yolo(tmp_path, {'a': BOX})
    (root / 'data.yaml').write_text('names: [cat, dog]\n')
    (root / 'code').mkdir()
    (root / 'code' / 'voc.yaml').write_text('train: [VOC/2007]\nnames: [bird, bus]\n')
    (only,), _ = read(root)
    assert [entry['name'] for entry in only.objects] == ['cat']
    (root / 'voc.yaml').write_text('names: [bird, bus]\n')
    with pytest.raises(InputError, match='different classes or splits'):
        read(root)


@pytest.mark.parametrize(
    ('place', 'text', 'root'),
    [
        ('set/data.yaml', 'train: images/train', 'set'),
        ('set/data.yaml', 'train: ../images/train', 'set'),
        ('set/detection/data.yaml', 'path: ..\ntrain: images/train', 'set'),
        ('configs/data.yaml', 'path: ../set\ntrain: images/train', 'set'),
        ('configs/data.yaml', 'train: ../set/images/train\nval: ../set/images/train', 'set'),
        ('set/data.yaml', 'path: /gone\ntrain: images/train', 'set'),
        ('set/fold/data.yaml', 'train: list.txt', 'set'),
        ('set/fold/data.yaml', 'path: ..\ntrain: .', 'set'),
        ('configs/data.yaml', f'path: ../set\ntrain: images/{"x" * 300}.txt', 'configs'),
        ('lists/data.yaml', 'train: list.txt\nval: list.txt', 'set'),
    ],
)
def test_the_folder_of_a_yaml_file_is_that_around_its_pictures(tmp_path, place, text, root):
    yolo(tmp_path / 'set', {'a': BOX})
    (tmp_path / place).parent.mkdir(exist_ok=True)
    (tmp_path / place).with_name('list.txt').write_text(
        '../images/train/a.png\n../set/images/train/a.png\n'
    )
    (tmp_path / place).write_text(f'{text}\nnames: [cat, dog]\n')
    assert folder_of(tmp_path / place) == tmp_path / root
    if root == 'configs':  # leads nowhere
        return
    pictures, _ = read_yolo(Source(tmp_path / root, settings=tmp_path / place))
    assert sum(len(each.objects) for each in pictures) == 1
    assert [each.split for each in pictures] == ['train']


def test_a_yaml_file_may_not_lead_through_the_whole_disk(tmp_path):
    (tmp_path / 'data.yaml').write_text('train: [/etc, /usr]\nnames: [cat]\n')
    with pytest.raises(InputError, match='have only the folder / in common'):
        folder_of(tmp_path / 'data.yaml')


def test_other_texts_are_left_out_and_labels_without_a_picture_are_faults(tmp_path):
    root = yolo(tmp_path, {'a': BOX})
    texts = {'requirements.txt': 'numpy\n', 'log.txt': '1 0.5 loss 3\n', 'empty.txt': ''}
    texts |= {'data/2.txt': '2024-01-01 12:00\n', 'latin.txt': '\xe9'}
    for name, text in texts.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(text.encode('latin-1'))
    _, changes = read(root)
    assert changes == {'files with other content, left out': 5}
    for number, text in enumerate((BOX, '0 0.1 0.1 0.5 0.1 0.5 0.6', '3.0 .5 .5 1e-1 .5')):
        (root / 'labels' / 'train' / f'lost{number}.txt').write_text(text)
    source = Source(root)
    read_yolo(source)
    assert len(source.faults) == 3
    assert all('has no image' in fault for fault in source.faults)


def test_a_text_of_labels_names_no_classes(tmp_path):
    root = yolo(tmp_path, {'a': BOX})
    (root / 'data.yaml').unlink()
    (root / 'labels.txt').write_text(BOX)
    source = Source(root)
    _, names = read_yolo(source)
    (fault,) = source.faults
    assert (names, 'labels.txt: has no image' in fault) == (['0'], True)


def test_numbers_are_the_names_where_nothing_names_the_classes(tmp_path):
    root = yolo(tmp_path, {'a': f'{BOX}11 0.5 0.5 0.5 0.5', 'b': '2.0 0.5 0.5 0.5 0.5'})
    (root / 'data.yaml').unlink()
    source = Source(root)
    pictures, names = read_yolo(source)
    assert names == ['0', '2', '11']
    assert [[e['name'] for e in each.objects] for each in pictures] == [['0', '11'], ['2']]
    (what,) = source.changes
    assert what.startswith('no file names the classes, so their numbers are used as names')
    source = Source(root, names=['cat', 'dog'])
    pictures, names = read_yolo(source)
    assert (names, len(source.faults)) == (['cat', 'dog'], 2)


def test_key_points_are_left_out(tmp_path):
    root = yolo(tmp_path, {'a': f'{BOX.strip()} 0.1 0.1 0.2 0.2 0.3 0.3'})
    with open(root / 'data.yaml', 'a') as file:
        file.write('kpt_shape: [3, 2]\n')
    (only,), changes = read(root)
    assert [entry['bbox'] for entry in only.objects] == [[15, 12, 10, 6]]
    assert changes == {'keypoints, left out': 1}


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('2 0.5 0.5 0.2 0.2', r"line 1: has the class 2, but there are 2 classes, 0 to 1 \('cat'"),
        (f'{BOX}\n-1 0.5 0.5 0.2 0.2', 'line 3: has the class -1'),
        ('0 0.5 0.5 0.2', 'line 1: has 4 numbers'),
        ('0 0.5 0.5 0.2 0.2 0.9', 'line 1: has 6 numbers.* confidences'),
        ('0 1952 0.1 0.1 0.5 0.1 0.5 0.5', 'line 1: has 8 numbers'),  # with the id of an object
        (
            '0 20 15 10 10',
            'line 1: has the number 20, but YOLO coordinates',
        ),
        (
            '0 0.1 0.1 0.5 -30 0.5 0.6',
            'line 1: has the number -30, but YOLO coordinates',
        ),
        ('0 0.9 0.5 0.9 0.2', 'line 1: the coordinate 54 is far outside'),
        ('0 nan 0.5 0.9 0.2', 'line 1: the coordinate nan is far outside'),
        (
            'cat 0.5 0.5 0.2 0.2',
            "line 1: 'cat 0.5 0.5 0.2 0.2' is not a list of numbers. A",
        ),
        ('9 9 20 9 20 25 9 25 ship 1', "line 1: '9 9 .* ship 1' is an oriented box of DOTA. A"),
        ('684,8,273,116,0,0', "line 1: '684,8,273,116,0,0' is not a list of numbers"),
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
        ('names: !!python/object/apply:os.system ["touch run"]', 'not a readable YAML file'),
        ('names: 3', 'must be a list of different names'),
        ('names: [a, a]', "must be a list of different names, .* empty or equal names: 'a'"),
        ("names: [a, '']", "It has empty or equal names: ''"),
        ('names: {1: a, 2: b}', 'must be a list of different names, .* It has names for 1, 2'),
        ('names: a, b', "must be a list of different names, .* It has 'a, b'"),
        (
            'train: x\nnames:\n\t- a',
            r"found character '\\t' that cannot start .* \(line 3\)",
        ),
        ('path: "C:\\Users"\nnames: [a]', r'expected escape sequence of 8 .* \(line 1\)'),
        ('names: [[a], b]', 'must be a list of different names'),
        ('names: {0: a, 1: b, 1: c}', "it contains '1' twice"),
        ('names: [a]\nnc: 1\nnames: [b]', "it contains 'names' twice"),
    ],
)
def test_a_yaml_file_runs_nothing_and_must_name_the_classes(tmp_path, monkeypatch, text, message):
    monkeypatch.chdir(tmp_path)
    root = yolo(tmp_path, {'a': BOX})
    (root / 'data.yaml').write_text(text)
    with pytest.raises(InputError, match=message):
        read_yolo(Source(root))
    assert not (tmp_path / 'run').exists()
