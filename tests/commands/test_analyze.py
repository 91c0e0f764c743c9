"""The curves of several runs, and what is refused."""

import csv
import shutil
from pathlib import Path

import pytest

from .conftest import TINY_CLS
from .test_messages import refused


def table():
    with open('out/curves.csv', newline='') as file:
        return list(csv.DictReader(file))


@pytest.mark.compat
def test_a_run_has_its_curves_and_they_are_laid_over_others(run, tool, folders):
    run('train', TINY_CLS, '--data-root', folders)
    work_dir = Path('work_dirs/tiny_cls')
    assert (work_dir / 'curves.png').is_file()
    shutil.copytree(work_dir, 'again')
    call = ('analyze', work_dir, 'again', 'curves', '--out', 'out')
    result = run(*call)
    assert f'out/curves.csv: {len(table())} rows; figure: curves.png' in result.out
    assert {row['model'] for row in table()} == {'tiny_cls', 'again'}
    assert {'val', 'accuracy/top1'} <= {row[key] for row in table() for key in row}
    assert Path('out/curves.png').is_file()
    refused(tool(*call), 'out/curves.csv already exists', '--overwrite')
    run('analyze', work_dir, 'curves', '--out', 'out', '--overwrite')
    assert {row['model'] for row in table()} == {'tiny_cls'}


def test_bad_arguments_are_refused(tool):
    refused(tool('analyze', 'a', 'a', 'curves', '--out', 'out'), 'a: is given twice')
    refused(tool('analyze', 'a', 'curves', '--out', 'out'), 'a: contains no log of a run')
    assert not list(Path('out').glob('curves.*'))
