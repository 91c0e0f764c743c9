"""Curves, coefficients and the loss landscape of a run, through the tools."""

import pytest

from .conftest import TINY_CLS
from .test_messages import refused

pytestmark = pytest.mark.compat
LANDSCAPE = ('landscape', '--points', 3, '--samples', 2, '--out', 'out')


@pytest.fixture
def work_dir(tool, folders, tmp_path):
    """What a run of the tiny classifier leaves."""
    result = tool('train', TINY_CLS, '--data-root', folders)
    assert result.status == 0, result.err
    return tmp_path / 'work_dirs' / 'tiny_cls'


def test_a_run_has_its_curves_and_they_are_laid_over_others(tool, work_dir, tmp_path):
    assert (work_dir / 'curves.png').is_file()
    result = tool('analyze', work_dir, work_dir, 'curves', '--out', 'out')
    assert result.status == 0, result.err
    lines = (tmp_path / 'out' / 'curves.csv').read_text().splitlines()
    assert lines[0] == 'model,split,quantity,unit,step,value'
    assert any(',val,accuracy/top1,epoch,1,' in line for line in lines)
    assert (tmp_path / 'out' / 'curves.png').is_file()
    result = tool('analyze', work_dir, 'coefficients', '--out', 'out')
    refused(result, 'no coefficients.csv', '(CoefficientShortcut)')


def test_a_landscape_is_resumed_and_never_overwritten_by_accident(
    tool, work_dir, folders, tmp_path
):
    model = (TINY_CLS, work_dir / 'epoch_1.pth')
    refused(tool('analyze', *model, *LANDSCAPE), 'data/val: the data_prefix of val_dataloader')
    first = tool('analyze', *model, *LANDSCAPE, '--data-root', folders)
    assert first.status == 0, first.err
    assert 'tiny_cls: 9 of 9 points are missing; a loss is the mean over 2 images' in first.out
    table = (tmp_path / 'out' / 'landscape.csv').read_bytes()
    again = ('analyze', *model, *LANDSCAPE, '--data-root', folders)
    refused(tool(*again), 'landscape.csv is there already')
    assert '0 of 9 points are missing' in tool(*again, '--resume').out
    assert (tmp_path / 'out' / 'landscape.csv').read_bytes() == table
    other = tool(*again, '--resume', '--seed', 1)
    refused(other, '--resume: ', 'was begun with another --seed. Choose another folder')
    assert '9 of 9 points are missing' in tool(*again, '--overwrite', '--seed', 1).out
    assert (tmp_path / 'out' / 'landscape.csv').read_bytes() != table
