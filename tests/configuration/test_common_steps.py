"""What every run of a config gets; the verbs that use it are tried beside this file."""

from argparse import Namespace

import pytest
import torch
from mmengine.fileio import get_file_backend

from vitbackbones.configuration import common_steps
from vitbackbones.configuration.steps import take_steps
from vitbackbones.openmmlab.atomic_files import AtomicBackend
from vitbackbones.training import cores

from ..training.toy import loader, toy_config

pytestmark = pytest.mark.compat


@pytest.fixture
def prepared(tmp_path, monkeypatch):
    """A config with eight data workers, prepared on a machine of four cores without a GPU."""
    monkeypatch.setattr(torch.cuda, 'is_available', lambda: False)
    monkeypatch.setattr(cores, 'available_cores', lambda: 4)
    config = toy_config(tmp_path, train_dataloader=loader(num_workers=8))
    options = Namespace(launcher='none', local_rank=0)
    return take_steps(config, common_steps.MACHINE, options)


def test_files_are_written_whole_or_not_at_all(prepared, tmp_path):
    assert isinstance(get_file_backend(str(tmp_path)), AtomicBackend)


def test_data_workers_are_as_many_as_the_cores_allow(prepared):
    assert prepared.train_dataloader.num_workers == 1


def test_the_first_line_says_which_package_runs_what_and_where(capsys, prepared, tmp_path):
    said = capsys.readouterr().out.splitlines()
    assert said[0].endswith(f'from {common_steps.PACKAGE}')
    assert said[1].endswith(f'on the CPU, torch threads: 1, work dir {tmp_path}')
