"""A folder of results has one writer, and is complete or absent."""

import errno
import os
import socket
from multiprocessing import get_context

import pytest

from vitbackbones.errors import InputError
from vitbackbones.files import folder_lock, whole_folder

fork = get_context('fork')  # a new interpreter would import everything first


def _hold(folder, ready):
    with folder_lock(folder, '--out'):
        ready.send(os.getpid())
        ready.recv()


@pytest.fixture
def holder(tmp_path):
    """Another process that has the lock of ``tmp_path``."""
    here, there = fork.Pipe()
    process = fork.Process(target=_hold, args=(tmp_path, there), daemon=True)
    process.start()
    here.recv()
    yield process
    process.kill()
    process.join()


def test_a_second_writer_is_refused_and_told_who_writes(tmp_path, holder):
    with pytest.raises(InputError) as refusal, folder_lock(tmp_path, '--out'):
        pass
    who = f'process {holder.pid} on {socket.gethostname()}'
    assert str(refusal.value).startswith(f'--out {tmp_path}: {who} is writing there. Wait ')


def test_a_link_of_its_name_is_not_followed(tmp_path):
    (tmp_path / 'dear').write_text('kept')
    (tmp_path / '.lock').symlink_to(tmp_path / 'dear')
    with pytest.raises(InputError, match=r'^--out: .*\.lock cannot be opened .* remove it, or'):
        folder_lock(tmp_path, '--out').__enter__()
    assert (tmp_path / 'dear').read_text() == 'kept'


def test_a_killed_writer_leaves_the_folder_free(tmp_path, holder):
    holder.kill()
    holder.join()
    with folder_lock(tmp_path, '--out'):
        assert f'process {os.getpid()} on ' in (tmp_path / '.lock').read_text()


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


def test_another_folder_is_free(tmp_path, holder):
    (tmp_path / 'other').mkdir()
    with folder_lock(tmp_path / 'other', '--out'):
        pass


def test_a_folder_is_replaced_whole_or_stays_as_it_was(tmp_path):
    target = tmp_path / 'target'
    with whole_folder(target) as folder:
        (folder / 'first').touch()
    with pytest.raises(ZeroDivisionError), whole_folder(target):
        1 / 0  # noqa: B018
    assert [path.name for path in target.iterdir()] == ['first']
    with whole_folder(target) as folder:
        (folder / 'third').touch()
    assert [path.name for path in target.iterdir()] == ['third']
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_whose_name_cannot_be_given_leaves_what_had_it(tmp_path, monkeypatch):
    target = tmp_path / 'target'
    with whole_folder(target) as folder:
        (folder / 'first').touch()
    rename = os.rename

    def fails_once(source, destination):
        if str(source).endswith('.part') and not destination.exists():
            monkeypatch.setattr(os, 'rename', rename)
            raise OSError(errno.ENOSPC, 'No space left on device')
        rename(source, destination)

    monkeypatch.setattr(os, 'rename', fails_once)
    with pytest.raises(InputError, match='what was there before is unharmed'), whole_folder(target):
        pass
    assert [path.name for path in target.iterdir()] == ['first']
