"""``mutate.py`` finds the tests of a module."""

from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ('file', 'tests'),
    [
        ('configuration/schema.py', ['configuration/test_schema.py']),
        ('commands/predict.py', ['commands/predict']),
        ('tasks/necks.py', ['tasks']),  # which no test imports
    ],
)
def test_the_tests_of_a_module_are_found(monkeypatch, file, tests):
    monkeypatch.syspath_prepend(str(ROOT / 'tests'))
    monkeypatch.chdir(ROOT)
    found = import_module('mutate').tests_of(f'vitbackbones/{file}')
    assert found[: len(tests)] == [f'tests/{test}' for test in tests]


def test_every_room_has_tests():
    rooms = {file.parent.name for file in (ROOT / 'vitbackbones').glob('*/__init__.py')}
    assert all((ROOT / 'tests' / room).is_dir() for room in rooms)
