"""Threads that wait sleep soon, and the choice of the user stays."""

import os
import subprocess
import sys

import pytest

from vitbackbones.utils import process_settings as allocation
from vitbackbones.utils.process_settings import TURNS, WAITING, keep_freed_memory, sleep_soon


def test_the_environment_gets_a_number():
    environment = {'HOME': '/'}
    sleep_soon(environment)
    assert environment == {'HOME': '/', 'GOMP_SPINCOUNT': TURNS}


@pytest.mark.parametrize('name', WAITING)
def test_the_users_choice_stays(name):
    environment = {name: 'ACTIVE'}
    sleep_soon(environment)
    assert environment == {name: 'ACTIVE'}


@pytest.mark.skipif(sys.platform != 'linux', reason="torch brings GNU's OpenMP on Linux alone")
def test_the_library_that_torch_brings_reads_what_the_command_sets():
    environment = {name: value for name, value in os.environ.items() if name not in WAITING}
    environment['OMP_DISPLAY_ENV'] = 'VERBOSE'  # it prints its settings when it is loaded
    command = [sys.executable, '-m', 'vitbackbones', 'test', 'quick_detector', 'none.pth']
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert f"GOMP_SPINCOUNT = '{TURNS}'" in result.stderr


def test_settings_of_the_user_stand(monkeypatch):
    monkeypatch.setattr(allocation.platform, 'libc_ver', lambda: ('glibc', '2.39'))
    monkeypatch.setattr(allocation.ctypes, 'CDLL', None)  # asking it would fail
    monkeypatch.setenv('MALLOC_TRIM_THRESHOLD_', '100000')
    keep_freed_memory()
