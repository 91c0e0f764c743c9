"""A run that is followed, fails, and is resumed; a server that notes what arrives."""

import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

import pytest
from mmengine.hooks import Hook
from mmengine.registry import HOOKS

from vitbackbones.openmmlab.applying import apply_patches
from vitbackbones.openmmlab.patches import IN_RUN
from vitbackbones.training.console import QuietRunner
from vitbackbones.training.hooks.curves import told_when_stopped

from ..isolation import process_of_its_own
from ..training.toy import toy_config


@HOOKS.register_module()
class FailsInEpoch2(Hook):
    """Ends a run of four iterations an epoch after its sixth."""

    def before_train_iter(self, runner, batch_idx, data_batch=None):
        if runner.iter == 6:
            raise RuntimeError('no more of it')


def config(work_dir, *hooks, track=(), **changes):
    track = {'type': 'vitbackbones.TrackHook', **dict(track)}
    return toy_config(work_dir, custom_hooks=[track, *hooks], **changes)


def train(settings):
    """Train as the command does, under a name of its own."""
    apply_patches(IN_RUN)
    if any(Path(settings.work_dir).glob('*/vis_data')):
        time.sleep(1.1)  # the folders of logs are named by seconds
    settings.experiment_name = f'followed{time.time()}'
    runner = QuietRunner.from_cfg(settings)
    with told_when_stopped(runner):
        runner.train()
    return runner


def resumed(work_dir):
    return {'resume': True, 'load_from': str(work_dir / 'epoch_1.pth')}


@pytest.fixture(scope='session')
def followed(tmp_path_factory):
    """The work dir of a run in TensorBoard and MLflow, where they are installed.

    It failed after iteration 6, was resumed after iteration 4, and ended after iteration 12.
    """
    work_dir = tmp_path_factory.mktemp('followed') / 'toy'
    track = {'trackers': [name for name in ('tensorboard', 'mlflow') if find_spec(name)]}
    with process_of_its_own(), pytest.MonkeyPatch.context() as patch:
        patch.delenv('MLFLOW_ALLOW_FILE_STORE', raising=False)
        patch.setenv('MLFLOW_TRACKING_URI', f'file:{work_dir.parent / "mlruns"}')
        with pytest.raises(RuntimeError, match='no more of it'):
            train(config(work_dir, {'type': 'FailsInEpoch2'}, track=track))
        train(config(work_dir, track=track, **resumed(work_dir)))
    return work_dir


@pytest.fixture
def stranger():
    """The address of a server, and the requests that have arrived there."""
    arrived = []

    class Noting(BaseHTTPRequestHandler):
        def parse_request(self):
            arrived.append(self.raw_requestline)
            return False

    server = ThreadingHTTPServer(('127.0.0.1', 0), Noting)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f'http://127.0.0.1:{server.server_port}', arrived
    server.shutdown()
    server.server_close()
