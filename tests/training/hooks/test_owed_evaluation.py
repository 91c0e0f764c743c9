"""A run that was stopped before the end of an evaluation leaves what one in a single go leaves."""

import json
import os
import signal

import pytest
from mmengine.dist import get_rank
from mmengine.hooks import Hook
from mmengine.registry import HOOKS

from vitbackbones.training.find_checkpoint import POINTER, latest_checkpoint
from vitbackbones.training.hooks.interrupt import TrainingInterrupted
from vitbackbones.weights.read.load import load_file

from ...isolation import process_of_its_own
from ..toy import run_toy
from .test_exact_resume import Killed, config, leaves

pytestmark = pytest.mark.compat

TRAINED = ('state_dict', 'last_state_dict', 'optimizer', 'param_schedulers')


@HOOKS.register_module()
class StopInEvaluation(Hook):
    """Sends one process a signal in an evaluation, or ends all like SIGKILL where there is none."""

    def __init__(self, iteration, number=None, batch=1, rank=0):
        self.iteration, self.number, self.batch, self.rank = iteration, number, batch, rank

    def before_val_iter(self, runner, batch_idx, data_batch=None):
        if (runner.iter, batch_idx) == (self.iteration, self.batch):
            if self.number is None:
                raise Killed
            if get_rank() == self.rank:
                os.kill(os.getpid(), self.number)


def evaluated(work_dir, loop, *hooks, rule='less', interval=1, **changes):
    """Three evaluations, each four iterations after the one before; their metrics decide the rate.

    ``interval`` counts evaluations between two checkpoints.
    """
    average = {'type': 'vitbackbones.EMAHook', 'momentum': 0.3}
    run = config(work_dir, loop, average, *hooks, randomness={'seed': 2}, **changes)
    by_epoch = loop == 'epoch'
    run.train_cfg.update({'max_epochs': 3} if by_epoch else {'max_iters': 12})
    run.default_hooks.checkpoint = {
        'type': 'vitbackbones.CheckpointHook',
        'interval': interval if by_epoch else 4 * interval,
        'by_epoch': by_epoch,
        'save_best': 'toy/error',
        'rule': rule,
        'max_keep_ckpts': 2,
    }
    run.param_scheduler = [
        {'type': 'ReduceOnPlateauLR', 'monitor': 'toy/error', 'rule': rule, 'patience': 0}
    ]
    return run


def resume(work_dir, loop, *hooks, **options):
    latest = str(latest_checkpoint(work_dir))
    said = {'type': 'vitbackbones.FittingCheckpointHook', 'path': latest, 'resume': True}
    run = evaluated(work_dir, loop, *hooks, said, resume=True, load_from=latest, **options)
    return run_toy(run)


def stop(work_dir, loop, hook, **options):
    with process_of_its_own(), pytest.raises((Killed, TrainingInterrupted)) as end:
        run_toy(evaluated(work_dir, loop, hook, **options))
    return end.value


def files(folder):
    """What a run has left: each checkpoint by its name, the latest and the logged metrics."""
    return {
        'metrics': list(metrics(folder)),
        'latest': latest_checkpoint(folder).name,
        POINTER: (folder / POINTER).read_text().rpartition('/')[2],
        **{file.name: content(file) for file in folder.glob('*.pth')},
    }


def content(file):
    saved = load_file(file)
    hub = saved['message_hub']
    records = hub['runtime_info']
    histories = {name: hub['log_scalars'].get(name) for name in ('train/loss', 'val/toy/error')}
    return [
        leaves([saved.get(name) for name in TRAINED]),
        (saved['meta']['epoch'], saved['meta']['iter']),
        records['best_score'],
        records['best_ckpt'].rpartition('/')[2],
        {name: list(each.data[0]) for name, each in histories.items() if each},
    ]


def metrics(folder):
    for log in sorted(folder.glob('*/vis_data/scalars.json')):
        rows = map(json.loads, log.read_text().splitlines())
        yield from ((row['step'], row['toy/error']) for row in rows if 'toy/error' in row)


@pytest.fixture(scope='module', params=['epoch', 'iteration'])
def loop(request):
    return request.param


@pytest.fixture(scope='module', params=['less', 'greater'])
def whole(request, loop, tmp_path_factory):
    """By which rule the last of three is the best, or an earlier one; and what is left then."""
    folder = tmp_path_factory.mktemp(request.param)
    run_toy(evaluated(folder, loop, rule=request.param))
    return request.param, files(folder)


@pytest.mark.parametrize(('iteration', 'number'), [(4, 15), (8, None), (12, 15), (12, None)])
def test_the_evaluation_is_made_again(tmp_path, loop, whole, iteration, number):
    rule, expected = whole
    hook = {'type': 'StopInEvaluation', 'iteration': iteration, 'number': number}
    end = stop(tmp_path, loop, hook, rule=rule)
    assert isinstance(end, TrainingInterrupted if number else Killed)
    assert len(list(metrics(tmp_path))) == iteration // 4 - 1
    resume(tmp_path, loop, rule=rule)
    assert files(tmp_path) == expected


@pytest.mark.parametrize('iteration', [3, 11])
def test_told_in_the_step_before_it(tmp_path, loop, whole, iteration):
    rule, expected = whole
    stop(tmp_path, loop, {'type': 'Stop', 'iteration': iteration, 'signal': 15}, rule=rule)
    assert len(list(metrics(tmp_path))) == iteration // 4
    resume(tmp_path, loop, rule=rule)
    assert files(tmp_path) == expected


def test_stopped_again_in_what_is_made_again(tmp_path, loop, whole):
    rule, expected = whole
    hook = {'type': 'StopInEvaluation', 'iteration': 12, 'number': signal.SIGINT}
    stop(tmp_path, loop, hook, rule=rule)
    for batch in (0, 3):
        with process_of_its_own(), pytest.raises(TrainingInterrupted):
            resume(tmp_path, loop, {**hook, 'batch': batch}, rule=rule)
    resume(tmp_path, loop, rule=rule)
    assert files(tmp_path) == expected


def test_one_that_was_complete_is_not_made_again(tmp_path, loop, whole, capsys):
    rule, expected = whole
    run_toy(evaluated(tmp_path, loop, rule=rule))
    resume(tmp_path, loop, rule=rule)
    assert 'the training is already complete' in capsys.readouterr().out
    assert files(tmp_path) == expected


def test_killed_after_one_that_was_complete(tmp_path, loop, whole):
    rule, expected = whole
    stop(tmp_path, loop, {'type': 'Stop', 'iteration': 9}, rule=rule)
    resume(tmp_path, loop, rule=rule)
    assert files(tmp_path) == expected


def test_where_no_checkpoint_is_due(tmp_path, loop):
    run_toy(evaluated(tmp_path / 'whole', loop, interval=2))
    folder = tmp_path / 'stopped'
    hook = {'type': 'StopInEvaluation', 'iteration': 4, 'number': signal.SIGTERM}
    stop(folder, loop, hook, interval=2)
    resume(folder, loop, interval=2)
    assert files(folder) == files(tmp_path / 'whole')


@HOOKS.register_module()
class StopAtTheEnd(Hook):
    """Sends this process a signal when everything is done."""

    def after_train(self, runner):
        os.kill(os.getpid(), signal.SIGTERM)


def test_told_when_nothing_is_left_to_do(tmp_path, loop, whole):
    rule, expected = whole
    assert stop(tmp_path, loop, {'type': 'StopAtTheEnd'}, rule=rule).status == 143
    assert files(tmp_path) == expected
