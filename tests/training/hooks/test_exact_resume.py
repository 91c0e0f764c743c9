"""A run that was stopped and resumed equals one that was not, bit for bit."""

import os
import random
import signal
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from mmengine.hooks import Hook
from mmengine.registry import HOOKS

from vitbackbones import exact
from vitbackbones.training.find_checkpoint import latest_checkpoint
from vitbackbones.training.hooks.exact_resume import ExactResumeHook
from vitbackbones.training.hooks.interrupt import TrainingInterrupted
from vitbackbones.weights.read.load import load_file

from ...isolation import process_of_its_own
from ..toy import by_iteration, loader, run_toy, toy_config

pytestmark = pytest.mark.compat


@HOOKS.register_module()
class Stop(Hook):
    """Ends a run after an iteration, as a kill or with a signal."""

    def __init__(self, iteration, signal=None):
        self.iteration, self.signal = iteration, signal

    def after_train_iter(self, runner, batch_idx, data_batch=None, outputs=None):
        if runner.iter == self.iteration:
            if self.signal is None:
                raise Killed
            os.kill(os.getpid(), self.signal)


class Killed(BaseException):
    pass


def config(work_dir, loop, *hooks, workers=0, persistent=False, batch_size=2, **changes):
    """Eight iterations with noise everywhere, saving every fourth."""
    data = {'dataset': {'type': 'NoisyData'}, 'num_workers': workers, 'batch_size': batch_size}
    data |= {'persistent_workers': persistent and workers > 0}
    kinds = {'epoch': 'DefaultSampler', 'iteration': 'InfiniteSampler'}
    train = loader(**data, sampler={'type': kinds[loop], 'shuffle': True})
    base = by_iteration() if loop == 'iteration' else {}
    common = {'train_cfg': {'by_epoch': True, 'max_epochs': 2, 'val_interval': 1}} | base
    common |= {'model': {'type': 'NoisyModel'}, 'train_dataloader': train}
    guards = [{'type': 'vitbackbones.ExactResumeHook'}, {'type': 'vitbackbones.InterruptHook'}]
    return toy_config(work_dir, custom_hooks=[*guards, *hooks], **common | changes)


def leaves(value):
    if isinstance(value, torch.Tensor):
        return [value.numpy().tobytes()]
    if isinstance(value, dict):
        return [leaf for key in value for leaf in (key, *leaves(value[key]))]
    return sum(map(leaves, value), []) if isinstance(value, list | tuple) else [value]


def state(runner):
    """Everything that training changes, tensors as bytes, and the losses of all steps."""
    losses = runner.message_hub.log_scalars['train/loss'].data[0]
    states = [runner.model.state_dict(), runner.optim_wrapper.state_dict()]
    return leaves(states), [float(loss) for loss in losses]


def stopped_and_resumed(work_dir, loop, stop, **options):
    with process_of_its_own(), pytest.raises((Killed, TrainingInterrupted)):
        run_toy(config(work_dir, loop, stop, **options))
    latest = str(latest_checkpoint(work_dir))
    return run_toy(config(work_dir, loop, resume=True, load_from=latest, **options))


STOPS = {
    'killed': {'type': 'Stop', 'iteration': 5},
    'interrupted': {'type': 'Stop', 'iteration': 5, 'signal': 2},  # in the middle of an epoch
    'at the end of an epoch': {'type': 'Stop', 'iteration': 3, 'signal': 15},
}


@pytest.mark.parametrize('stop', STOPS)
@pytest.mark.parametrize('loop', ['epoch', 'iteration'])
def test_resumed_equals_uninterrupted(tmp_path, loop, stop):
    options = {'workers': 2 * (stop != 'at the end of an epoch'), 'persistent': stop == 'killed'}
    whole = run_toy(config(tmp_path / 'whole', loop, workers=0))
    resumed = stopped_and_resumed(tmp_path / 'stopped', loop, STOPS[stop], **options)
    assert state(resumed) == state(whole)
    assert (resumed.epoch, resumed.iter) == (whole.epoch, whole.iter)
    assert len(set(state(whole)[1])) == 8  # there is noise


# ------------------------------------------------------------------------ accumulated gradients


def accumulating(work_dir, loop, *hooks, **changes):
    """Twelve iterations in epochs of three, with a step every four."""
    run = config(work_dir, loop, *hooks, batch_size=3, **changes)
    run.optim_wrapper.accumulative_counts = 4
    run.train_cfg.update({'max_epochs': 4} if loop == 'epoch' else {'max_iters': 12})
    return run


@pytest.fixture(scope='module', params=['epoch', 'iteration'])
def accumulated(request, tmp_path_factory):
    """The kind of a loop, and the state of a whole run."""
    folder = tmp_path_factory.mktemp('whole')
    return request.param, state(run_toy(accumulating(folder, request.param)))


@pytest.mark.parametrize('iteration', [4, 5, 6, 7])
def test_a_signal_waits_for_the_step_of_accumulated_gradients(tmp_path, accumulated, iteration):
    """Also beyond the end of an epoch, and its evaluation."""
    loop, whole = accumulated
    stop = {'type': 'Stop', 'iteration': iteration, 'signal': signal.SIGTERM}
    with pytest.raises(TrainingInterrupted):
        run_toy(accumulating(tmp_path, loop, stop))
    latest = latest_checkpoint(tmp_path)
    assert load_file(latest)['meta']['iter'] == 8
    resumed = accumulating(tmp_path, loop, resume=True, load_from=str(latest))
    assert state(run_toy(resumed)) == whole


@pytest.mark.parametrize(
    ('epoch', 'lost', 'says'), [(2, True, True), (2, True, False), (4, False, False)]
)
def test_gradients_that_a_checkpoint_lacks_are_said_to_be_lost(tmp_path, capsys, epoch, lost, says):
    """After 6 and 12 iterations; a file of earlier releases does not say it itself."""
    run = accumulating(tmp_path, 'epoch')
    run_toy(run)
    saved = tmp_path / f'epoch_{epoch}.pth'
    if not says:
        content = load_file(saved)
        del content['gradients_applied']
        torch.save(content, saved)
    capsys.readouterr()
    run.update(resume=True, load_from=str(saved))
    run.train_cfg.max_epochs = 5
    run_toy(run)
    said = [line for line in capsys.readouterr().out.splitlines() if 'warning: ' in line]
    assert len(said) == lost
    assert all('not exactly as before: the checkpoint was saved between' in line for line in said)


@HOOKS.register_module()
class Samples(Hook):
    """Keeps what was trained on."""

    seen: list = []

    def before_train_iter(self, runner, batch_idx, data_batch=None):
        self.seen.append(torch.cat(data_batch['x']).tolist())


def test_every_epoch_has_augmentations_of_its_own(tmp_path):
    Samples.seen = []
    changed = config(tmp_path, 'epoch', {'type': 'Samples'}, workers=1, persistent=True)
    changed.train_dataloader.sampler.shuffle = False
    run_toy(changed)
    first, second = Samples.seen[:4], Samples.seen[4:]
    assert not set(sum(first, [])) & set(sum(second, []))


@pytest.mark.parametrize(
    ('changes', 'difference'),
    [
        ({'train_dataloader.batch_size': 4}, 'batch size was 2, is 4'),
        ({'optim_wrapper.optimizer.lr': 0.01}, 'optim_wrapper of the config has changed'),
        ({'train_dataloader.num_workers': 1}, None),
    ],
)
def test_it_says_when_a_run_cannot_be_the_same(tmp_path, capsys, changes, difference):
    run_toy(config(tmp_path, 'epoch'))
    changed = config(tmp_path, 'epoch', resume=True, load_from=str(tmp_path / 'epoch_1.pth'))
    changed.merge_from_dict(changes)
    run_toy(changed)
    said = 'training continues, but not exactly as before: '
    shown = capsys.readouterr().out
    assert f'{said}{difference}' in shown if difference else said not in shown


def test_a_random_seed_of_the_sampler_is_kept(tmp_path):
    """``diff_rank_seed`` and ``seed=None`` draw one at every start."""
    changes = {'randomness': {'seed': 0, 'diff_rank_seed': True}}
    first = run_toy(config(tmp_path, 'epoch', **changes))
    changes |= {'resume': True, 'load_from': str(tmp_path / 'epoch_1.pth')}
    second = run_toy(config(tmp_path, 'epoch', **changes))
    seeds = [runner.train_dataloader.batch_sampler.sampler.seed for runner in (first, second)]
    assert seeds[0] == seeds[1]


def test_every_process_and_iteration_draws_numbers_of_its_own(monkeypatch):
    def drawn(rank, iteration):
        """What Python, numpy and torch draw in an iteration of a process."""
        monkeypatch.setattr(exact, 'process_place', lambda: (rank, 2))
        runner = SimpleNamespace(seed=0, iter=iteration)
        ExactResumeHook().before_train_iter(runner, batch_idx=0)
        return random.random(), np.random.rand(), torch.rand(1).item()

    assert drawn(0, 3) == drawn(0, 3)
    for other in (drawn(1, 3), drawn(0, 4)):
        assert not set(other) & set(drawn(0, 3))
