"""The files of a data set of unknown origin."""

import os

import pytest

from vitbackbones.data.importing.source import Source
from vitbackbones.errors import InputError

from .forms import picture


@pytest.fixture
def root(tmp_path):
    picture(tmp_path / 'in' / 'images' / '0.png')
    return tmp_path / 'in'


def test_all_files_that_are_not_hidden_are_found_at_any_depth(root):
    deep = picture(root / 'a' / 'b' / 'c' / 'd' / 'e' / 'f' / '1.JPG')
    picture(root / '.thumbs' / '2.png')
    picture(root / '.3.png')
    os.mkfifo(root / '4.png')
    assert Source(root).pictures == [deep, root / 'images' / '0.png']


def test_a_folder_without_pictures_is_refused(tmp_path):
    with pytest.raises(InputError, match='no picture'):
        Source(tmp_path)


@pytest.mark.parametrize('target', ['../../outside', '../../outside/x.png', 'nothing'])
def test_links_out_of_the_folder_to_folders_and_to_nothing_are_refused(root, target):
    picture(root.parent / 'outside' / 'x.png')
    (root / 'images' / 'link').symlink_to(target)
    with pytest.raises(InputError, match='in/images/link: is a link to /.*Only links to files in'):
        Source(root)


def test_names_pair_files_of_one_folder_or_of_two_for_pictures_and_annotations(tmp_path):
    pictures = ['0.png', 'train/images/0.png', 'Images/val/0.png', 'test_images/a.b.png']
    files = ['Annotations/0.xml', 'train/labels/0.xml', 'val/0.xml', 'test_annotations/a.b.xml']
    for name in pictures:
        picture(tmp_path / name)
    source = Source(tmp_path)
    pairs = source.paired([tmp_path / name for name in files])
    assert pairs == {tmp_path / a: tmp_path / b for a, b in zip(pictures, files, strict=True)}
    assert source.faults == []


def test_files_of_no_or_of_several_pictures_are_faults(tmp_path):
    for name in ('train/0.png', 'train/0.jpg', 'val/1.png', 'val/2.png'):
        picture(tmp_path / name)
    files = [tmp_path / name for name in ('train/0.txt', 'train/1.txt', 'val/1.txt', 'val/1.xml')]
    source = Source(tmp_path)
    assert source.paired(files) == {tmp_path / 'val' / '1.png': tmp_path / 'val' / '1.txt'}
    several, none, twice = source.faults
    assert 'train/0.txt: has several pictures of its name, ' in several
    assert 'train/1.txt: has no picture' in none
    assert 'val/1.xml: ' in twice
    assert 'already has ' in twice
    assert twice.endswith('val/1.txt. Keep one.')
