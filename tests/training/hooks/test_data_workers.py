"""A run that loses a data worker ends with a checkpoint and the reason."""

import multiprocessing
import os
import signal
import time
from pathlib import Path

import pytest
from mmengine.hooks import Hook
from mmengine.registry import DATASETS, HOOKS

from vitbackbones.errors import InputError, TrainingInterrupted
from vitbackbones.training import memory
from vitbackbones.training.console import QuietRunner
from vitbackbones.training.find_checkpoint import latest_checkpoint
from vitbackbones.training.hooks import interrupt
from vitbackbones.training.hooks.data_workers import explain_loss
from vitbackbones.training.hooks.interrupt import InterruptHook, saved_without_data
from vitbackbones.weights.read.load import load_file

from ..toy import NoisyData, ToyData, end_workers, loader, run_toy
from .test_exact_resume import config, state

pytestmark = pytest.mark.compat
KILLED = 'DataLoader worker (pid 7) is killed by signal: Killed. '


@pytest.mark.parametrize(
    ('said', 'text'),
    [
        (KILLED, 'worker (pid 7) is killed by signal: Killed: most likely the machine ran out of'),
        (
            'DataLoader worker (pid 7) is killed by signal: Bus error. It is possible that '
            "dataloader's workers are out of shared memory.",
            'signal: Bus error: shared memory (/dev/shm) is full: enlarge it (docker run --shm-siz',
        ),
        ('DataLoader worker (pid(s) 7, 8) exited unexpectedly', 'unexpectedly: most likely shared'),
        ('DataLoader worker (pid 7) is killed by signal: Segmentation fault. ', 'a crash in a lib'),
    ],
)
def test_reasons(said, text):
    assert text in explain_loss(RuntimeError(said))


def test_the_signal_is_behind_what_the_loader_raises():
    vague = RuntimeError('DataLoader worker (pid(s) 7) exited unexpectedly')
    vague.__cause__ = RuntimeError(KILLED)
    assert explain_loss(vague) == explain_loss(RuntimeError(KILLED))


@pytest.mark.parametrize('loop', ['epoch', 'iteration'])
def test_fewer_workers_for_want_of_memory_train_the_same(tmp_path, monkeypatch, loop):
    monkeypatch.setattr(memory, 'free_memory', lambda: 10**6)
    hook = {'type': 'vitbackbones.DataWorkersHook'}
    fewer = run_toy(config(tmp_path, loop, hook, workers=2, persistent=True))
    assert fewer.train_loop.dataloader.num_workers == 0
    assert '2 data workers (num_workers) would take about' in (
        next(tmp_path.glob('*/*.log')).read_text()
    )
    assert state(fewer) == state(run_toy(config(tmp_path / 'whole', loop)))


def test_workers_that_are_not_measured_train(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, 'PATIENCE', 0)
    hook = {'type': 'vitbackbones.DataWorkersHook'}
    runner = run_toy(config(tmp_path, 'epoch', hook, workers=2))
    assert runner.train_loop.dataloader.num_workers == 2
    (log,) = tmp_path.glob('*/*.log')
    assert log.read_text().count('a data worker has not loaded 8 samples after 0 s: all ') == 1
    assert state(runner) == state(run_toy(config(tmp_path / 'whole', 'epoch')))


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


def resumed(work_dir, **options):
    latest = latest_checkpoint(work_dir)
    assert latest.name == 'interrupted.pth'
    return run_toy(config(work_dir, 'epoch', resume=True, load_from=str(latest), **options))


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
    assert state(resumed(tmp_path)) == state(whole)


@DATASETS.register_module()
class DyingData(NoisyData):
    """The worker that loads sample ``last`` dies, once training has to wait for it."""

    def __init__(self, last, flag):
        self.last, self.flag = last, Path(flag)

    def __getitem__(self, i):
        if i == self.last and not self.flag.exists():
            time.sleep(0.5)
            self.flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__getitem__(i)


def test_training_that_waits_for_data_does_not_wait_forever(tmp_path):
    def dying(work_dir, flag, **options):
        run = config(work_dir, 'epoch', **options)
        run.train_dataloader.sampler.shuffle = False
        run.train_dataloader.dataset = {'type': 'DyingData', 'last': 6, 'flag': str(flag)}
        return run

    flag = tmp_path / 'flag'
    said = lose_a_worker(dying(tmp_path, flag, workers=1))
    assert 'is killed by signal: Killed' in said
    assert 'continues with epoch 1, iteration 4' in said
    latest = str(latest_checkpoint(tmp_path))
    stopped = run_toy(dying(tmp_path, flag, workers=1, resume=True, load_from=latest))
    whole = run_toy(dying(tmp_path / 'whole', flag))
    assert state(stopped) == state(whole)


@DATASETS.register_module()
class NoAnswer(NoisyData):
    """The worker that loads sample ``last`` ends the run and never gives that sample."""

    def __init__(self, last, flag):
        self.last, self.flag = last, Path(flag)

    def __getitem__(self, i):
        if i == self.last and not self.flag.exists():
            self.flag.touch()
            time.sleep(0.5)  # until training has to wait for it
            os.kill(os.getppid(), signal.SIGTERM)
            time.sleep(600)
        return super().__getitem__(i)


@pytest.mark.parametrize(
    ('split', 'sample', 'place'), [('train', 0, (0, 0)), ('train', 6, (0, 3)), ('val', 5, (1, 4))]
)
def test_a_signal_ends_a_run_that_waits_for_its_data(tmp_path, monkeypatch, split, sample, place):
    def silent(work_dir, **options):
        run = config(work_dir, 'epoch', **options)
        run.train_dataloader.sampler.shuffle = False
        data = {'type': 'NoAnswer', 'last': sample, 'flag': str(tmp_path / 'flag')}
        run[f'{split}_dataloader'].update(dataset=data, num_workers=1)
        return run

    monkeypatch.setattr(interrupt, 'GRACE', 0.5)
    with pytest.raises(TrainingInterrupted) as stop:
        run_toy(silent(tmp_path))
    end_workers()
    assert stop.value.status == 128 + signal.SIGTERM
    latest = latest_checkpoint(tmp_path)
    meta = load_file(latest)['meta']
    assert (meta['epoch'], meta['iter']) == place
    again = run_toy(silent(tmp_path, resume=True, load_from=str(latest)))
    assert state(again) == state(run_toy(silent(tmp_path / 'whole')))


@DATASETS.register_module()
class Lost(ToyData):
    """Says what torch says of a worker that is gone, at a sample of a pass over the data."""

    def __init__(self, sample, fetches=0):
        self.sample, self.left = sample, fetches

    def __getitem__(self, i):
        if i == self.sample:
            self.left -= 1
            if self.left < 0:
                raise RuntimeError(KILLED)
        return super().__getitem__(i)


def test_nothing_is_saved_where_nothing_was_trained(tmp_path):
    run = config(tmp_path, 'epoch')
    run.train_dataloader.update(sampler={'type': 'DefaultSampler', 'shuffle': False})
    run.train_dataloader.dataset = {'type': 'Lost', 'sample': 0}
    assert lose_a_worker(run).endswith('Nothing was trained yet, and nothing saved')
    assert not list(tmp_path.glob('*.pth'))


def test_in_an_evaluation_of_averaged_weights(tmp_path):
    average = {'type': 'EMAHook', 'momentum': 0.3}
    whole = run_toy(config(tmp_path / 'whole', 'epoch', average))
    run = config(tmp_path, 'epoch', average)
    run.val_dataloader = loader(dataset={'type': 'Lost', 'sample': 5, 'fetches': 0})
    assert 'interrupted.pth continues with epoch 2, iteration 5' in lose_a_worker(run)
    assert load_file(tmp_path / 'interrupted.pth')['meta']['iter'] == 4
    latest = str(latest_checkpoint(tmp_path))
    again = run_toy(config(tmp_path, 'epoch', average, resume=True, load_from=latest))
    assert state(again) == state(whole)


class Unpicklable:
    """Cannot be handed over, as a tensor without shared memory cannot."""

    def __reduce__(self):
        time.sleep(0.5)  # until training has to wait for it
        raise RuntimeError('unable to allocate shared memory(shm)')


@DATASETS.register_module()
class NotHandedOver(ToyData):
    def __getitem__(self, i):
        return {'x': Unpicklable()} if i == 6 else super().__getitem__(i)


def test_a_worker_without_shared_memory_does_not_keep_training_waiting(tmp_path, capfd):
    run = config(tmp_path, 'epoch', {'type': 'vitbackbones.DataWorkersHook'}, workers=1)
    run.train_dataloader.update(sampler={'type': 'DefaultSampler', 'shuffle': False})
    run.train_dataloader.dataset = {'type': 'NotHandedOver'}
    said = lose_a_worker(run)
    assert 'exited unexpectedly with exit code 1: most likely shared memory (/dev/shm) is' in said
    assert 'continues with epoch 1, iteration 4' in said
    assert ': unable to allocate shared memory(shm)' in capfd.readouterr().err
