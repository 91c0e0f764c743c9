"""Files below a folder, and the text in them."""

import os
from pathlib import Path

import pytest

from vitbackbones.data.own import folder
from vitbackbones.data.own.folder import (
    DEPTH,
    files_below,
    folders_below,
    gone_links,
    in_words,
    is_of_a_tool,
    names_in_lines,
    read_text,
    spelling_warnings,
)
from vitbackbones.errors import InputError

from .folders import write


def test_files_are_found_by_suffix_in_any_case_and_hidden_ones_are_not(tmp_path):
    deepest = '/'.join('abcdefghijkl'[:DEPTH])
    names = ['1.json', 'a/2.JSON', f'{deepest}/3.json']
    others = ['.4.json', '.git/5.json', f'{deepest}/x/6.json', 'a/7.txt']
    write(tmp_path, dict.fromkeys([*names, *others]))
    found = {str(file.relative_to(tmp_path)) for file in files_below(tmp_path, ('.json',))}
    assert found == {*names}


def test_links_are_followed_once_and_not_to_a_folder_around(tmp_path):
    root = tmp_path / 'sets' / 'root'
    write(tmp_path, {'elsewhere/1.json': None, 'sets/other/2.json': None, 'sets/root/3.json': None})
    (root / 'linked').symlink_to(tmp_path / 'elsewhere')
    (root / 'again').symlink_to(root)
    (root / 'up').symlink_to('..')
    assert [*folders_below(root)] == [root, root / 'linked']
    assert {file.name for file in files_below(root, ('.json',))} == {'1.json', '3.json'}


def test_text_is_read_without_the_mark_that_windows_puts_first(tmp_path):
    (tmp_path / 'a.txt').write_bytes(b'\xef\xbb\xbfcat\r\ndog')
    assert read_text(tmp_path / 'a.txt').splitlines() == ['cat', 'dog']


def test_two_spellings_of_a_name_are_one_warning():
    names = ['Car', 'traffic light', 'car', 'Traffic_Light', 'bus']
    (warning,) = spelling_warnings('a.json', names)
    assert warning.startswith('a.json: classes with different names look alike: ')
    assert "'Car' and 'car', 'traffic light' and 'Traffic_Light'. If" in warning


@pytest.mark.parametrize(
    'name', ['0', '010', '1_000', '12:30', '0.5', '2024-01-01', '1e3', '0 0.5 0.5 0.2 0.2', '-1,5']
)
def test_names_like_numbers_coordinates_or_dates_are_one_warning(name):
    (warning,) = spelling_warnings('a.json', ['cat', name])
    assert f'a.json: class names look like numbers, coordinates or dates: {name!r}. ' in warning


@pytest.mark.parametrize('name', ['class 1', '3d', 'no', 'e', '-', 'A4', 'null', ''])
def test_other_names_are_none(name):
    assert spelling_warnings('a.json', ['cat', name]) == []


def test_folders_of_tools_are_not_looked_through(tmp_path):
    write(tmp_path, {'a/1.json': None, '__MACOSX/2.json': None, 'runs/segment/3.json': None})
    assert [file.name for file in files_below(tmp_path, ('.json',))] == ['1.json']


@pytest.mark.parametrize('root', ['/proc', '/proc/self/cwd/..', '/sys/kernel'])
def test_folders_of_the_system_hold_no_data(root):
    if root == '/proc/self/cwd/..':  # which is a folder of the user
        assert next(folders_below(Path(root)))
        return
    with pytest.raises(InputError, match=f'{root}: is a system folder'):
        next(folders_below(Path(root)))


def test_what_must_not_be_looked_into_is_passed_over(tmp_path, monkeypatch):
    write(tmp_path, {'a/0.json': None, 'b/1.json': None})
    stat = os.stat

    def refuse(path, **options):
        if 'pyvenv.cfg' in str(path) or str(path).endswith('1.json'):
            raise PermissionError(13, 'Permission denied')
        return stat(path, **options)

    monkeypatch.setattr('os.stat', refuse)
    assert [file.name for file in files_below(tmp_path, ('.json',))] == ['0.json']


@pytest.mark.parametrize(
    ('file', 'expected'),
    [
        ('wandb/x', True),
        ('env/pyvenv.cfg', True),
        ('exp/args.yaml', False),  # settings alone are none of a run
        ('exp/weights/best.pt', False),
        ('exp/args.yaml exp/weights/best.pt', True),
        ('exp/opt.yaml exp/weights/best.pt', True),
        ('runs/detect/x', True),
        ('runs/train/exp2/x', True),
        ('runs/a/b', False),
        ('detect/x', False),
        ('trains/train/exp2/x', False),
    ],
)
def test_which_folders_are_of_tools(tmp_path, file, expected):
    names = file.split()
    write(tmp_path, dict.fromkeys(names))
    assert is_of_a_tool(tmp_path / names[0].split('/')[0]) is expected


def test_names_in_lines(tmp_path):
    file = tmp_path / 'names.txt'
    file.write_text(' cat \n\ndog\n')
    assert names_in_lines(file) == ['cat', 'dog']
    for text in ('', '\n \n', 'cat\ndog\ncat\n'):
        file.write_text(text)
        with pytest.raises(InputError, match='names.txt'):
            names_in_lines(file)


def test_too_many_folders_are_no_data_set(tmp_path, monkeypatch):
    write(tmp_path, {f'{i}/a.txt': None for i in range(3)})
    above = len(tmp_path.parents)
    monkeypatch.setattr(folder, 'MOST', above + 4)
    assert len([*folders_below(tmp_path)]) == 4
    monkeypatch.setattr(folder, 'MOST', above + 3)
    with pytest.raises(InputError, match='more than'):
        [*folders_below(tmp_path)]


def test_links_that_lead_nowhere(tmp_path):
    write(tmp_path, {'a/1.png': None})
    assert gone_links(tmp_path) == ''
    (tmp_path / 'a' / '2.png').symlink_to(tmp_path / 'a' / '1.png')
    assert gone_links(tmp_path) == ''
    (tmp_path / 'a' / '3.png').symlink_to(tmp_path / 'gone.png')
    assert f'{tmp_path}/gone.png' in gone_links(tmp_path)


def test_classes_in_words():
    assert in_words(['cat']) == '1 class: cat'
    assert in_words(['cat', 'dog']) == '2 classes: cat, dog'
