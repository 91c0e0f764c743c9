"""On a CPU, training and data loading share the cores."""

import os

import pytest
import torch
from mmengine.config import Config

from vitbackbones.training import cores as threads
from vitbackbones.training.cores import available_cores, limit_workers, share_cores, warn_of_others
from vitbackbones.utils.processes import processes_here, show_warnings


@pytest.fixture(autouse=True)
def restore_threads():
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def make_config(workers=8):
    loader = {'num_workers': workers, 'persistent_workers': True}
    return Config({'train_dataloader': loader, 'val_dataloader': dict(loader)})


@pytest.mark.parametrize(
    ('limit', 'cores'), [('max 100000', 6), ('250000 100000', 2), ('50000 100000', 1), ('', 6)]
)
def test_a_container_limits_the_cores(tmp_path, monkeypatch, limit, cores):
    monkeypatch.setattr(os, 'sched_getaffinity', lambda pid: set(range(6)), raising=False)
    (tmp_path / 'cpu.max').write_text(limit)
    assert available_cores(tmp_path / 'cpu.max') == cores


def test_without_a_container(tmp_path, monkeypatch):
    monkeypatch.setattr(os, 'sched_getaffinity', lambda pid: {3, 5}, raising=False)
    assert available_cores(tmp_path / 'none') == 2


@pytest.mark.parametrize(('cores', 'wanted'), [(1, 2), (3, 8), (4, 0), (8, 8), (16, 2), (64, 8)])
def test_threads_and_workers_fit_the_cores(monkeypatch, cores, wanted):
    monkeypatch.delenv('OMP_NUM_THREADS', raising=False)
    monkeypatch.setattr(threads, 'available_cores', lambda: cores)
    config = limit_workers(make_config(wanted))
    share_cores(config)
    workers = config.train_dataloader.num_workers
    assert torch.get_num_threads() + workers == cores
    assert workers <= wanted


def test_persistent_workers_need_workers(monkeypatch):
    monkeypatch.setattr(threads, 'available_cores', lambda: 1)
    config = limit_workers(make_config())
    assert config.train_dataloader.num_workers == 0
    torch.utils.data.DataLoader([1, 2], **config.train_dataloader)


def test_the_users_choice_is_respected(monkeypatch):
    monkeypatch.setenv('OMP_NUM_THREADS', '3')
    monkeypatch.setattr(threads, 'available_cores', lambda: 16)
    torch.set_num_threads(3)
    share_cores(limit_workers(make_config()))
    assert torch.get_num_threads() == 3


def test_processes_of_one_machine_share(monkeypatch):
    monkeypatch.delenv('OMP_NUM_THREADS', raising=False)
    monkeypatch.setenv('LOCAL_WORLD_SIZE', '4')
    monkeypatch.setattr(threads, 'available_cores', lambda: 8)
    share_cores(limit_workers(make_config()))
    assert torch.get_num_threads() <= 2


@pytest.fixture
def used(monkeypatch, tmp_path):
    """``used(0.5, 1.0)``: two cores with two threads, of which others use so much meanwhile."""
    monkeypatch.delenv('OMP_NUM_THREADS', raising=False)
    monkeypatch.setattr(os, 'sched_getaffinity', lambda pid: {4, 5}, raising=False)
    torch.set_num_threads(2)
    file = tmp_path / 'stat'

    def write(elapsed, *shares):
        lines = [
            f'cpu{core} {elapsed * share:.0f} 9 9 {elapsed * (1 - share):.0f} 70 9 9 9 9 9'
            for core, share in zip((4, 5), shares, strict=True)
        ]
        file.write_text('\n'.join(['cpu 1 2 3', 'cpu0 9 9 9 9 9 9 9 9 9 9', *lines, 'intr 1']))

    def call(*shares):
        write(0, *shares)
        monkeypatch.setattr(threads.time, 'sleep', lambda seconds: write(100, *shares))
        return warn_of_others(file)

    return call


def test_others_that_use_the_cores_are_warned_of(used):
    assert used(0.0, 0.0) == []
    assert used(0.2, 0.2) == []
    (warning,) = used(0.0, 1.0)
    assert warning.startswith('other processes use 1.0 of 2 cores, and 2 threads would wait')
    assert 'OMP_NUM_THREADS=1 ' in warning
    assert 'OMP_NUM_THREADS=1 ' in used(1.0, 1.0)[0]


@pytest.mark.parametrize('name', ['OMP_NUM_THREADS', 'LOCAL_WORLD_SIZE'])
def test_no_warning_where_the_user_or_the_run_decides(used, monkeypatch, name):
    monkeypatch.setenv(name, '2')
    assert used(1.0, 1.0) == []


def test_a_system_that_does_not_say_is_believed_to_be_idle(used, tmp_path):
    assert used(0.0, 0.0) == []
    assert warn_of_others(tmp_path / 'none') == []


@pytest.mark.parametrize(
    ('variables', 'count'),
    [
        ({}, 1),
        ({'SLURM_STEP_TASKS_PER_NODE': '8(x2),4'}, 8),
        ({'SLURM_STEP_TASKS_PER_NODE': '8', 'LOCAL_WORLD_SIZE': '2'}, 2),  # torchrun in a job
    ],
)
def test_launchers_tell_how_many_processes_a_machine_has(monkeypatch, variables, count):
    for name in ('SLURM_STEP_TASKS_PER_NODE', 'LOCAL_WORLD_SIZE'):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert processes_here() == count


def test_a_warning_shows_what_a_terminal_would_obey(capsys):
    show_warnings(['class \x1b[31mcat'])
    assert capsys.readouterr().err == 'warning: class \\x1b[31mcat\n'
