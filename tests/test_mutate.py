"""Every module has tests that ``mutate.py`` can run, and what its table names is there."""

from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted(str(path.relative_to(ROOT)) for path in (ROOT / 'vitbackbones').rglob('*.py'))
FILES = [file for file in FILES if not file.endswith(('__init__.py', 'version.py'))]


@pytest.fixture
def mutate(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / 'tests'))
    monkeypatch.chdir(ROOT)
    return import_module('mutate')


def test_every_module_has_tests(mutate):
    assert len(FILES) > 100
    assert [file for file in FILES if not mutate.tests_of(file)] == []


def test_the_table_names_what_is_there(mutate):
    inside = [file.removeprefix('vitbackbones/') for file in FILES]
    gone = [path for path in mutate.ALSO if not any(file.startswith(path) for file in inside)]
    tests = {test for tests in mutate.ALSO.values() for test in tests}
    assert gone == []
    assert [test for test in sorted(tests) if not (ROOT / 'tests' / test).exists()] == []
