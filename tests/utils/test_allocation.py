"""Memory that tensors gave back is used again, without new pages of the system."""

import platform
import subprocess
import sys

import pytest

from vitbackbones.utils import process_settings as allocation
from vitbackbones.utils.process_settings import keep_freed_memory

MEASURE = """
import resource, sys, torch
from vitbackbones.utils.process_settings import keep_freed_memory
if sys.argv[1] == 'keep':
    keep_freed_memory()
def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(24):  # until the heap has grown around what else lies in it
    torch.ones(2**24)
before = faults()
for _ in range(4):
    torch.ones(2**24)  # 64 MiB, 16384 pages
print(faults() - before)
"""
glibc = pytest.mark.skipif(platform.libc_ver()[0] != 'glibc', reason='another C library')


@glibc
def test_large_tensors_take_no_new_pages():
    def page_faults(word):
        command = [sys.executable, '-c', MEASURE, word]
        return int(subprocess.run(command, capture_output=True, check=True, text=True).stdout)

    # a system with huge pages for everything has few faults to begin with
    assert page_faults('keep') < max(page_faults('leave') / 4, 100)


def test_settings_of_the_user_stand(monkeypatch):
    monkeypatch.setattr(allocation.platform, 'libc_ver', lambda: ('glibc', '2.39'))
    monkeypatch.setattr(allocation.ctypes, 'CDLL', None)  # asking it would fail
    monkeypatch.setenv('MALLOC_TRIM_THRESHOLD_', '100000')
    keep_freed_memory()


def test_another_c_library_is_left_alone(monkeypatch):
    monkeypatch.setattr(allocation.platform, 'libc_ver', lambda: ('', ''))
    monkeypatch.setattr(allocation.ctypes, 'CDLL', None)
    keep_freed_memory()
