"""A run goes on when its logs are deleted."""

import json
import shutil
from pathlib import Path

import pytest
from mmengine.hooks import Hook
from mmengine.registry import HOOKS

from ..toy import run_toy, toy_config

pytestmark = pytest.mark.compat


@HOOKS.register_module()
class Cleaner(Hook):
    """Deletes what a person takes for old."""

    def __init__(self, below):
        self.below = below

    def before_train_iter(self, runner, batch_idx, data_batch=None):
        if runner.iter == 5:
            everything = {'work dir': runner.work_dir, 'log folder': runner.log_dir}
            everything['losses'] = Path(runner.log_dir, 'vis_data')
            shutil.rmtree(everything[self.below])


@pytest.mark.parametrize('deleted', ['work dir', 'log folder', 'losses'])
def test_what_is_deleted_is_made_again(tmp_path, capsys, deleted):
    hooks = [{'type': 'vitbackbones.LogFolderHook'}, {'type': 'Cleaner', 'below': deleted}]
    runner = run_toy(toy_config(tmp_path / 'run', custom_hooks=hooks))
    assert runner.iter == 12
    assert (tmp_path / 'run' / 'epoch_3.pth').is_file()
    folder = Path(runner.log_dir, 'vis_data')
    assert f'{folder} was deleted; the log goes on in a new one' in capsys.readouterr().out
    steps = [json.loads(line)['step'] for line in (folder / 'scalars.json').open()]
    assert steps[0] == 6
    log = Path(runner.log_dir, f'{runner.timestamp}.log').read_text()
    assert 'Epoch(train) [3][4/4]' in log
    assert ('Epoch(train) [1][1/4]' in log) is (deleted == 'losses')
