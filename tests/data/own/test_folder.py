"""Files below a folder, and the text in them."""

import os

import pytest

from vitbackbones.data.own.folder import DEPTH, files_below, folders_below, read_text
from vitbackbones.errors import InputError

from .folders import write


def test_files_are_found_by_suffix_in_any_case_and_hidden_ones_are_not(tmp_path):
    deepest = '/'.join('abcdef'[:DEPTH])
    names = ['1.json', 'a/2.JSON', f'{deepest}/3.json']
    others = ['.4.json', '.git/5.json', f'{deepest}/x/6.json', 'a/7.txt']
    write(tmp_path, dict.fromkeys([*names, *others]))
    found = {str(file.relative_to(tmp_path)) for file in files_below(tmp_path, ('.json',))}
    assert found == {*names}


def test_links_are_followed_and_in_a_circle_once(tmp_path):
    root, other = tmp_path / 'root', tmp_path / 'other'
    write(other, {'1.json': None})
    root.mkdir()
    (root / 'linked').symlink_to(other)
    (root / 'again').symlink_to(root)
    assert [*folders_below(root)] == [root, root / 'linked']


def test_a_link_to_a_folder_around_leads_to_no_other_data(tmp_path):
    root = tmp_path / 'sets' / 'root'
    write(root.parent, {'other/1.json': None, 'root/2.json': None})
    (root / 'up').symlink_to('..')
    assert [file.name for file in files_below(root, ('.json',))] == ['2.json']


def test_text_is_read_without_the_mark_that_windows_puts_first(tmp_path):
    (tmp_path / 'a.txt').write_bytes(b'\xef\xbb\xbfcat\r\ndog')
    assert read_text(tmp_path / 'a.txt').splitlines() == ['cat', 'dog']


def test_what_is_no_text_is_named(tmp_path):
    (tmp_path / 'a.txt').write_bytes(b'\xff\xfe\x00')
    with pytest.raises(InputError, match=r'a\.txt: not a text file'):
        read_text(tmp_path / 'a.txt')


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / 'a.txt')
    with pytest.raises(InputError, match=r'a\.txt: not a text file: .*not a regular file'):
        read_text(tmp_path / 'a.txt')
