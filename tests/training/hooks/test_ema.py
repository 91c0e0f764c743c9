"""A moving average of the weights: what is in a checkpoint, and what a later run makes of it."""

import os
import signal

import pytest
import torch
from mmengine.hooks import Hook
from mmengine.registry import HOOKS

from vitbackbones.errors import InputError
from vitbackbones.training.find_checkpoint import latest_checkpoint
from vitbackbones.training.hooks.interrupt import TrainingInterrupted
from vitbackbones.weights.read.load import load_file

from ..toy import run_toy
from .test_exact_resume import STOPS, Killed, config, leaves, state

pytestmark = pytest.mark.compat
EVALUATE = ('average', 'last')
OTHER = {'average': 'last_state_dict', 'last': 'averaged_state_dict'}


@HOOKS.register_module()
class InterruptedInEvaluation(Hook):
    """Sends SIGINT after a number of batches, of which an evaluation has four."""

    def __init__(self, batches=1):
        self.left = batches

    def after_val_iter(self, runner, batch_idx, data_batch=None, outputs=None):
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGINT)


def ours(evaluate):
    return {'type': 'vitbackbones.EMAHook', 'momentum': 0.3, 'evaluate': evaluate}


# the hooks that configs had before, or users have
THEIRS = {'type': 'EMAHook', 'momentum': 0.3}
PRETRAINS = {'type': 'mmpretrain.EMAHook', 'momentum': 0.3}
PRETRAINS_LAST = PRETRAINS | {'evaluate_on_ema': False, 'evaluate_on_origin': True}
PRETRAINS_BOTH = PRETRAINS | {'evaluate_on_ema': True, 'evaluate_on_origin': True}


def everything(runner):
    """As :func:`state`, with the average."""
    hook = next(hook for hook in runner.hooks if hasattr(hook, 'ema_model'))
    return state(runner), leaves(hook.ema_model.state_dict())


def stop(work_dir, *hooks):
    with pytest.raises((Killed, TrainingInterrupted)):
        run_toy(config(work_dir, 'epoch', *hooks))


def resume(work_dir, *hooks):
    latest = str(latest_checkpoint(work_dir))
    guard = {'type': 'vitbackbones.FittingCheckpointHook', 'path': latest, 'resume': True}
    return run_toy(config(work_dir, 'epoch', guard, *hooks, resume=True, load_from=latest))


def tensors(work_dir, name='state_dict'):
    return leaves(load_file(latest_checkpoint(work_dir))[name])


@pytest.mark.parametrize('evaluate', EVALUATE)
def test_a_file_says_which_weights_are_which(tmp_path, evaluate):
    runner = run_toy(config(tmp_path, 'epoch', ours(evaluate)))
    average = next(h for h in runner.hooks if hasattr(h, 'ema_model')).ema_model
    first, second = leaves(average.module.state_dict()), leaves(runner.model.state_dict())
    assert first != second
    if evaluate == 'last':
        first, second = second, first
    assert tensors(tmp_path) == first
    assert tensors(tmp_path, OTHER[evaluate]) == second
    assert len({*OTHER.values()} & {*load_file(tmp_path / 'epoch_2.pth')}) == 1


EVALUATING = {'type': 'InterruptedInEvaluation'}


@pytest.mark.parametrize(
    ('hook', 'where'),
    [
        (ours('average'), STOPS['killed']),
        (ours('average'), EVALUATING),
        (ours('last'), STOPS['interrupted']),
        (ours('last'), EVALUATING),
        (THEIRS, STOPS['interrupted']),
        (THEIRS, EVALUATING),
        (PRETRAINS_LAST, EVALUATING),
        (PRETRAINS_BOTH, EVALUATING),
        (PRETRAINS_BOTH, EVALUATING | {'batches': 6}),  # in the second of two evaluations
    ],
)
def test_resumed_equals_uninterrupted(tmp_path, hook, where):
    whole = run_toy(config(tmp_path / 'whole', 'epoch', hook))
    stop(tmp_path / 'stopped', hook, where)
    resumed = resume(tmp_path / 'stopped', hook)
    assert everything(resumed) == everything(whole)
    assert tensors(tmp_path / 'stopped') == tensors(tmp_path / 'whole')


@pytest.mark.parametrize(('theirs', 'evaluate'), [(THEIRS, 'average'), (PRETRAINS_LAST, 'last')])
def test_a_run_that_mmengines_hook_began_goes_on_exactly(tmp_path, theirs, evaluate):
    whole = run_toy(config(tmp_path / 'whole', 'epoch', theirs))
    stop(tmp_path / 'stopped', theirs, STOPS['killed'])
    resumed = resume(tmp_path / 'stopped', ours(evaluate))
    assert everything(resumed) == everything(whole)


def test_a_run_without_the_hook_does_not_mistake_the_weights(tmp_path):
    stop(tmp_path, ours('average'), STOPS['killed'])
    for hooks in ([], [THEIRS]):
        with pytest.raises(InputError, match='vitbackbones.EMAHook, but the config has no'):
            resume(tmp_path, *hooks)


def test_a_run_without_an_average_may_begin_one(tmp_path, capsys):
    stop(tmp_path, STOPS['killed'])
    resume(tmp_path, ours('average'))
    assert 'has no EMA weights; averaging starts again' in capsys.readouterr().out


@pytest.mark.parametrize('evaluate', EVALUATE)
def test_another_training_starts_from_what_was_evaluated(tmp_path, evaluate):
    run_toy(config(tmp_path / 'first', 'epoch', ours(evaluate)))
    wanted = tensors(tmp_path / 'first')
    saved = str(tmp_path / 'first' / 'epoch_2.pth')
    still = config(tmp_path, 'epoch', ours('average'), load_from=saved)
    still.optim_wrapper.optimizer.lr = 0.0
    run_toy(still)
    assert tensors(tmp_path) == tensors(tmp_path, 'last_state_dict') == wanted


def test_other_choices_are_refused(tmp_path):
    with pytest.raises(InputError, match="evaluate='both' must be 'average' or 'last'"):
        run_toy(config(tmp_path, 'epoch', ours('both')))


def test_nothing_but_finite_averages_is_resumed(tmp_path):
    stop(tmp_path, ours('last'), STOPS['killed'])
    content = torch.load(tmp_path / 'epoch_1.pth', weights_only=False)
    content['averaged_state_dict']['out.bias'].fill_(torch.nan)
    torch.save(content, tmp_path / 'epoch_1.pth')
    with pytest.raises(
        InputError, match=r'1 of 6 tensors contain NaN or infinite values: out\.bias'
    ):
        resume(tmp_path, ours('last'))
