"""Ctrl-C: the checkpoint that is left, and what a resumed run makes of it."""

import itertools
import multiprocessing
import os
import pty
import signal
import subprocess
from contextlib import contextmanager

import pytest
import torch
from mmengine.hooks import Hook
from mmengine.registry import HOOKS

from vitbackbones.training.find_checkpoint import latest_checkpoint
from vitbackbones.training.hooks import interrupt as interrupt_module
from vitbackbones.training.hooks.interrupt import TrainingInterrupted, _write_nowhere
from vitbackbones.weights.read.load import load_file

from ..toy import by_iteration, loader, run_toy, toy_config

pytestmark = pytest.mark.compat


@HOOKS.register_module()
class CtrlC(Hook):
    """Sends this process a signal while it is in the middle of an iteration."""

    def __init__(self, iteration=None, validation=None, number=signal.SIGINT, images_before=0):
        self.iteration, self.validation, self.number = iteration, validation, number
        self.images_before = images_before

    def before_train_iter(self, runner, batch_idx, data_batch=None):
        if runner.iter == self.iteration:
            os.kill(os.getpid(), self.number)

    def before_val_iter(self, runner, batch_idx, data_batch=None):
        if runner.epoch == self.validation:
            self.images_before -= 1
            if self.images_before == -1:
                os.kill(os.getpid(), self.number)


@HOOKS.register_module()
class Recorder(Hook):
    """Notes epoch, iteration and learning rate of every step."""

    steps: list = []

    def before_train_iter(self, runner, batch_idx, data_batch=None):
        rate = round(runner.optim_wrapper.get_lr()['lr'][0], 9)
        self.steps.append((runner.epoch, runner.iter, rate))


@pytest.fixture
def record():
    Recorder.steps = []
    return Recorder.steps


def with_hooks(work_dir, *hooks, **changes):
    names = ('ExactResume', 'DataWorkers', 'Interrupt')
    guards = [{'type': f'vitbackbones.{name}Hook'} for name in names]
    return toy_config(work_dir, custom_hooks=[*guards, {'type': 'Recorder'}, *hooks], **changes)


def interrupt(work_dir, **changes):
    """Run until a :class:`CtrlC` of ``changes`` strikes; return the exception and checkpoint."""
    hooks = [{'type': 'CtrlC', **changes.pop('at')}]
    if changes.pop('saving', False):
        hooks.append({'type': 'WhileSaving'})
    with pytest.raises(TrainingInterrupted) as stop:
        run_toy(with_hooks(work_dir, *hooks, **changes))
    assert latest_checkpoint(work_dir).name == 'interrupted.pth'
    return stop.value, load_file(work_dir / 'interrupted.pth')


def resume(work_dir, **changes):
    latest = str(latest_checkpoint(work_dir))
    return run_toy(with_hooks(work_dir, resume=True, load_from=latest, **changes))


@pytest.fixture
def uninterrupted(tmp_path, record):
    """Steps of complete runs: ``uninterrupted(**changes)``."""

    def run(**changes):
        run_toy(with_hooks(tmp_path / 'complete', **changes))
        steps = list(record)
        record.clear()
        return steps

    return run


def test_an_epoch_continues_in_its_middle(tmp_path, record, uninterrupted):
    expected = uninterrupted()
    stop, saved = interrupt(tmp_path, at={'iteration': 5})
    assert (stop.status, saved['meta']['epoch'], saved['meta']['iter']) == (130, 1, 6)
    assert record == expected[:6]  # the iteration was finished
    runner = resume(tmp_path)
    assert record == expected
    assert (runner.epoch, runner.iter) == (3, 12)


def test_a_complete_epoch_is_not_repeated(tmp_path, record, uninterrupted):
    expected = uninterrupted()
    _, saved = interrupt(tmp_path, at={'iteration': 3})  # the last of epoch 0
    assert (saved['meta']['epoch'], saved['meta']['iter']) == (1, 4)
    resume(tmp_path)
    assert record == expected


def test_iterations_continue_where_they_stopped(tmp_path, record, uninterrupted):
    expected = uninterrupted(**by_iteration())
    _, saved = interrupt(tmp_path, at={'iteration': 2}, **by_iteration())
    assert saved['meta']['iter'] == 3
    runner = resume(tmp_path, **by_iteration())
    assert record == expected
    assert runner.iter == 8


def test_in_an_evaluation(tmp_path, record, uninterrupted):
    expected = uninterrupted()
    _, saved = interrupt(tmp_path, at={'validation': 1})
    assert (saved['meta']['epoch'], saved['meta']['iter']) == (1, 4)
    resume(tmp_path)
    assert record == expected


@pytest.mark.parametrize(('on_average', 'on_last'), [(True, False), (False, True), (True, True)])
@pytest.mark.parametrize('images_before', [0, 5])  # of four: in the second of two evaluations
def test_in_an_evaluation_of_averaged_weights(tmp_path, on_average, on_last, images_before):
    if images_before and not (on_average and on_last):
        pytest.skip('has one evaluation')
    pytest.importorskip('mmpretrain')
    average = {'type': 'mmpretrain.EMAHook', 'momentum': 0.5}
    average |= {'evaluate_on_ema': on_average, 'evaluate_on_origin': on_last}
    complete = run_toy(with_hooks(tmp_path / 'complete', average))
    strike = {'type': 'CtrlC', 'validation': 1, 'images_before': images_before}
    with pytest.raises(TrainingInterrupted):
        run_toy(with_hooks(tmp_path, average, strike))
    latest = str(latest_checkpoint(tmp_path))
    resumed = run_toy(with_hooks(tmp_path, average, resume=True, load_from=latest))
    assert torch.equal(resumed.model.line.weight, complete.model.line.weight)


@pytest.mark.parametrize(
    ('number', 'status'), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGUSR1, 138)]
)
def test_other_signals_end_it_as_well(tmp_path, number, status):
    stop, saved = interrupt(tmp_path, at={'iteration': 1, 'number': number})
    assert (stop.status, saved['meta']['iter']) == (status, 2)


def test_nohup_keeps_a_run_going(tmp_path):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        hang_up = {'type': 'CtrlC', 'iteration': 1, 'number': signal.SIGHUP}
        assert run_toy(with_hooks(tmp_path, hang_up)).iter == 12
    finally:
        signal.signal(signal.SIGHUP, before)


def test_nothing_is_written_to_a_terminal_that_is_gone():
    terminal, stream = pty.openpty()
    os.close(terminal)
    with pytest.raises(OSError, match='Input/output error'):
        os.write(stream, b'x')
    _write_nowhere([stream])
    assert os.write(stream, b'x') == 1
    os.close(stream)


@contextmanager
def unread_streams():
    """Standard output and error into a pipe that nobody reads any more."""
    kept = [os.dup(1), os.dup(2)]
    reader, writer = os.pipe()
    os.close(reader)
    for stream in (1, 2):
        os.dup2(writer, stream)
    try:
        yield
    finally:
        for number, stream in enumerate(kept, start=1):
            os.dup2(stream, number)
            os.close(stream)
        os.close(writer)


def test_the_reader_of_its_output_got_the_signal_first(tmp_path):
    """As with Ctrl-C in ``tools/train.py CONFIG 2>&1 | tee log``."""
    with unread_streams():
        stop, _ = interrupt(tmp_path, at={'iteration': 1})
        assert [os.write(stream, b'x') for stream in (1, 2)] == [1, 1]
    assert stop.status == 130


def test_in_an_evaluation_between_accumulated_gradients(tmp_path):
    """Three of four iterations are done when the signal comes, and the fourth follows."""
    wrapper = {'type': 'OptimWrapper', 'optimizer': {'type': 'Adam', 'lr': 0.1}}
    changes = {'optim_wrapper': {**wrapper, 'accumulative_counts': 4}}
    changes['train_dataloader'] = loader(batch_size=3)
    _, saved = interrupt(tmp_path, at={'validation': 1}, **changes)
    assert (saved['meta']['epoch'], saved['meta']['iter']) == (1, 4)


@HOOKS.register_module()
class Scheduler(Hook):
    """Ends all processes of the job, data workers first, from another process."""

    def __init__(self, signal):
        self.signal = signal

    def before_train_iter(self, runner, batch_idx, data_batch=None):
        if runner.iter == 1:
            processes = [worker.pid for worker in multiprocessing.active_children()]
            assert len(processes) == 2
            for process in (*processes, os.getpid()):
                subprocess.run(['kill', f'-{self.signal}', str(process)], check=True)


@pytest.mark.parametrize(('name', 'status'), [('TERM', 143), ('HUP', 129), ('USR1', 138)])
def test_data_workers_outlive_the_end_of_the_job(tmp_path, name, status):
    data = loader(num_workers=2, persistent_workers=True)
    scheduler = {'type': 'Scheduler', 'signal': name}
    with pytest.raises(TrainingInterrupted) as stop:
        run_toy(with_hooks(tmp_path, scheduler, train_dataloader=data))
    assert stop.value.status == status
    assert load_file(tmp_path / 'interrupted.pth')['meta']['iter'] == 2
    assert not multiprocessing.active_children()


def test_regular_checkpoints_stay_as_they_are(tmp_path):
    interrupt(tmp_path, at={'iteration': 6})
    assert load_file(tmp_path / 'epoch_1.pth')['meta']['iter'] == 4
    assert {file.name for file in tmp_path.glob('*.pth')} == {'epoch_1.pth', 'interrupted.pth'}


def test_signals_are_given_back(tmp_path):
    before = signal.getsignal(signal.SIGINT)
    interrupt(tmp_path, at={'iteration': 1})
    assert signal.getsignal(signal.SIGINT) is before
    run_toy(with_hooks(tmp_path / 'complete'))
    assert signal.getsignal(signal.SIGINT) is before


@HOOKS.register_module()
class SecondSignal(Hook):
    """Looks at what a second Ctrl-C would do."""

    priority = 'HIGH'
    seen = None

    def after_train_iter(self, runner, batch_idx, data_batch=None, outputs=None):
        SecondSignal.seen = signal.getsignal(signal.SIGINT)


def test_a_second_sigterm_is_the_launchers(tmp_path):
    """Slurm tells all processes, and torchrun passes on its own."""
    twice = [{'type': 'CtrlC', 'iteration': 1, 'number': signal.SIGTERM}] * 2
    with pytest.raises(TrainingInterrupted) as stop:
        run_toy(with_hooks(tmp_path, *twice))
    assert stop.value.status == 143
    assert load_file(tmp_path / 'interrupted.pth')['meta']['iter'] == 2


def test_a_second_ctrl_c_ends_at_once(tmp_path):
    hooks = [{'type': 'CtrlC', 'iteration': 1}, {'type': 'SecondSignal'}]
    with pytest.raises(TrainingInterrupted):
        run_toy(with_hooks(tmp_path, *hooks))
    assert SecondSignal.seen is signal.SIG_DFL


@HOOKS.register_module()
class WhileSaving(Hook):
    """Sends another signal while the checkpoint is written."""

    def before_save_checkpoint(self, runner, checkpoint):
        os.kill(os.getpid(), signal.SIGTERM)


def test_a_signal_while_saving_changes_nothing(tmp_path):
    stop, _ = interrupt(tmp_path, at={'iteration': 1, 'number': signal.SIGHUP}, saving=True)
    assert stop.status == 129


def test_a_signal_that_arrives_while_processes_agree_counts_the_next_time(tmp_path, monkeypatch):
    agreements = itertools.count()

    def agree(numbers, choice):
        if next(agreements) == 2:
            os.kill(os.getpid(), signal.SIGTERM)  # after this process has given its number

    monkeypatch.setattr(interrupt_module, 'is_distributed', lambda: True)
    monkeypatch.setattr(interrupt_module, 'all_reduce', agree)
    stop, saved = interrupt(tmp_path, at={})
    assert (stop.status, saved['meta']['iter']) == (143, 3)


def test_all_leave_with_the_signal_that_they_agree_on(tmp_path, monkeypatch):
    """Another process got SIGTERM when this one got SIGHUP."""

    def agree(numbers, choice):
        if numbers == signal.SIGHUP:
            numbers.fill_(signal.SIGTERM)

    monkeypatch.setattr(interrupt_module, 'is_distributed', lambda: True)
    monkeypatch.setattr(interrupt_module, 'all_reduce', agree)
    stop, _ = interrupt(tmp_path, at={'iteration': 1, 'number': signal.SIGHUP})
    assert stop.status == 143
