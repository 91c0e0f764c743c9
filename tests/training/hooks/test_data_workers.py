"""A run that loses a data worker ends with a checkpoint and the reason."""

import multiprocessing
import os
import signal
import time
from pathlib import Path

import pytest
from mmengine.hooks import Hook
from mmengine.registry import DATASETS, HOOKS
from torch.utils.data import get_worker_info

from vitbackbones.errors import InputError, TrainingInterrupted
from vitbackbones.training.console import QuietRunner
from vitbackbones.training.find_checkpoint import latest_checkpoint
from vitbackbones.training.hooks import interrupt
from vitbackbones.training.hooks.data_workers import explain_loss
from vitbackbones.training.hooks.interrupt import InterruptHook, saved_without_data
from vitbackbones.weights.read.load import load_file

from ..toy import NoisyData, end_workers, run_toy
from .test_exact_resume import config, state

pytestmark = pytest.mark.compat
KILLED = 'DataLoader worker (pid 7) is killed by signal: Killed. '


@pytest.mark.parametrize(
    ('fault', 'reason'),
    [
        ('is killed by signal: Killed', 'most likely the machine ran out of memory'),
        ('is killed by signal: Bus error', 'shared memory (/dev/shm) is full: enlarge it (docker'),
        ('exited unexpectedly', 'most likely shared memory'),
        ('is killed by signal: Segmentation fault', 'a library crashed'),
    ],
)
def test_reasons(fault, reason):
    said = RuntimeError(f'DataLoader worker (pid 7) {fault}. It is possible that.')
    assert explain_loss(said).startswith(f'DataLoader worker (pid 7) {fault}: {reason}')
    vague = RuntimeError('DataLoader worker (pid(s) 7) exited unexpectedly')
    vague.__cause__ = said
    assert explain_loss(vague) == explain_loss(said)


def lose_a_worker(run):
    """Train until a worker is lost; return what is said."""
    run.experiment_name = f'lost{time.monotonic_ns()}'
    runner = QuietRunner.from_cfg(run)
    try:
        with pytest.raises(InputError) as stop, saved_without_data(runner):
            runner.train()
    finally:
        end_workers()
    return str(stop.value)


def resumed(run):
    """Go on with a run where ``interrupted.pth`` says."""
    latest = latest_checkpoint(Path(run.work_dir))
    assert latest.name == 'interrupted.pth'
    run.update(resume=True, load_from=str(latest))
    return run_toy(run)


@HOOKS.register_module()
class OutOfMemoryOfAWorker(Hook):
    """Kills a data worker while the training process is within an iteration."""

    def before_train_iter(self, runner, batch_idx, data_batch=None):
        if runner.iter == 5:
            os.kill(multiprocessing.active_children()[0].pid, signal.SIGKILL)
            watch = next(h.workers for h in runner.hooks if isinstance(h, InterruptHook))
            end = time.monotonic() + 60
            while watch.error is None and time.monotonic() < end:
                time.sleep(0.01)


def test_the_iteration_is_finished_first(tmp_path):
    whole = run_toy(config(tmp_path / 'whole', 'epoch'))
    said = lose_a_worker(config(tmp_path, 'epoch', {'type': 'OutOfMemoryOfAWorker'}, workers=2))
    assert 'is killed by signal: Killed: most likely the machine ran out of memory' in said
    assert f'{tmp_path}/interrupted.pth continues with epoch 2, iteration 7; continue with' in said
    assert state(resumed(config(tmp_path, 'epoch'))) == state(whole)


@DATASETS.register_module()
class Failing(NoisyData):
    """Does ``fault`` at a sample, unless the file ``flag`` says that it has."""

    def __init__(self, sample, fault, flag):
        self.sample, self.fault, self.flag = sample, fault, Path(flag)

    def __getitem__(self, i):
        if i == self.sample and not self.flag.exists():
            self.flag.touch()
            time.sleep(0.5)  # until training has to wait for it
            return FAULTS[self.fault]()
        return super().__getitem__(i)


class NotHandedOver:
    """As a tensor without shared memory."""

    def __reduce__(self):
        raise RuntimeError('unable to allocate shared memory(shm)')


def end_the_run():
    os.kill(os.getppid() if get_worker_info() else os.getpid(), signal.SIGTERM)
    time.sleep(600)


def lose():
    raise RuntimeError(KILLED)


FAULTS = {
    'dies': lambda: os.kill(os.getpid(), signal.SIGKILL),
    'ends the run': end_the_run,
    'is lost': lose,  # what torch says in the training process
    'is not handed over': lambda: {'x': NotHandedOver()},
}


def failing(work_dir, flag, fault, sample, *hooks, split='train', workers=1):
    """A run that meets a fault while it waits for a sample, which come in order."""
    run = config(work_dir, 'epoch', *hooks)
    run.train_dataloader.sampler.shuffle = False
    data = {'type': 'Failing', 'sample': sample, 'fault': fault, 'flag': str(flag)}
    run[f'{split}_dataloader'].update(dataset=data, num_workers=workers)
    return run


def test_training_that_waits_for_data_does_not_wait_forever(tmp_path):
    run = failing(tmp_path, tmp_path / 'flag', 'dies', 6)
    said = lose_a_worker(run)
    assert 'is killed by signal: Killed' in said
    assert 'continues with epoch 1, iteration 4' in said
    whole = failing(tmp_path / 'whole', tmp_path / 'flag', 'dies', 6)
    assert state(resumed(run)) == state(run_toy(whole))


@pytest.mark.parametrize(
    ('split', 'sample', 'place'), [('train', 0, (0, 0)), ('train', 6, (0, 3)), ('val', 5, (1, 4))]
)
def test_a_signal_ends_a_run_that_waits_for_its_data(tmp_path, monkeypatch, split, sample, place):
    monkeypatch.setattr(interrupt, 'GRACE', 0.5)
    given = (tmp_path / 'flag', 'ends the run', sample)
    run = failing(tmp_path, *given, split=split)
    with pytest.raises(TrainingInterrupted) as stop:
        run_toy(run)
    end_workers()
    assert stop.value.status == 128 + signal.SIGTERM
    meta = load_file(tmp_path / 'interrupted.pth')['meta']
    assert (meta['epoch'], meta['iter']) == place
    whole = failing(tmp_path / 'whole', *given, split=split)
    assert state(resumed(run)) == state(run_toy(whole))


def test_a_signal_ends_a_run_whose_own_process_loads_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr(interrupt, 'GRACE', 0.5)
    given = (tmp_path / 'flag', 'ends the run', 6)
    run = failing(tmp_path, *given, workers=0)
    with pytest.raises(TrainingInterrupted):
        run_toy(run)
    meta = load_file(tmp_path / 'interrupted.pth')['meta']
    assert (meta['epoch'], meta['iter']) == (0, 3)
    assert state(resumed(run)) == state(run_toy(failing(tmp_path / 'whole', *given, workers=0)))


def test_nothing_is_saved_where_nothing_was_trained(tmp_path):
    said = lose_a_worker(failing(tmp_path, tmp_path / 'flag', 'is lost', 0, workers=0))
    assert said.endswith('Nothing was trained or saved')
    assert not list(tmp_path.glob('*.pth'))


def test_in_an_evaluation_of_averaged_weights(tmp_path):
    given = (tmp_path / 'flag', 'is lost', 5, {'type': 'EMAHook', 'momentum': 0.3})
    run = failing(tmp_path, *given, split='val', workers=0)
    assert 'interrupted.pth continues with epoch 2, iteration 5' in lose_a_worker(run)
    whole = failing(tmp_path / 'whole', *given, split='val', workers=0)
    assert state(resumed(run)) == state(run_toy(whole))


def test_a_worker_without_shared_memory_does_not_keep_training_waiting(tmp_path, capfd):
    hook = {'type': 'vitbackbones.DataWorkersHook'}
    run = failing(tmp_path, tmp_path / 'flag', 'is not handed over', 6, hook)
    said = lose_a_worker(run)
    assert 'exited unexpectedly with exit code 1: most likely shared memory (/dev/shm) is' in said
    assert 'continues with epoch 1, iteration 4' in said
    assert ': unable to allocate shared memory(shm)' in capfd.readouterr().err
