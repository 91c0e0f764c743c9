"""Which annotation file belongs to which picture."""

from pathlib import Path

import pytest

from vitbackbones.importing import source
from vitbackbones.importing.source import Source, by_name, meant, paired

from .forms import picture

APART = 'annotation files in other folders than their images, matched by the image that they name'
BESIDE = 'annotation files alongside those that are read, left out'


def told(file):
    """Files of annotations are called so in these tests; they name no picture."""
    return None if 'notes' in file.name else ''


def pair(root, pictures, files, **options):
    """Return the pairs by their paths below ``root``, what was changed, and the faults."""
    for name in pictures:
        picture(root / name)
    source = Source(root)
    chosen = options.pop('chosen', None)
    chosen = chosen and [root / name for name in chosen]
    pairs = paired(source, [root / name for name in files], options.pop('told', told), chosen)
    shown = {str(a.relative_to(root)): str(b.relative_to(root)) for a, b in pairs.items()}
    return shown, {what: len(places) for what, places in source.changes.items()}, source.faults


def test_names_pair_files_of_one_folder_or_of_two_for_pictures_and_annotations(tmp_path):
    pictures = ['0.png', 'train/images/0.png', 'Images/val/0.png', 'test_images/a.b.png']
    files = ['Annotations/0.xml', 'train/labels/0.xml', 'val/0.xml', 'test_annotations/a.b.xml']
    for name in pictures:
        picture(tmp_path / name)
    source = Source(tmp_path)
    pairs = paired(source, [tmp_path / name for name in files], told)
    assert pairs == {tmp_path / a: tmp_path / b for a, b in zip(pictures, files, strict=True)}
    assert source.faults == []


def test_files_of_other_content_are_left_out(tmp_path):
    shown, changes, faults = pair(tmp_path, ['0.png'], ['0.xml', 'notes.xml'])
    assert (shown, faults) == ({'0.png': '0.xml'}, [])
    assert [*changes.values()] == [1]
    assert 'other content' in [*changes][0]


def test_of_several_equal_pictures_the_first_is_used(tmp_path):
    for name in ('Test/0.png', 'Trainval/0.png'):
        picture(tmp_path / name)
    source = Source(tmp_path)
    file = tmp_path / 'Annotations' / '0.xml'
    assert paired(source, [file], told) == {tmp_path / 'Test' / '0.png': file}
    assert source.faults == []
    assert any('copies of an image' in what for what in source.changes)


def test_files_of_no_or_of_several_pictures_are_faults(tmp_path):
    for name in ('train/0.png', 'train/0.jpg', 'val/1.png', 'val/2.png'):
        picture(tmp_path / name)
    files = [tmp_path / name for name in ('train/0.txt', 'train/1.txt', 'val/1.txt', 'val/1.xml')]
    source = Source(tmp_path)
    assert paired(source, files, told) == {tmp_path / 'val' / '1.png': tmp_path / 'val' / '1.txt'}
    several, twice, none = source.faults
    assert 'train/0.txt: several images have this name: ' in several
    assert 'train/1.txt: has no image' in none
    assert 'val/1.xml: ' in twice
    assert 'already belongs to ' in twice
    assert twice.endswith('val/1.txt. Keep only one.')


@pytest.mark.parametrize(
    ('pictures', 'files'),
    [
        (['images/0.png', 'images/1.png'], ['Labels_v2/0.txt', 'Labels_v2/1.txt']),
        (['frames/0.png', 'frames/1.png'], ['json/0.json', 'json/1.json']),
        (['images/train/0.png', 'images/val/1.png'], ['gt/0.xml', 'gt/1.xml']),
        (['images/0.png', 'images/1.png'], ['labels/train/0.txt', 'labels/val/1.txt']),
        (['train/images/0.png', 'val/images/0.png'], ['boxes/train/0.txt', 'boxes/val/0.txt']),
        (['a/x/0.png', 'a/x/1.png'], ['a/yolo/0.txt', 'b/notes.txt', 'a/yolo/1.txt']),
    ],
)
def test_folders_of_any_names_are_paired_by_the_names_of_their_files(tmp_path, pictures, files):
    pairs, changes, faults = pair(tmp_path, pictures, files)
    kept = [file for file in files if 'notes' not in file]
    assert (pairs, faults) == (dict(zip(pictures, kept, strict=True)), [])
    assert changes[APART] == 2


def test_a_lost_picture_does_not_give_its_file_to_another_one_of_its_name(tmp_path):
    pictures = ['train/images/0.png', 'val/images/0.png', 'val/images/1.png', 'extra/2.png']
    files = ['train/labels/0.txt', 'train/labels/1.txt', 'train/labels/2.txt', 'val/labels/0.txt']
    pairs, _, faults = pair(tmp_path, pictures, files)
    assert pairs == {pictures[0]: files[0], pictures[1]: files[3]}
    assert [fault.partition(': ')[0] for fault in faults] == [
        str(tmp_path / name) for name in files[1:3]
    ]


def test_a_second_version_of_the_files_is_left_out_and_counted(tmp_path):
    pictures = ['images/0.png', 'images/1.png']
    files = ['labels/0.txt', 'labels/1.txt', 'labels_old/0.txt', 'predict/labels/1.txt']
    pairs, changes, faults = pair(tmp_path, pictures, files)
    assert (pairs, faults) == (dict(zip(pictures, files[:2], strict=True)), [])
    assert changes == {BESIDE: 2}


def test_more_files_in_another_folder_belong_to_the_pictures_without_any(tmp_path):
    pictures = [f'images/{i}.png' for i in range(4)]
    files = ['labels/0.txt', 'labels/1.txt', 'second half/2.txt', 'second half/3.txt']
    pairs, changes, faults = pair(tmp_path, pictures, files)
    assert (pairs, faults) == (dict(zip(pictures, files, strict=True)), [])
    assert changes == {APART: 2}


def test_of_several_pictures_that_which_is_as_deep_as_the_file_counts(tmp_path):
    pairs, _, faults = pair(tmp_path, ['0.png', 'images/0.png'], ['labels/0.txt'])
    assert (pairs, faults) == ({'images/0.png': 'labels/0.txt'}, [])


def test_of_two_versions_without_a_first_one_none_is_chosen(tmp_path):
    files = ['old/0.txt', 'new/0.txt']
    _, _, (fault,) = pair(tmp_path, ['images/0.png'], files)
    assert 'already belongs to ' in fault


def test_files_of_pictures_that_are_not_read_are_left_out(tmp_path):
    pictures = ['train/images/0.png', 'old/images/0.png']
    files = ['train/labels/0.txt', 'old/labels/0.txt']
    pairs, changes, faults = pair(tmp_path, pictures, files, chosen=pictures[:1])
    assert (pairs, faults) == ({pictures[0]: files[0]}, [])
    assert changes == {'annotation files of images that are left out': 1}


def test_a_file_may_name_its_picture_and_have_the_whole_name_of_it(tmp_path):
    pictures = ['images/0.png', 'images/1.png']
    pairs, _, _ = pair(
        tmp_path, pictures, ['x/a.json', 'labels/1.png.json'], told=lambda file: r'C:\images\0.png'
    )
    assert pairs == {pictures[0]: 'x/a.json', pictures[1]: 'labels/1.png.json'}


def test_a_picture_of_a_form_that_is_not_read_is_named(tmp_path):
    (tmp_path / 'labels').mkdir()
    (tmp_path / 'images').mkdir()
    (tmp_path / 'images' / '1.CR3').write_bytes(b'x')
    _, _, (fault,) = pair(tmp_path, ['images/0.png'], ['labels/0.txt', 'labels/1.txt'])
    assert (
        'the format of its image 1.CR3 is not supported. Convert the image to one of .jpg' in fault
    )


def test_a_picture_of_a_phone_is_named_with_the_package_that_reads_it(tmp_path, monkeypatch):
    monkeypatch.setattr(source, 'IMAGES', tuple({*source.IMAGES} - {*source.HEIC}))
    (tmp_path / 'labels').mkdir()
    (tmp_path / 'images').mkdir()
    (tmp_path / 'images' / '1.HEIC').write_bytes(b'x')
    _, _, (fault,) = pair(tmp_path, ['images/0.png'], ['labels/0.txt', 'labels/1.txt'])
    assert '1.HEIC is in HEIC format: install pillow-heif (pip install pillow-heif)' in fault


@pytest.mark.parametrize(
    ('text', 'path'),
    [
        ('images/0.png', 'images/0.png'),
        ('./images/0.png', 'images/0.png'),
        ('../images/0.png', 'images/0.png'),
        (r'D:\data\set\images\0.png', 'images/0.png'),
        ('/content/set/sub/images/0.png', 'sub/images/0.png'),
        ('0.png', '0.png'),
        ('only.png', 'sub/only.png'),
        ('elsewhere/only.png', 'sub/only.png'),
        ('none.png', None),
        ('x/' * 50000 + '0.png', '0.png'),
        ('', None),
        ('..', None),
    ],
)
def test_paths_of_other_machines_are_followed_as_far_as_they_lead(text, path):
    root = Path('/root')
    names = ('0.png', 'images/0.png', 'sub/images/0.png', 'sub/only.png')
    found = meant(text, [root], by_name(root / name for name in names))
    assert found == (path and root / path)


def test_a_name_that_several_pictures_have_is_not_guessed():
    known = by_name(Path('/root', name) for name in ('a/0.png', 'b/0.png'))
    assert meant('0.png', [Path('/root')], known) is None
