"""Ctrl-C and other signals: the step that is finished, and the checkpoint that is left.

That a resumed run equals one that was not stopped is tested in test_exact_resume.py.
"""

import multiprocessing
import os
import signal
import subprocess

import pytest
from mmengine.hooks import Hook
from mmengine.registry import HOOKS

from vitbackbones.training.find_checkpoint import latest_checkpoint
from vitbackbones.training.hooks.interrupt import TrainingInterrupted
from vitbackbones.weights.read.load import load_file

from ..toy import loader, run_toy, toy_config
from .test_exact_resume import Stop  # noqa: F401 -- registers the hook

pytestmark = pytest.mark.compat


@HOOKS.register_module()
class Signal(Hook):
    """Sends this process a signal in the middle of the second iteration."""

    def __init__(self, number=signal.SIGINT):
        self.number = number

    def before_train_iter(self, runner, batch_idx, data_batch=None):
        if runner.iter == 1:
            os.kill(os.getpid(), self.number)


def with_hooks(work_dir, *hooks, **changes):
    names = ('ExactResume', 'DataWorkers', 'Interrupt')
    guards = [{'type': f'vitbackbones.{name}Hook'} for name in names]
    return toy_config(work_dir, custom_hooks=[*guards, *hooks], **changes)


def stopped(work_dir, *hooks, **changes):
    """Run until a signal; return the status of the process and where the run continues."""
    with pytest.raises(TrainingInterrupted) as stop:
        run_toy(with_hooks(work_dir, *hooks, **changes))
    assert latest_checkpoint(work_dir).name == 'interrupted.pth'
    return stop.value.status, load_file(work_dir / 'interrupted.pth')['meta']['iter']


@pytest.mark.parametrize('name', ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR1'])
def test_a_signal_ends_a_run_after_its_step(tmp_path, name):
    number = signal.Signals[name]
    before = signal.getsignal(number)
    assert stopped(tmp_path, {'type': 'Signal', 'number': number}) == (128 + number, 2)
    assert signal.getsignal(number) is before
    run_toy(with_hooks(tmp_path / 'complete'))
    assert signal.getsignal(number) is before


def test_regular_checkpoints_stay_as_they_are(tmp_path):
    stopped(tmp_path, {'type': 'Stop', 'iteration': 6, 'signal': signal.SIGINT})
    assert load_file(tmp_path / 'epoch_1.pth')['meta']['iter'] == 4
    assert {file.name for file in tmp_path.glob('*.pth')} == {'epoch_1.pth', 'interrupted.pth'}


def test_nohup_keeps_a_run_going(tmp_path):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        hang_up = {'type': 'Signal', 'number': signal.SIGHUP}
        assert run_toy(with_hooks(tmp_path, hang_up)).iter == 12
    finally:
        signal.signal(signal.SIGHUP, before)


def test_the_reader_of_its_output_got_the_signal_first(tmp_path):
    """As with Ctrl-C in ``tools/train.py CONFIG 2>&1 | tee log``."""
    kept = [os.dup(1), os.dup(2)]
    reader, writer = os.pipe()
    os.close(reader)
    for stream in (1, 2):
        os.dup2(writer, stream)
    try:
        end = stopped(tmp_path, {'type': 'Signal'})
        written = [os.write(stream, b'x') for stream in (1, 2)]
    finally:
        for number, stream in enumerate(kept, start=1):
            os.dup2(stream, number)
            os.close(stream)
        os.close(writer)
    assert (end, written) == ((130, 2), [1, 1])


@HOOKS.register_module()
class Scheduler(Hook):
    """Ends all processes of the job, data workers first, from another process."""

    def __init__(self, name):
        self.name = name

    def before_train_iter(self, runner, batch_idx, data_batch=None):
        if runner.iter == 1:
            processes = [worker.pid for worker in multiprocessing.active_children()]
            assert len(processes) == 2
            for process in (*processes, os.getpid()):
                subprocess.run(['kill', f'-{self.name}', str(process)], check=True)


@pytest.mark.parametrize(('name', 'status'), [('TERM', 143), ('HUP', 129), ('USR1', 138)])
def test_data_workers_outlive_the_end_of_the_job(tmp_path, name, status):
    data = loader(num_workers=2, persistent_workers=True)
    scheduler = {'type': 'Scheduler', 'name': name}
    assert stopped(tmp_path, scheduler, train_dataloader=data) == (status, 2)
    assert not multiprocessing.active_children()


def test_a_second_sigterm_is_the_launchers(tmp_path):
    """Slurm tells all processes, and torchrun passes on its own."""
    twice = [{'type': 'Signal', 'number': signal.SIGTERM}] * 2
    assert stopped(tmp_path, *twice) == (143, 2)


@HOOKS.register_module()
class WhileSaving(Hook):
    """Looks at what a second Ctrl-C would do, and sends another signal."""

    def before_save_checkpoint(self, runner, checkpoint):
        WhileSaving.seen = signal.getsignal(signal.SIGINT)
        os.kill(os.getpid(), signal.SIGTERM)


def test_a_second_ctrl_c_ends_at_once_and_another_signal_changes_nothing(tmp_path):
    assert stopped(tmp_path, {'type': 'Signal'}, {'type': 'WhileSaving'}) == (130, 2)
    assert WhileSaving.seen is signal.SIG_DFL
