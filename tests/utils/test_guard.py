"""A guarded config assigns variables; what else it does ends it."""

import os
import socket
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import pytest

from vitbackbones.errors import InputError
from vitbackbones.utils.guard import guarded

ACTS = [
    ('opens a network connection', lambda: socket.socket().connect(('127.0.0.1', 9))),
    ('looks up a network address', lambda: socket.getaddrinfo('localhost', 80)),
    ('starts a program', lambda: subprocess.run(['true'])),
    ('starts a program', lambda: os.system('true')),
    ('starts a program', lambda: os.system(f'{tempfile.gettempdir()}/nothing')),
    ('deletes a file', lambda: os.remove('/nowhere/file')),
    ('makes a folder', lambda: os.mkdir('/nowhere/folder')),
    ('writes to /nowhere/file', lambda: Path('/nowhere/file').write_text('')),
]


@pytest.mark.parametrize(('said', 'act'), ACTS)
def test_acts_are_refused_even_where_a_config_catches_errors(said, act):
    text = f'my.py: the config {said}, so it was not read further'
    with pytest.raises(InputError, match=text), guarded('my.py', 60), suppress(Exception):
        act()


def test_reading_and_temporary_files_are_allowed():
    with guarded('my.py', 60):
        assert Path(__file__).read_text()
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, 'copy.py').write_text('a = 1')


def test_an_endless_config_is_ended():
    text = 'my.py: the config takes more than 1 seconds to read'
    with pytest.raises(InputError, match=text), guarded('my.py', 1), suppress(Exception):
        time.sleep(60)


def test_nothing_is_refused_afterwards(tmp_path):
    with guarded('my.py', 60):
        pass
    file = tmp_path / 'file'
    file.write_text('text')
    file.unlink()
    assert subprocess.run(['true']).returncode == 0
