"""A folder of results has one writer, and is complete or absent."""

import errno
import os
import socket
from contextlib import suppress
from multiprocessing import get_context

import pytest

from vitbackbones.errors import InputError
from vitbackbones.utils.files import (
    PART,
    as_csv,
    folder_lock,
    is_abandoned,
    prepare_folder,
    read_json,
    read_small,
    remove_parts,
    require_apart,
    stays_inside,
    whole_file,
    whole_folder,
    write_file,
    write_if_changed,
)

fork = get_context('fork')  # a new interpreter would import everything first


def _hold(folder, ready):
    with folder_lock(folder, '--out'):
        ready.send(os.getpid())
        ready.recv()


@pytest.fixture
def folder(tmp_path):
    """Where the folder ``results`` is made."""
    folder = tmp_path / 'results.part'
    folder.mkdir()
    return folder


@pytest.fixture
def holder(folder):
    """Another process that has the lock of the folder."""
    here, there = fork.Pipe()
    process = fork.Process(target=_hold, args=(folder, there), daemon=True)
    process.start()
    here.recv()
    yield process
    process.kill()
    process.join()


def test_a_second_writer_is_refused_and_told_who_writes(folder, holder):
    message = f'--out {folder}: process {holder.pid} on {socket.gethostname()} is writing there. W'
    with pytest.raises(InputError, match=message), folder_lock(folder, '--out'):
        pass
    with pytest.raises(InputError, match=message), whole_folder(folder.with_suffix(''), '--out'):
        pass


def test_a_link_of_its_name_is_not_followed(tmp_path):
    (tmp_path / 'dear').write_text('kept')
    (tmp_path / '.lock').symlink_to(tmp_path / 'dear')
    with pytest.raises(InputError, match=r'^--out: .*\.lock cannot be opened .* Remove it, or'):
        folder_lock(tmp_path, '--out').__enter__()
    assert (tmp_path / 'dear').read_text() == 'kept'


def test_a_killed_writer_leaves_the_folder_free(folder, holder):
    holder.kill()
    holder.join()
    with folder_lock(folder, '--out'):
        assert f'process {os.getpid()} on ' in (folder / '.lock').read_text()


def test_a_child_does_not_keep_the_lock_of_its_parent(tmp_path):
    with folder_lock(tmp_path, '--out'):
        _, there = fork.Pipe()
        child = fork.Process(target=there.recv, daemon=True)
        child.start()
    try:
        other = fork.Process(target=_hold_briefly, args=(tmp_path,))
        other.start()
        other.join()
        assert other.exitcode == 0
    finally:
        child.kill()
        child.join()


def _hold_briefly(folder):
    with folder_lock(folder, '--out'):
        pass


def test_a_folder_is_replaced_whole_or_stays_as_it_was(tmp_path):
    target = tmp_path / 'target'
    with whole_folder(target, '--out') as folder:
        (folder / 'first').touch()
    with pytest.raises(ZeroDivisionError), whole_folder(target, '--out'):
        1 / 0  # noqa: B018
    assert [path.name for path in target.iterdir()] == ['first']
    with whole_folder(target, '--out') as folder:
        (folder / 'third').touch()
    assert [path.name for path in target.iterdir()] == ['third']
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_whose_name_cannot_be_given_leaves_what_had_it(tmp_path, monkeypatch):
    target = tmp_path / 'target'
    with whole_folder(target, '--out') as folder:
        (folder / 'first').touch()
    rename = os.rename

    def fails(source, destination):
        if source.name == 'made':
            raise OSError(errno.ENOSPC, 'No space left on device')
        rename(source, destination)

    monkeypatch.setattr(os, 'rename', fails)
    with (
        pytest.raises(InputError, match='What was there before is unchanged'),
        whole_folder(target, '--out'),
    ):
        pass
    assert [path.name for path in target.iterdir()] == ['first']
    assert list(tmp_path.iterdir()) == [target]


def killed_while_it_fills(target, at):
    """Die without a word before the folder gets its name, or between the two renames."""
    if at == 'renames':
        rename = os.rename
        os.rename = lambda one, other: os._exit(9) if one.name == 'made' else rename(one, other)
    with whole_folder(target, '--out') as folder:
        (folder / 'half').touch()
        if at == 'filling':
            os._exit(9)


@pytest.mark.parametrize('at', ['filling', 'renames'])
def test_what_a_killed_process_left_is_put_right_by_the_next(tmp_path, at):
    target = tmp_path / 'target'
    with whole_folder(target, '--out') as folder:
        (folder / 'first').touch()
    process = fork.Process(target=killed_while_it_fills, args=(target, at))
    process.start()
    process.join()
    assert target.exists() == (at == 'filling')
    with whole_folder(target, '--out') as folder:
        assert [path.name for path in target.iterdir()] == ['first']
        assert [*folder.iterdir()] == []
    assert list(tmp_path.iterdir()) == [target]


def test_a_file_below_what_is_no_folder_is_one_message():
    with pytest.raises(InputError, match='/dev/null/folder/file cannot be written'):
        write_file('/dev/null/folder/file', b'')


def test_a_file_of_as_many_bytes_as_allowed_is_read_and_no_larger_one(tmp_path):
    file = tmp_path / 'file'
    file.write_bytes(b'12345')
    assert read_small(file, most=5) == b'12345'
    with pytest.raises(InputError, match=r'/file cannot be read: it is larger than 4 bytes$'):
        read_small(file, most=4)


@pytest.mark.parametrize('kind', ['pipe', 'folder', 'device', 'missing'])
def test_what_is_no_file_is_refused_and_not_waited_for(tmp_path, kind):
    path = tmp_path / kind
    if kind == 'pipe':
        os.mkfifo(path)
    if kind == 'folder':
        path.mkdir()
    if kind == 'device':
        path.symlink_to('/dev/zero')
    reason = 'No such file or directory' if kind == 'missing' else 'not a regular file'
    with pytest.raises(InputError, match=rf'/{kind} cannot be read \({reason}\)$'):
        read_small(path)


@pytest.mark.parametrize('content', ['{', '[' * 100_000, '1' * 5000, b'\xff'])
def test_what_is_not_json_is_refused_with_the_name_of_the_file(tmp_path, content):
    file = tmp_path / 'file'
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=r'/file is not JSON \('):
        read_json(file)


@pytest.mark.parametrize(
    ('out', 'around', 'refused'),
    [
        ('data', True, True),
        ('data/out', True, True),
        ('data/out', False, True),
        ('.', True, True),
        ('.', False, False),
        ('link/out', False, True),
        ('data_out', True, False),
    ],
)
def test_a_folder_to_write_is_apart_from_one_that_is_read(tmp_path, out, around, refused):
    (tmp_path / 'data').mkdir()
    (tmp_path / 'link').symlink_to('data')
    if not refused:
        require_apart(tmp_path / out, 'OUT', tmp_path / 'data', around)
        return
    with pytest.raises(InputError, match=r'OUT must be .*. Choose a folder next to it, such as'):
        require_apart(tmp_path / out, 'OUT', tmp_path / 'data', around)


def test_a_file_has_the_old_content_until_the_new_one_is_whole(tmp_path):
    file = tmp_path / 'a' / 'file'
    write_file(file, b'old')
    assert file.read_bytes() == b'old'
    with suppress(KeyError), whole_file(file) as part:
        part.write(b'new')
        raise KeyError
    assert file.read_bytes() == b'old'
    with whole_file(file) as part:
        part.write(b'new')
        assert file.read_bytes() == b'old'
        assert len([*file.parent.iterdir()]) == 2
    assert file.read_bytes() == b'new'
    assert [*file.parent.iterdir()] == [file]


def test_ctrl_c_leaves_no_part_of_a_file(tmp_path):
    with suppress(KeyboardInterrupt), whole_file(tmp_path / 'file') as part:
        part.write(b'new')
        raise KeyboardInterrupt
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize('letters', [255, 200, 120])
def test_a_name_as_long_as_the_disk_allows_is_written(tmp_path, letters):
    file = tmp_path / ('a' * letters)
    write_file(file, b'content')
    assert file.read_bytes() == b'content'
    assert [*tmp_path.iterdir()] == [file]


def test_a_part_that_has_gone_does_not_hide_the_error(tmp_path):
    def fail():
        with whole_file(tmp_path / 'file') as part:
            os.unlink(part.name)
            raise KeyError

    pytest.raises(KeyError, fail)


def test_a_file_with_the_same_content_is_left_alone(tmp_path):
    file = tmp_path / 'file'
    write_if_changed(file, b'a')
    before = file.stat().st_ino
    write_if_changed(file, b'a')
    assert file.stat().st_ino == before
    write_if_changed(file, b'b')
    assert file.read_bytes() == b'b'


def test_what_killed_runs_were_writing_is_removed(tmp_path):
    for name in (f'a{PART}', f'b.pth{PART}', 'c.pth'):
        (tmp_path / name).touch()
    remove_parts(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ['c.pth']


def test_columns_are_the_keys_of_the_first_row():
    rows = [{'a': 1, 'b': 'x, y'}, {'b': 'ä', 'a': None}]
    assert as_csv(rows).decode() == 'a,b\n1,"x, y"\n,ä\n'


def test_files_outside_by_links(tmp_path):
    (tmp_path / 'in').mkdir()
    (tmp_path / 'out').touch()
    (tmp_path / 'in' / 'link').symlink_to('../out')
    assert stays_inside(tmp_path / 'in' / 'file', tmp_path / 'in')
    assert stays_inside(tmp_path / 'in', tmp_path / 'in')
    assert not stays_inside(tmp_path / 'in' / 'link', tmp_path / 'in')
    assert not stays_inside(tmp_path / 'in2', tmp_path / 'in')


def test_pointers_of_git_lfs_are_no_content(tmp_path):
    (tmp_path / 'file').write_bytes(b'version https://git-lfs.github.com/spec/v1')
    with pytest.raises(InputError, match='file is a .*Git LFS'):
        read_small(tmp_path / 'file')


def test_folders_that_were_locked_are_abandoned(folder, tmp_path):
    assert not is_abandoned(tmp_path / 'never')
    with folder_lock(folder, '--out'):
        pass
    assert is_abandoned(folder)
    mode = (folder / '.lock').stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    assert mode == 0o666 & ~mask


def test_a_folder_to_write_to_is_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert prepare_folder('a/b', '--out') == tmp_path / 'a' / 'b'
    assert [*(tmp_path / 'a' / 'b').iterdir()] == []
    with pytest.raises(InputError, match='^--out /proc/nowhere: cannot be written'):
        prepare_folder('/proc/nowhere', '--out')
