"""On a CPU, training and data loading share the cores."""

import os

import pytest
import torch
from mmengine.config import Config

from vitbackbones.training import cores as threads
from vitbackbones.training.cores import available_cores, limit_workers, share_cores
from vitbackbones.training.hooks.exact_resume import fingerprints
from vitbackbones.utils.processes import processes_here


@pytest.fixture(autouse=True)
def restore_threads():
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def make_config(workers=8):
    loader = {'num_workers': workers, 'persistent_workers': True, 'timeout': 5}
    return Config({'train_dataloader': loader, 'val_dataloader': dict(loader)})


@pytest.mark.parametrize(
    ('limit', 'cores'), [('max 100000', 6), ('250000 100000', 2), ('50000 100000', 1), ('', 6)]
)
def test_a_container_limits_the_cores(tmp_path, monkeypatch, limit, cores):
    monkeypatch.setattr(os, 'sched_getaffinity', lambda pid: set(range(6)), raising=False)
    if limit:  # in a container
        (tmp_path / 'cpu.max').write_text(limit)
    assert available_cores(tmp_path / 'cpu.max') == cores


@pytest.fixture
def shared(monkeypatch):
    """``shared(8, wanted=2)``: threads and workers of a process on a machine of 8 cores."""
    monkeypatch.delenv('OMP_NUM_THREADS', raising=False)

    def share(cores, wanted=8):
        monkeypatch.setattr(threads, 'available_cores', lambda: cores)
        config = limit_workers(make_config(wanted))
        share_cores(config)
        torch.utils.data.DataLoader([1, 2], **config.train_dataloader)  # takes what is set
        return torch.get_num_threads(), config.train_dataloader.num_workers

    return share


@pytest.mark.parametrize(
    ('cores', 'wanted', 'expected'),
    [(1, 2, (1, 0)), (4, 0, (4, 0)), (8, 8, (6, 2)), (16, 2, (14, 2)), (64, 8, (56, 8))],
)
def test_threads_and_workers_fit_the_cores(shared, cores, wanted, expected):
    assert shared(cores, wanted) == expected


@pytest.mark.parametrize('given', [{}, {'timeout': 0}])
def test_without_workers_the_settings_of_a_run_stay_the_same(monkeypatch, given):
    """A resumed run compares them, also with those of 1.0."""
    monkeypatch.setattr(threads, 'available_cores', lambda: 1)
    config = Config({'train_dataloader': {'num_workers': 2, **given}})
    limited = limit_workers(config)
    assert limited.train_dataloader.num_workers == 0
    assert fingerprints(limited) == fingerprints(config)


def test_processes_of_one_machine_share_and_the_users_choice_is_respected(shared, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setenv('LOCAL_WORLD_SIZE', '4')
        assert shared(32) == (6, 2)
    monkeypatch.setenv('OMP_NUM_THREADS', '3')
    torch.set_num_threads(3)
    assert shared(16) == (3, 4)


def test_launchers_tell_how_many_processes_a_machine_has(monkeypatch):
    monkeypatch.delenv('LOCAL_WORLD_SIZE', raising=False)
    monkeypatch.setenv('SLURM_STEP_TASKS_PER_NODE', '8(x2),4')
    assert processes_here() == 8
    monkeypatch.setenv('LOCAL_WORLD_SIZE', '2')  # torchrun in a job
    assert processes_here() == 2
