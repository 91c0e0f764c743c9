"""A run stops at the same step whether it was resumed or not."""

import logging
from types import SimpleNamespace

import pytest
from mmengine.config import Config

from vitbackbones.errors import TrainingInterrupted
from vitbackbones.preparing.hooks import add_service_hooks
from vitbackbones.training.find_checkpoint import latest_checkpoint
from vitbackbones.training.hooks.early_stopping import EarlyStoppingHook

from ...isolation import process_of_its_own
from ..toy import by_iteration, run_toy, toy_config
from .test_exact_resume import Killed

pytestmark = pytest.mark.compat
LENGTH = 40
BEST, PATIENCE = 22, 5  # the error is largest after step 22, and is evaluated every second step
END = BEST + 2 * PATIENCE
WATCH = {'monitor': 'toy/error', 'rule': 'greater', 'min_delta': 1e-4, 'patience': PATIENCE}
STOPPING = {'type': 'vitbackbones.EarlyStoppingHook', **WATCH}
STOPS = {
    'killed': {'type': 'Stop', 'iteration': END - 3},
    'interrupted': {'type': 'Stop', 'iteration': END - 4, 'signal': 2},
    'interrupted before the last evaluation': {'type': 'Stop', 'iteration': END - 1, 'signal': 2},
}


def config(work_dir, *hooks, stopping=STOPPING, **changes):
    loop = {'by_epoch': False, 'max_iters': LENGTH, 'val_interval': 2}
    guards = [{'type': 'vitbackbones.ExactResumeHook'}, {'type': 'vitbackbones.InterruptHook'}]
    hooks = [*guards, *hooks, *([stopping] if stopping else [])]
    return toy_config(work_dir, custom_hooks=hooks, **by_iteration(train_cfg=loop), **changes)


def go_on(work_dir, **options):
    latest = str(latest_checkpoint(work_dir))
    return run_toy(config(work_dir, resume=True, load_from=latest, **options))


@pytest.fixture(scope='module')
def work_dir(tmp_path_factory):
    """The work dir of a run that has stopped early."""
    folder = tmp_path_factory.mktemp('stopped')
    assert run_toy(config(folder)).iter == END
    return folder


@pytest.mark.parametrize('stop', STOPS)
def test_a_resumed_run_stops_at_the_same_step(tmp_path, capsys, stop):
    with process_of_its_own(), pytest.raises((Killed, TrainingInterrupted)):
        run_toy(config(tmp_path, STOPS[stop]))
    assert go_on(tmp_path).iter == END
    assert 'stopping early: toy/error: the monitored metric did not' in capsys.readouterr().out


def test_a_run_that_has_stopped_stays_stopped(work_dir, capsys):
    assert go_on(work_dir).iter == END
    assert capsys.readouterr().out.count('stopping early: ') == 1


def test_a_longer_patience_or_none_goes_on(work_dir):
    assert go_on(work_dir, stopping=STOPPING | {'patience': PATIENCE + 2}).iter == END + 4
    assert go_on(work_dir, stopping=None).iter == LENGTH


@pytest.mark.parametrize(
    ('values', 'is_stopped'),
    [
        ([0.001, 0.002, 0.003, 0.004], False),  # mmengine misses gains below 0.1
        ([0.0, 0.0, 0.0], True),
        ([0.5, 0.4, 0.3], True),
        ([0.5, 0.4, 0.3, 0.6], False),  # it went on without this hook
    ],
)
def test_the_last_evaluations_decide(values, is_stopped):
    history = SimpleNamespace(data=(values, None))
    runner = SimpleNamespace(
        message_hub=SimpleNamespace(log_scalars={'val/coco/bbox_mAP': history}),
        train_loop=SimpleNamespace(stop_training=False),
        logger=logging.getLogger(),
    )
    EarlyStoppingHook('coco/bbox_mAP', patience=2).before_train(runner)
    assert runner.train_loop.stop_training == is_stopped


def test_hooks_of_mmengine_are_replaced():
    config = Config({'custom_hooks': [{'type': 'EarlyStoppingHook', **WATCH}]})
    assert STOPPING in add_service_hooks(config).custom_hooks
    assert config.custom_hooks[0].type == 'EarlyStoppingHook'
