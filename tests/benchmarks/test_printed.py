"""Every program that the pages print for a number runs at toy size, to its table."""

import ast
import csv
import re
import runpy
import shlex
import sys
from importlib import import_module
from pathlib import Path

import pytest

from ..docs.pages import PAGES, ROOT, name_of
from .toys import ELSEWHERE, TABLE, TOYS

# with its arguments, as far as they stand in one block or between backticks
COMMAND = re.compile(
    r'(?:-m ((?:benchmarks|examples)\.[a-z]\w*)|python (tools/[\w/]+\.py))([^`#|\n]*)'
)
OPTION = re.compile(r' (--[\w-]+)')


def printed():
    """Yield page, program and options of each command."""
    for page in PAGES:
        for module, script, rest in COMMAND.findall(page.read_text().replace('\\\n', ' ')):
            yield name_of(page), module or script, {*OPTION.findall(rest)} - {'--help'}


def run(program, words, changes, monkeypatch):
    """Run a program in this process and return its exit status.

    Of a module, which is imported, the last statement is run: what is below `__main__`. Before
    that, ``changes`` are made in its constants.
    """
    monkeypatch.setattr(sys, 'argv', [program, *shlex.split(words)])
    try:
        if program.endswith('.py'):
            monkeypatch.syspath_prepend(str((ROOT / program).parent))
            runpy.run_path(str(ROOT / program), run_name='__main__')
        else:
            module = import_module(program)
            for name, value in changes.items():
                place = name if '.' in name else f'{program}.{name}'
                monkeypatch.setattr(place, value)
            tree = ast.parse(Path(module.__file__).read_text())
            tree.body = tree.body[-1].body
            exec(compile(tree, module.__file__, 'exec'), vars(module))
    except SystemExit as ended:
        return ended.code
    return 0


@pytest.mark.parametrize(
    'name', [pytest.param(name, marks=toy.marks) for name, toy in TOYS.items()]
)
def test_a_program_runs_to_its_table(name, tmp_path, monkeypatch, capsys):
    toy = TOYS[name]
    pytest.importorskip(toy.needs)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    for variable, value in toy.environment.items():
        monkeypatch.setenv(variable, value)
    toy.prepare(tmp_path)
    status = run(name.split()[0], toy.words, toy.changes, monkeypatch)
    said = capsys.readouterr()
    assert not status, said.err
    if toy.finds:
        with open(TABLE, newline='') as file:
            rows = [*csv.DictReader(file)]
        assert {key: [row[key] for row in rows] for key in toy.finds} == toy.finds
    for file, text in toy.says.items():
        assert text in (Path(file).read_text() if file else said.out)


def test_every_program_that_a_page_prints_has_a_toy_with_its_options():
    tried = {}
    for name, toy in TOYS.items():
        tried.setdefault(name.split()[0], set()).update(OPTION.findall(f' {toy.words}'))
    for page, program, options in printed():
        if program not in ELSEWHERE:
            assert program in tried, f'{page}: {program} runs in no test; add a row to toys.py'
            left = options - tried[program]
            assert not left, f'{page}: {program} {" ".join(left)} runs in no test; see toys.py'


def test_programs_that_run_elsewhere_are_printed_and_have_their_tests():
    assert ELSEWHERE.keys() <= {program for _, program, _ in printed()}
    for file in ELSEWHERE.values():
        assert (ROOT / 'tests' / file).is_file()
