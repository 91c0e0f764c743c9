"""A moving average of the weights: what is in a checkpoint, and what a later run makes of it."""

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
    def after_val_iter(self, runner, batch_idx, data_batch=None, outputs=None):
        next(h for h in runner.hooks if hasattr(h, 'received')).received = 2


def ours(evaluate):
    return {'type': 'vitbackbones.EMAHook', 'momentum': 0.3, 'evaluate': evaluate}


def theirs(evaluate):
    """The hook that configs had before, or users have."""
    if evaluate == 'average':
        return {'type': 'EMAHook', 'momentum': 0.3}
    pytest.importorskip('mmpretrain')
    options = {'evaluate_on_ema': False, 'evaluate_on_origin': True}
    return {'type': 'mmpretrain.EMAHook', 'momentum': 0.3, **options}


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
    sets = {
        'average': leaves(average.module.state_dict()),
        'last': leaves(runner.model.state_dict()),
    }
    assert sets['average'] != sets['last']
    assert tensors(tmp_path) == sets.pop(evaluate)
    ((name, other),) = sets.items()
    assert tensors(tmp_path, OTHER[evaluate]) == other
    assert OTHER[name] not in load_file(tmp_path / 'epoch_2.pth')


def measure(work_dir, checkpoint, *hooks):
    """The metrics of a checkpoint."""
    given = config(work_dir, 'epoch', load_from=str(checkpoint))
    given.update(test_dataloader=given.val_dataloader, test_cfg={}, custom_hooks=list(hooks))
    given.test_evaluator = given.val_evaluator
    return run_toy(given, test=True)


@pytest.mark.parametrize('evaluate', EVALUATE)
def test_validation_measures_what_is_saved_as_the_weights(tmp_path, evaluate):
    runner = run_toy(config(tmp_path, 'epoch', ours(evaluate)))
    measured = {'toy/error': runner.message_hub.get_scalar('val/toy/error').current()}
    assert measure(tmp_path / 'test', tmp_path / 'epoch_2.pth') == measured
    assert measure(tmp_path / 'test', tmp_path / 'epoch_2.pth', ours(evaluate)) == measured


@pytest.mark.parametrize('hook', [ours, theirs])
def test_weights_without_an_average_are_evaluated_as_they_are(tmp_path, hook):
    """A file of nothing else, as others publish them."""
    run_toy(config(tmp_path, 'epoch'))
    weights = tmp_path / 'weights.pth'
    torch.save(load_file(tmp_path / 'epoch_2.pth')['state_dict'], weights)
    guard = {'type': 'vitbackbones.FittingCheckpointHook', 'path': str(weights), 'resume': False}
    measured = measure(tmp_path / 'test', tmp_path / 'epoch_2.pth')
    assert measure(tmp_path / 'test', weights, guard, hook('average')) == measured


@pytest.mark.parametrize('where', [STOPS['killed'], STOPS['interrupted'], 'evaluation'])
@pytest.mark.parametrize('evaluate', EVALUATE)
def test_resumed_equals_uninterrupted(tmp_path, evaluate, where):
    whole = run_toy(config(tmp_path / 'whole', 'epoch', ours(evaluate)))
    where = {'type': 'InterruptedInEvaluation'} if where == 'evaluation' else where
    stop(tmp_path / 'stopped', ours(evaluate), where)
    resumed = resume(tmp_path / 'stopped', ours(evaluate))
    assert everything(resumed) == everything(whole)
    assert tensors(tmp_path / 'stopped') == tensors(tmp_path / 'whole')


@pytest.mark.parametrize('evaluate', EVALUATE)
def test_a_run_that_mmengines_hook_began_goes_on_exactly(tmp_path, evaluate):
    whole = run_toy(config(tmp_path / 'whole', 'epoch', theirs(evaluate)))
    stop(tmp_path / 'stopped', theirs(evaluate), STOPS['killed'])
    resumed = resume(tmp_path / 'stopped', ours(evaluate))
    assert everything(resumed) == everything(whole)


@pytest.mark.parametrize('hooks', [[], [{'type': 'EMAHook', 'momentum': 0.3}]])
def test_a_run_without_the_hook_does_not_mistake_the_weights(tmp_path, hooks):
    stop(tmp_path, ours('average'), STOPS['killed'])
    with pytest.raises(InputError, match='with vitbackbones.EMAHook, which the config does not'):
        resume(tmp_path, *hooks)


def test_a_run_without_an_average_may_begin_one(tmp_path, capsys):
    stop(tmp_path, STOPS['killed'])
    resume(tmp_path, ours('average'))
    assert (
        'the checkpoint has no average of the weights; it starts again' in capsys.readouterr().out
    )


@pytest.mark.parametrize('evaluate', EVALUATE)
def test_another_training_starts_from_what_was_evaluated(tmp_path, evaluate):
    run_toy(config(tmp_path / 'first', 'epoch', ours(evaluate)))
    wanted = tensors(tmp_path / 'first')
    still = config(
        tmp_path, 'epoch', ours('average'), load_from=str(tmp_path / 'first/epoch_2.pth')
    )
    still.optim_wrapper.optimizer.lr = 0.0
    run_toy(still)
    assert tensors(tmp_path) == tensors(tmp_path, 'last_state_dict') == wanted


def test_other_choices_are_refused(tmp_path):
    with pytest.raises(InputError, match="evaluate='both'; known are 'average' and 'last'"):
        run_toy(config(tmp_path, 'epoch', ours('both')))


def test_nothing_but_finite_averages_is_resumed(tmp_path):
    stop(tmp_path, ours('last'), STOPS['killed'])
    content = torch.load(tmp_path / 'epoch_1.pth', weights_only=False)
    content['averaged_state_dict']['out.bias'].fill_(torch.nan)
    torch.save(content, tmp_path / 'epoch_1.pth')
    with pytest.raises(InputError, match=r'NaN or infinite values in 1 of 6 tensors: out\.bias'):
        resume(tmp_path, ours('last'))
