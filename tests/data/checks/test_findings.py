"""Which files are there, whatever a list of names holds."""

import os

import pytest

from vitbackbones.data.checks.findings import not_there
from vitbackbones.errors import InputError
from vitbackbones.utils.messages import cut


def test_files_below_a_folder(tmp_path):
    (tmp_path / 'sub').mkdir()
    (tmp_path / 'sub' / 'a.jpg').touch()
    names = ['sub/a.jpg', 'sub/b.jpg', 'none/a.jpg', 'a' * 300]
    assert not_there(str(tmp_path), names, 'list') == names[1:]


def test_what_is_no_file_is_not_there(tmp_path):
    (tmp_path / 'folder').mkdir()
    (tmp_path / 'file').touch()
    os.mkfifo(tmp_path / 'pipe')
    for link, target in {'link': 'file', 'broken': 'gone', 'circle': 'circle'}.items():
        (tmp_path / link).symlink_to(tmp_path / target)
    names = ['file', 'link', 'folder', 'pipe', 'broken', 'circle']
    assert not_there(str(tmp_path), names, 'list') == names[2:]


def test_names_that_lead_out_of_the_folder_are_not_there(tmp_path):
    (tmp_path / 'in' / 'sub').mkdir(parents=True)
    for name in ('in/a.jpg', 'b.jpg', 'in b.jpg'):
        (tmp_path / name).touch()
    names = ['sub/../a.jpg', str(tmp_path / 'in' / 'a.jpg'), '../b.jpg', str(tmp_path / 'b.jpg')]
    assert not_there(str(tmp_path / 'in'), names, 'list') == names[2:]
    for folder in ('/', ''):  # of a config that leaves the place to the names
        assert not_there(folder, [str(tmp_path / 'b.jpg')], 'list') == []


@pytest.mark.parametrize(
    ('part', 'reason'),
    [
        ('a\0b', 'embedded null byte'),
        ('a' * 300, 'File name too long'),
        ('loop', 'Too many levels of symbolic links'),
        ('\ud800', 'surrogates not allowed'),
    ],
)
def test_folders_that_cannot_be_listed(tmp_path, part, reason):
    os.symlink(tmp_path / 'loop', tmp_path / 'loop')
    with pytest.raises(InputError) as caught:
        not_there(str(tmp_path), [f'{part}/x.jpg'], 'list.json: images')
    text = str(caught.value)
    assert text.startswith(f'list.json: images: names files in the folder {cut(part)}, which')
    assert reason in text
