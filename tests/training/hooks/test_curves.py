"""Every run leaves a picture of its curves and a table of coefficients, and no run ends for it."""

import json

import pytest
import torch
from mmengine.model import BaseModel
from mmengine.registry import MODELS
from PIL import Image
from torch import nn

from vitbackbones.layers import CoefficientShortcut
from vitbackbones.results.analysis.coefficients import TABLE, read_table
from vitbackbones.results.analysis.curves import measure
from vitbackbones.training.console import QuietRunner
from vitbackbones.training.hooks import curves

from ..toy import by_iteration, run_toy, toy_config
from .test_exact_resume import Killed

pytestmark = pytest.mark.compat
CURVES = {'type': 'vitbackbones.CurvesHook'}
CANNOT = 'curves.png of this run is not drawn'


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


# ------------------------------------------------------------------------ coefficients

NAME = 'blocks.0.shortcut.branch'


@MODELS.register_module()
class ToyRecursion(BaseModel):
    """One coefficient of a branch that is the input; the loss wants it to be 2."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Module()])
        self.blocks[0].shortcut = CoefficientShortcut(1, 'branch')

    def forward(self, x, mode):
        x = torch.stack(x)  # (N, 1)
        error = self.blocks[0].shortcut(0 * x, x, x) - 2 * x
        return {'loss': error.square().mean()} if mode == 'loss' else [{'error': 0.0}]


def run_recursion(work_dir, **changes):
    hooks = [{'type': 'vitbackbones.CoefficientsHook'}]
    return run_toy(
        toy_config(work_dir, custom_hooks=hooks, **{'model': {'type': 'ToyRecursion'}, **changes})
    )


def places(work_dir):
    return [(row['epoch'], row['iteration']) for row in read_table(work_dir / TABLE)]


@pytest.mark.parametrize('loop', ['epochs', 'iterations'])
def test_every_pass_over_the_data_is_a_row(tmp_path, loop):
    runner = run_recursion(tmp_path, **(by_iteration(12) if loop == 'iterations' else {}))
    assert places(tmp_path) == [(0, 0), (1, 4), (2, 8), (3, 12)]
    rows = read_table(tmp_path / TABLE)
    assert rows[0][NAME] == 1
    last = runner.model.blocks[0].shortcut.branch.item()
    assert rows[-1][NAME] == pytest.approx(last, rel=1e-8)
    assert last > 1
    (log,) = tmp_path.glob('*/vis_data/scalars.json')
    logged = [json.loads(line) for line in log.open() if NAME in line]
    assert [line['step'] for line in logged] == [0, 4, 8, 12]


def test_a_resumed_run_has_no_epoch_twice(tmp_path):
    run_recursion(tmp_path)
    whole = (tmp_path / TABLE).read_bytes()
    run_recursion(tmp_path, resume=True, load_from=str(tmp_path / 'epoch_1.pth'))
    assert (tmp_path / TABLE).read_bytes() == whole
    run_recursion(tmp_path, train_cfg={'by_epoch': True, 'max_epochs': 1})  # anew
    assert places(tmp_path) == [(0, 0), (1, 4)]


def test_other_models_have_no_table(tmp_path):
    run_recursion(tmp_path, model={'type': 'ToyModel'})
    assert not (tmp_path / TABLE).exists()
