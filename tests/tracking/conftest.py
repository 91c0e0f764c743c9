"""A run that is followed, fails, and is resumed."""

import importlib.util
import time
from pathlib import Path

import pytest
from mmengine.hooks import Hook
from mmengine.registry import HOOKS

from vitbackbones.openmmlab.applying import apply_patches
from vitbackbones.openmmlab.patches import IN_RUN
from vitbackbones.tracking.hook import TRACKERS, followed_to_its_end
from vitbackbones.training.console import QuietRunner

from ..training.toy import toy_config


@HOOKS.register_module()
class FailsInEpoch2(Hook):
    """Ends a run of four iterations an epoch after its sixth."""

    def before_train_iter(self, runner, batch_idx, data_batch=None):
        if runner.iter == 6:
            raise RuntimeError('no more of it')


def config(work_dir, *hooks, trackers=(), **changes):
    track = {'type': 'vitbackbones.TrackHook', 'trackers': trackers}
    return toy_config(work_dir, custom_hooks=[track, *hooks], **changes)


def train(settings):
    """Train as the command does, under a name of its own."""
    apply_patches(IN_RUN)
    if any(Path(settings.work_dir).glob('*/vis_data')):
        time.sleep(1.1)  # the folders of logs are named by seconds
    settings.experiment_name = f'followed{time.time()}'
    runner = QuietRunner.from_cfg(settings)
    with followed_to_its_end(runner):
        runner.train()
    return runner


@pytest.fixture(scope='session')
def followed(tmp_path_factory):
    """The work dir of a run in all trackers that are installed.

    It failed after iteration 6, was resumed after iteration 4, and ended after iteration 12.
    """
    work_dir = tmp_path_factory.mktemp('followed') / 'toy'
    trackers = [name for name in TRACKERS if importlib.util.find_spec(name)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('WANDB_MODE', 'offline')
        patch.setenv('WANDB_SILENT', 'true')
        patch.setenv('MLFLOW_ALLOW_FILE_STORE', 'true')
        patch.setenv('MLFLOW_TRACKING_URI', f'file:{work_dir.parent / "mlruns"}')
        with pytest.raises(RuntimeError, match='no more of it'):
            train(config(work_dir, {'type': 'FailsInEpoch2'}, trackers=trackers))
        resumed = {'resume': True, 'load_from': str(work_dir / 'epoch_1.pth')}
        train(config(work_dir, trackers=trackers, **resumed))
        if 'wandb' in trackers:
            import wandb

            wandb.teardown()
    return work_dir
