"""The table of learned residual coefficients that a run writes."""

import json
from types import SimpleNamespace

import pytest
import torch
from mmengine.model import BaseModel
from mmengine.registry import MODELS
from torch import nn

from vitbackbones.layers import CoefficientShortcut
from vitbackbones.results.analysis.coefficients import TABLE, read_table
from vitbackbones.training.hooks.coefficients import CoefficientsHook

from ..toy import by_iteration, run_toy, toy_config

pytestmark = pytest.mark.compat
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


def run(work_dir, **changes):
    hooks = [{'type': 'vitbackbones.CoefficientsHook'}]
    return run_toy(
        toy_config(work_dir, custom_hooks=hooks, **{'model': {'type': 'ToyRecursion'}, **changes})
    )


def places(work_dir):
    return [(row['epoch'], row['iteration']) for row in read_table(work_dir / TABLE)]


@pytest.mark.parametrize('loop', ['epochs', 'iterations'])
def test_every_pass_over_the_data_is_a_row(tmp_path, loop):
    runner = run(tmp_path, **(by_iteration(12) if loop == 'iterations' else {}))
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
    run(tmp_path)
    whole = (tmp_path / TABLE).read_bytes()
    run(tmp_path, resume=True, load_from=str(tmp_path / 'epoch_1.pth'))
    assert (tmp_path / TABLE).read_bytes() == whole
    run(tmp_path, train_cfg={'by_epoch': True, 'max_epochs': 1})  # anew
    assert places(tmp_path) == [(0, 0), (1, 4)]


def test_other_models_have_no_table(tmp_path):
    run(tmp_path, model={'type': 'ToyModel'})
    assert not (tmp_path / TABLE).exists()


def test_a_table_that_cannot_be_written_is_a_warning(tmp_path, capsys):
    (tmp_path / TABLE).mkdir()
    assert run(tmp_path).iter == 12
    assert f'{tmp_path / TABLE} cannot be written' in capsys.readouterr().out


def test_a_model_without_coefficients_may_train_on_a_stream_without_length():
    runner = SimpleNamespace(model=nn.Linear(1, 1), iter=0, train_dataloader=iter([]))
    hook = CoefficientsHook()
    hook.before_train(runner)
    hook.after_train_iter(runner, 0)
    assert hook.rows == []
