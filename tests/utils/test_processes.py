"""Which of a run's processes this one is."""

from contextlib import suppress

import pytest

from vitbackbones.utils import processes
from vitbackbones.utils.messages import show_warnings
from vitbackbones.utils.processes import (
    leads_machine,
    others_joined,
    own_signal_stack,
    process_rank,
    processes_here,
    was_restarted,
)

NAMES = ['RANK', 'SLURM_PROCID', 'LOCAL_RANK', 'SLURM_LOCALID', 'LOCAL_WORLD_SIZE']
NAMES += ['SLURM_STEP_TASKS_PER_NODE', 'TORCHELASTIC_RESTART_COUNT']


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ('function', 'name', 'given', 'expected', 'without'),
    [
        (process_rank, 'RANK', '3', 3, 0),
        (process_rank, 'SLURM_PROCID', '2', 2, 0),
        (process_rank, 'RANK', '', 0, 0),
        (leads_machine, 'LOCAL_RANK', '1', False, True),
        (leads_machine, 'LOCAL_RANK', '0', True, True),
        (leads_machine, 'SLURM_LOCALID', '1', False, True),
        (processes_here, 'LOCAL_WORLD_SIZE', '8', 8, 1),
        (processes_here, 'SLURM_STEP_TASKS_PER_NODE', '12(x2),4', 12, 1),
        (was_restarted, 'TORCHELASTIC_RESTART_COUNT', '1', True, False),
        (was_restarted, 'TORCHELASTIC_RESTART_COUNT', '0', False, False),
    ],
)
def test_what_launchers_tell(monkeypatch, function, name, given, expected, without):
    assert function() == without
    monkeypatch.setenv(name, given)
    assert function() == expected


def test_torchrun_counts_before_slurm(monkeypatch):
    monkeypatch.setenv('RANK', '5')
    monkeypatch.setenv('SLURM_PROCID', '2')
    assert process_rank() == 5
    monkeypatch.setenv('LOCAL_RANK', '1')
    monkeypatch.setenv('SLURM_LOCALID', '0')
    assert not leads_machine()


def test_the_first_process_warns_alone(monkeypatch, capsys):
    show_warnings(['one', 'two\x1b[2J'])
    first, second = capsys.readouterr().err.splitlines()
    assert first == 'warning: one'
    assert second.startswith('warning: two')
    assert '\x1b' not in second
    monkeypatch.setenv('RANK', '1')
    show_warnings(['one'])
    assert capsys.readouterr().err == ''


class Distributed:
    """What torch.distributed says."""

    def __init__(self, is_available, is_initialized):
        self.is_available = lambda: is_available
        self.is_initialized = lambda: is_initialized
        self.destroyed = 0

    def destroy_process_group(self):
        self.destroyed += 1


@pytest.mark.parametrize(
    ('is_available', 'is_initialized'), [(True, True), (True, False), (False, True)]
)
def test_others_joined_where_there_is_a_process_group(monkeypatch, is_available, is_initialized):
    group = Distributed(is_available, is_initialized)
    monkeypatch.setitem(processes.sys.modules, 'torch.distributed', group)
    joined = is_available and is_initialized
    assert others_joined() is joined
    processes.leave_processes()
    assert group.destroyed == joined


def test_nobody_joined_before_torch_is_imported(monkeypatch):
    monkeypatch.delitem(processes.sys.modules, 'torch.distributed', raising=False)
    assert others_joined() is False


@pytest.mark.parametrize('platform', ['linux', 'darwin'])
def test_the_stack_for_signals_is_put_back(monkeypatch, platform):
    calls = []

    class Library:
        @staticmethod
        def sigaltstack(*args):
            calls.append(args)

    monkeypatch.setattr(processes.ctypes, 'CDLL', lambda name: Library)
    monkeypatch.setattr(processes.sys, 'platform', platform)
    with suppress(KeyError), own_signal_stack():
        calls.append('inside')
        raise KeyError
    if platform != 'linux':
        assert calls == ['inside']
        return
    got, inside, put = calls
    assert inside == 'inside'
    assert (got[0], put[1]) == (None, None)
    assert got[1]._obj is put[0]._obj
