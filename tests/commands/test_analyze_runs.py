"""Curves, coefficients and the loss landscape of a run, through the command."""

import shutil

import pytest

from examples.landscape import main, read_arguments

from .conftest import TINY_CLS
from .test_messages import refused

pytestmark = pytest.mark.compat


@pytest.fixture
def work_dir(run, folders, tmp_path):
    """What a run of the tiny classifier leaves."""
    run('train', TINY_CLS, '--data-root', folders)
    return tmp_path / 'work_dirs' / 'tiny_cls'


def test_a_run_has_its_curves_and_they_are_laid_over_others(run, tool, work_dir, tmp_path):
    assert (work_dir / 'curves.png').is_file()
    shutil.copytree(work_dir, 'again')
    result = run('analyze', work_dir, 'again', 'curves', '--out', 'out')
    lines = (tmp_path / 'out' / 'curves.csv').read_text().splitlines()
    assert lines[0] == 'model,split,quantity,unit,step,value'
    assert any(',val,accuracy/top1,epoch,1,' in line for line in lines)
    assert (tmp_path / 'out' / 'curves.png').is_file()
    result = tool('analyze', work_dir, 'coefficients', '--out', 'out')
    refused(result, 'no coefficients.csv', '(CoefficientShortcut)')


def test_the_landscape_of_a_run(work_dir, folders, tmp_path, capsys):
    words = [TINY_CLS, work_dir / 'epoch_1.pth', '--data-root', folders, '--out', 'out']
    options = read_arguments([*map(str, words), '--points', '3', '--samples', '2'])
    for missing in (9, 0):
        main(options)
        assert f'{missing} of 9 points are missing' in capsys.readouterr().out
    assert (tmp_path / 'out' / 'landscape.png').is_file()
