"""What docstrings show in their examples is what Python prints."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / 'vitbackbones').rglob('*.py'))
NAMES = [
    '.'.join(file.relative_to(ROOT).with_suffix('').parts).removesuffix('.__init__')
    for file in FILES
    if '>>> ' in file.read_text()
]


@pytest.mark.parametrize('name', NAMES)
def test_examples_print_what_they_show(name):
    found = doctest.testmod(import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.failed == 0


def test_there_are_examples():
    assert len(NAMES) > 10
