"""The last step before a runner is built."""

import pytest
from mmengine.device import utils as device_module
from mmengine.fileio import get_file_backend

from vitbackbones.configuration.names import PACKAGE
from vitbackbones.openmmlab.loading import AtomicBackend
from vitbackbones.preparing.machine import join_machine
from vitbackbones.training import cores

from ..training.toy import loader, toy_config

pytestmark = pytest.mark.compat


@pytest.fixture
def prepared(tmp_path, monkeypatch):
    """A config with eight data workers, prepared on a machine of four cores without a GPU."""
    monkeypatch.setattr(device_module, 'DEVICE', 'cpu')
    monkeypatch.setattr(cores, 'available_cores', lambda: 4)
    config = toy_config(tmp_path, train_dataloader=loader(num_workers=8))
    return join_machine(config)


@pytest.mark.parametrize('number', [0, 3])
def test_as_many_workers_as_the_user_has_chosen(tmp_path, monkeypatch, number):
    monkeypatch.setattr(cores, 'available_cores', lambda: 4)
    config = toy_config(
        tmp_path, train_dataloader=loader(num_workers=8, persistent_workers=True, prefetch_factor=4)
    )
    prepared = join_machine(config, workers=number).train_dataloader
    assert prepared.num_workers == number
    assert prepared.persistent_workers == bool(number)
    assert prepared.prefetch_factor == (4 if number else None)


def test_files_are_whole_workers_as_many_as_cores_and_it_is_said_what_runs_where(
    capsys, prepared, tmp_path
):
    assert isinstance(get_file_backend(str(tmp_path)), AtomicBackend)
    assert prepared.train_dataloader.num_workers == 1
    said = capsys.readouterr().out.splitlines()
    assert said[0].endswith(f'from {PACKAGE}')
    assert said[1].endswith(f'on the CPU, torch threads: 1, work dir {tmp_path}')
