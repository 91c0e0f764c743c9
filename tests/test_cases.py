"""The table of inputs that people had trouble with, here or elsewhere: each names its test."""

import ast
import csv
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
COLUMNS = ['thread', 'kind', 'expected', 'test']

with open(Path(__file__).with_name('cases.csv'), encoding='utf-8', newline='') as file:
    READER = csv.DictReader(file)
    ROWS = [*READER]


@cache
def names_in(file):
    tree = ast.parse((ROOT / file).read_text(encoding='utf-8'))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_the_columns():
    assert READER.fieldnames == COLUMNS
    assert len(ROWS) > 100


@pytest.mark.parametrize('test', sorted({row['test'] for row in ROWS}))
def test_every_case_has_a_test(test):
    file, _, name = test.partition('::')
    assert name.startswith('test_')
    assert name in names_in(file)


def test_every_row_says_what_goes_in_and_what_comes_out_once():
    assert all(row['kind'] and row['expected'] for row in ROWS)
    twice = [key for key, n in Counter((r['kind'], r['test']) for r in ROWS).items() if n > 1]
    assert not twice
