"""Which files are there, whatever a list of names holds."""

import os

import pytest

from vitbackbones.data.checks.findings import not_there
from vitbackbones.errors import InputError


def test_what_is_no_file_is_not_there(tmp_path):
    (tmp_path / 'sub').mkdir()
    (tmp_path / 'sub' / 'file').touch()
    os.mkfifo(tmp_path / 'pipe')
    for link, target in {'link': 'sub/file', 'broken': 'gone', 'circle': 'circle'}.items():
        (tmp_path / link).symlink_to(target)
    missing = ['sub', 'pipe', 'broken', 'circle', 'sub/b', 'none/a', 'circle/a', 'a' * 300]
    impossible = ['a\0b/x', f'{"a" * 300}/x', '\ud800/x']
    names = ['sub/file', 'link', *missing, *impossible]
    assert not_there(str(tmp_path), names) == names[2:]


def test_names_that_lead_out_of_the_folder_are_not_there(tmp_path):
    (tmp_path / 'in' / 'sub').mkdir(parents=True)
    for name in ('in/a.jpg', 'b.jpg', 'in b.jpg'):
        (tmp_path / name).touch()
    names = ['sub/../a.jpg', str(tmp_path / 'in' / 'a.jpg'), '../b.jpg', str(tmp_path / 'b.jpg')]
    assert not_there(str(tmp_path / 'in'), names) == names[2:]
    for folder in ('/', ''):  # of a config that leaves the place to the names
        assert not_there(folder, [str(tmp_path / 'b.jpg')]) == []


def test_a_folder_that_may_not_be_read_is_named(tmp_path, monkeypatch):
    def refuse(path):
        raise PermissionError(13, 'Permission denied', path)

    monkeypatch.setattr(os, 'scandir', refuse)
    with pytest.raises(InputError, match="/in': Permission denied. Allow the folder to be read"):
        not_there(str(tmp_path), ['in/x.jpg'])
