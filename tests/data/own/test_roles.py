"""What files are by the words of their paths."""

from pathlib import Path

import pytest

from vitbackbones.data.own.folder import KINDS, is_copy, own_words, told_apart, words, words_of

ROOT = Path('data')


def apart(*names, coded=False):
    """The pictures and the masks among files of these names, in order."""
    kinds = ('colors', 'masks') if coded else KINDS
    found = told_apart(ROOT, [ROOT / name for name in names], kinds)
    return tuple(sorted(file.relative_to(ROOT).as_posix() for file in files) for files in found)


@pytest.mark.parametrize(
    ('name', 'expected'),
    [
        ('JPEGImages', ['jpeg', 'images']),
        ('gtFine_labelIds', ['gt', 'fine', 'label', 'ids']),
        ('trainannot', ['train', 'annot']),
        ('television', ['television']),
        ('IMG_0012-Kopie', ['img', '0012', 'kopie']),
    ],
)
def test_words_of_a_name(name, expected):
    assert words(name) == tuple(expected)


def test_words_of_a_path():
    assert words_of(Path('trainImages/a1.png')) == ['train', 'images', 'a', '1', 'png']
    assert own_words(Path('trainImages/a1_mask.png')) == ['train', 'a', '1']


@pytest.mark.parametrize(
    ('mask', 'picture'),
    [
        ('masks', 'images'),
        ('a/labels', 'a/x'),
        ('images/masks', 'images/raw'),
        ('segmentation/masks', 'segmentation/images'),
        ('object_masks', 'object_images'),
        ('masks/9', 'images/9'),
    ],
)
def test_the_last_folder_that_tells_counts(mask, picture):
    assert apart(f'{mask}/1.png', f'{picture}/1.png') == ([f'{picture}/1.png'], [f'{mask}/1.png'])


@pytest.mark.parametrize(
    ('folder', 'coded', 'taken'),
    [
        ('color_masks', False, False),
        ('color_masks', True, True),
        ('rgb_masks', True, True),
        ('masks_edge', False, False),
        ('instance_masks', True, False),
        ('masks_old', False, False),
        ('masks_2', False, True),
        ('old', False, False),
        ('old_mill', False, None),
        ('3', False, None),
        ('train', False, None),
    ],
)
def test_kinds_of_masks(folder, coded, taken):
    pictures, masks = apart(
        'images/1.png', 'masks/1.png', f'{folder}/1.png', f'{folder}/2.png', coded=coded
    )
    assert (f'{folder}/1.png' in masks) is bool(taken)
    assert (f'{folder}/1.png' in pictures) is (taken is None)
    assert 'images/1.png' in pictures
    # in color, or else others, whichever is asked for
    assert ('masks/1.png' in masks) is not (coded and taken)


def test_folders_of_leftovers_count_where_nothing_else_is_there():
    assert apart('results/images/1.png', 'results/masks/1.png') == (
        ['results/images/1.png'],
        ['results/masks/1.png'],
    )
    assert apart('images/1.png', 'output/masks/1.png') == (
        ['images/1.png'],
        ['output/masks/1.png'],
    )
    assert apart('images/1.png', 'edges/2.png') == (['edges/2.png', 'images/1.png'], [])


def test_others_are_masks_where_there_are_no_better_ones():
    assert apart('images/1.png', 'masks_instance/1.png') == (
        ['images/1.png'],
        ['masks_instance/1.png'],
    )
    assert apart('images/1.png', 'masks_color/1.png') == (['images/1.png'], ['masks_color/1.png'])


def test_masks_beside_pictures_by_words_or_as_png_beside_jpeg():
    assert apart('1.png', '1_mask.png', '2.png') == (['1.png', '2.png'], ['1_mask.png'])
    assert apart('1.jpg', '1.png', '2.JPEG') == (['1.jpg', '2.JPEG'], ['1.png'])
    assert apart('1_mask.jpg', '2_mask.png') == (['1_mask.jpg'], ['2_mask.png'])
    assert apart('1.png', '2.png') == (['1.png', '2.png'], [])
    assert apart() == ([], [])


def test_a_picture_named_as_another_one_and_as_a_leftover_is_left_out():
    pictures, _ = apart(
        'images/1.jpg', 'images/1_overlay.jpg', 'images/2_overlay.jpg', 'masks/1.png'
    )
    assert pictures == ['images/1.jpg', 'images/2_overlay.jpg']
    pictures, _ = apart('images/a/1_vis.jpg', 'images/b/1.jpg', 'masks/1.png')
    assert pictures == ['images/a/1_vis.jpg', 'images/b/1.jpg']


@pytest.mark.parametrize(
    ('path', 'expected'),
    [
        ('train (1).json', True),
        ('old/train.json', True),
        ('train_backup.json', True),
        ('train.json', False),
        ('train1.json', False),
        ('goldmine/train.json', False),
    ],
)
def test_copies_that_were_put_aside(path, expected):
    assert is_copy(Path(path)) is expected
