"""Class folders, label files and shards of classification, broken in each way."""

import shutil

import pytest

from vitbackbones.data.checks.findings import Findings
from vitbackbones.data.checks.folders import check_dataset, check_same_classes
from vitbackbones.errors import InputError

from ..shard_files import with_index

CLASSES = ('bird', 'cat', 'dog')


@pytest.fixture
def root(tmp_path):
    """Two splits of three classes, one image each; nothing decodes them."""
    for split in ('train', 'val'):
        for name in CLASSES:
            file = tmp_path / split / name / 'sub' / '1.JPG'
            file.parent.mkdir(parents=True)
            file.write_bytes(b'')
    return tmp_path


def settings(root, split='train', **changes):
    return {'type': 'CustomDataset', 'data_root': str(root), 'data_prefix': split, **changes}


def named(root, *names, **changes):
    return settings(root, metainfo={'classes': names}, **changes)


@pytest.mark.parametrize(
    ('names', 'message'),
    [
        (('bird', 'dog'), "3 class folders, but the dataset has 2 classes; not a class: 'cat'"),
        ((*CLASSES, 'emu'), "has 4 classes; missing: 'emu'"),
        (('dog', 'cat', 'bird'), "order of the folders, 'bird', 'cat', 'dog'. Name the classes"),
    ],
)
def test_folders_and_names(root, names, message):
    with pytest.raises(InputError, match=message):
        check_dataset(named(root, *names))


def test_a_number_of_folders_names_the_settings_that_change_it(root):
    with pytest.raises(InputError) as error:
        check_dataset(named(root, 'a', 'b'))
    options = 'model.head.num_classes=3 model.data_preprocessor.num_classes=3 train_dataloader.'
    assert f'{options}dataset.metainfo.classes=[bird,cat,dog], and the same' in str(error.value)


def test_pictures_of_other_kinds_are_named(root):
    (root / 'train' / 'dog' / '2.webp').touch()
    (warning,) = check_dataset(settings(root)).warnings
    assert '1 images are skipped because their format is not .jpg' in warning
    assert "'2.webp'. To read them, set extensions=(.jpg," in warning
    assert check_dataset(settings(root, extensions=['.jpg', '.webp'])).warnings == []


@pytest.mark.parametrize('place', ['.ipynb_checkpoints', 'dog/.ipynb_checkpoints'])
def test_hidden_folders_are_refused(root, place):
    """Their pictures would be read as those of a class."""
    (root / 'train' / place).mkdir()
    with pytest.raises(
        InputError, match=f'{place}: is a hidden folder, but its images would be read'
    ):
        check_dataset(settings(root))


@pytest.mark.parametrize('lacking', ['train', 'val'])
def test_a_class_of_one_split_only(root, lacking):
    """mmpretrain would number the classes of the two splits differently."""
    check_same_classes([settings(root), settings(root, 'val')])
    shutil.rmtree(root / lacking / 'cat')
    with pytest.raises(InputError, match="the class folders 'cat' are in only one of them"):
        check_same_classes([settings(root), settings(root, 'val')])


def test_folders_without_images_or_classes(root):
    (root / 'train' / 'cat' / 'sub' / '1.JPG').rename(root / 'train' / 'cat' / 'notes.txt')
    with pytest.raises(InputError, match="no image in the class folders 'cat'"):
        check_dataset(settings(root))
    shutil.rmtree(root / 'train')
    with pytest.raises(InputError, match='train: no such folder'):
        check_dataset(settings(root))
    (root / 'train').mkdir()
    with pytest.raises(InputError, match='train: contains no folders'):
        check_dataset(settings(root))


def with_labels(root, *lines):
    (root / 'labels.txt').write_text('\n'.join(lines))
    return named(root, *CLASSES, ann_file='labels.txt')


LINES = [f'{name}/sub/1.JPG {label}' for label, name in enumerate(CLASSES)]


def test_a_label_file_that_was_cut_short_between_lines(root):
    assert check_dataset(with_labels(root, *LINES)).warnings == []
    (warning,) = check_dataset(with_labels(root, *LINES[:2])).warnings
    assert warning.endswith(f'has labels for 2 of the 3 images in {root / "train"}')


@pytest.mark.parametrize(
    ('line', 'message'),
    [
        ('dog/sub/1.JPG', "labels.txt:3: 'dog/sub/1.JPG' is not a file name and a label from 0 to"),
        ('dog/sub/2.JPG 2', r"1 of 3 files are not in .*train: 'dog/sub/2.JPG'"),
    ],
)
def test_bad_lines(root, line, message):
    with pytest.raises(InputError, match=message):
        check_dataset(with_labels(root, *LINES[:2], line))


def test_images_are_counted_by_class(root):
    (root / 'train' / 'dog' / '2.png').touch()
    counts = {'bird': 1, 'cat': 1, 'dog': 2}
    for config in (settings(root), with_labels(root, *LINES, 'dog/2.png 2')):
        assert check_dataset(config) == Findings(samples=4, occurs=counts)


def test_a_label_file_that_is_empty_or_no_text(root):
    with pytest.raises(InputError, match='labels.txt: names no file of'):
        check_dataset(with_labels(root))
    (root / 'labels.txt').write_bytes('a 1'.encode('utf-16'))
    with pytest.raises(InputError, match='labels.txt: is not a UTF-8 text file.*Save it as'):
        check_dataset(named(root, *CLASSES, ann_file='labels.txt'))


def test_imagenet_takes_a_label_file_that_is_there(root):
    with pytest.raises(InputError, match='3 class folders, but the dataset has 1000 classes'):
        check_dataset(settings(root, type='mmpretrain.ImageNet'))
    (root / 'meta').mkdir()
    (root / 'meta' / 'train.txt').write_text('\n'.join(LINES))
    assert check_dataset(settings(root, type='ImageNet') | {'split': 'train'}).warnings == []


def test_other_forms_are_left_alone(root):
    assert check_dataset(settings(root, type='CIFAR10')).warnings == []
    assert check_dataset(settings(root / 'nowhere', with_label=False)).warnings == []


def in_shards(root, **changes):
    return {'type': 'vitbackbones.ImageNetShards', 'data_root': str(root), **changes}


def test_good_shards(tmp_path):
    with_index(tmp_path)
    with_index(tmp_path, 'val')
    both = [in_shards(tmp_path), in_shards(tmp_path, shards='val')]
    findings = check_dataset(both[0])
    assert (findings.samples, findings.occurs) == (2, {'cat': 1, 'dog': 1})
    check_same_classes(both)
    named = check_dataset(in_shards(tmp_path, metainfo={'classes': ['a', 'b']}))
    assert named.occurs == {'a': 1, 'b': 1}


def test_names_of_the_config_must_be_as_many_as_in_shards(tmp_path):
    with pytest.raises(InputError, match='has 2 classes, but metainfo.classes names 1'):
        check_dataset(in_shards(with_index(tmp_path), metainfo={'classes': ['a']}))


@pytest.mark.parametrize(
    ('classes', 'message'),
    [
        (['cat', 'cow', 'dog'], r"val\.index\.json: the class folders 'cow' are in only one"),
        (['dog', 'cat'], r'val\.index\.json: its classes are in a different order than in .*train'),
    ],
)
def test_splits_in_shards_with_other_classes(tmp_path, classes, message):
    with_index(tmp_path)
    with_index(tmp_path, 'val', classes=classes)
    with pytest.raises(InputError, match=message):
        check_same_classes([in_shards(tmp_path), in_shards(tmp_path, shards='val')])
