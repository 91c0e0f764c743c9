"""Every run leaves a picture of its curves, and no run ends for it."""

import pytest
from PIL import Image

from vitbackbones.analysis.curves import draw, measure
from vitbackbones.training.console import QuietRunner
from vitbackbones.training.hooks import curves

from ..toy import run_toy, toy_config
from .test_exact_resume import Killed

pytestmark = pytest.mark.compat
CURVES = {'type': 'vitbackbones.CurvesHook'}
CANNOT = 'curves.png of this run cannot be plotted'


def config(work_dir, *hooks, **changes):
    return toy_config(work_dir, custom_hooks=[CURVES, *hooks], **changes)


def is_picture(path):
    with Image.open(path) as picture:
        return picture.width > 500 and picture.getcolors(maxcolors=5) is None


WITHOUT_VALIDATION = {'val_dataloader': None, 'val_cfg': None, 'val_evaluator': None}


@pytest.mark.parametrize('changes', [{}, WITHOUT_VALIDATION])
def test_a_run_ends_with_its_curves(tmp_path, changes):
    run_toy(config(tmp_path, **changes))
    assert is_picture(tmp_path / 'curves.png')
    quantities = {row['quantity'] for row in measure(tmp_path)}
    assert {'loss', 'lr'} <= quantities
    assert ('toy/error' in quantities) is (not changes)


def test_a_run_that_fails_has_its_curves(tmp_path):
    runner = QuietRunner.from_cfg(config(tmp_path, {'type': 'Stop', 'iteration': 2}))
    with pytest.raises(Killed), curves.told_when_stopped(runner):
        runner.train()
    assert is_picture(tmp_path / 'curves.png')
    assert {row['step'] for row in measure(tmp_path)} == {1, 2}


def test_a_picture_that_cannot_be_written_is_a_warning(tmp_path, capsys):
    (tmp_path / 'curves.png').mkdir()
    assert run_toy(config(tmp_path)).iter == 12
    (line,) = [line for line in capsys.readouterr().out.splitlines() if CANNOT in line]
    assert 'warning: ' in line
    assert f'{tmp_path / "curves.png"} cannot be written' in line


@pytest.mark.parametrize(
    ('best', 'said'),
    [
        ({'rule': 'greater'}, 'best checkpoint, epoch 3'),
        ({'rule': 'less'}, 'best checkpoint, epoch 1: no gain since'),
    ],
)
def test_the_best_checkpoint_is_marked_in_the_validation(tmp_path, monkeypatch, best, said):
    """The error of the toy rises in each of three epochs."""
    drawn = []
    monkeypatch.setattr(curves, 'draw', lambda *rows: drawn.append(draw(*rows)) or drawn[-1])
    made = config(tmp_path)
    made.default_hooks.checkpoint.update(save_best='toy/error', **best)
    run_toy(made)
    texts = {axes.get_title(): axes.get_legend().get_texts() for axes in drawn[-1].axes}
    assert texts['validation, toy'][-1].get_text() == said
    assert len(texts['learning rate']) == 1
