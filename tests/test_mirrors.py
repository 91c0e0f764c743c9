"""Every module has tests where one looks for them, or a line that says which ones hold it."""

import csv
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / 'vitbackbones'
TESTS = ROOT / 'tests'
SHORT = 60  # lines of a module that is tested with those that use it

with (TESTS / 'held_by.csv').open(newline='') as rows:
    HELD_BY = {row['module']: row['tests'].split() for row in csv.DictReader(rows)}


def mirror(file):
    """Return where the test of a module would be."""
    place = file.relative_to(PACKAGE).with_suffix('')
    place = place.parent if place.name == '__init__' else place
    return TESTS / place.parent / f'test_{place.name}.py'


def test_every_longer_module_has_a_test_of_its_name_or_a_row():
    bare = [
        str(file.relative_to(PACKAGE))
        for file in sorted(PACKAGE.rglob('*.py'))
        if len(file.read_text().splitlines()) > SHORT
        and not mirror(file).is_file()
        and str(file.relative_to(PACKAGE)) not in HELD_BY
    ]
    assert bare == []


def test_what_a_row_names_is_there():
    for module, tests in HELD_BY.items():
        assert (PACKAGE / module).exists(), module
        assert tests, module
        for test in tests:
            assert (TESTS / test).exists(), f'{module}: {test}'


def test_no_row_stands_for_a_test_that_has_the_name_of_its_module():
    needless = [m for m in HELD_BY if m.endswith('.py') and mirror(PACKAGE / m).is_file()]
    assert needless == []
