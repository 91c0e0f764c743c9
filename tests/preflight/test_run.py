"""What every run of a config gets; the tools that use it are tried in tests/tools."""

from argparse import Namespace

import pytest
from mmengine.fileio import get_file_backend

from vitbackbones.openmmlab.atomic_files import AtomicBackend
from vitbackbones.preflight import run
from vitbackbones.training import cores as threads

from ..training.toy import loader, toy_config

pytestmark = pytest.mark.compat


@pytest.fixture
def prepared(tmp_path, monkeypatch):
    """A config with eight data workers, prepared on a machine of four cores without a GPU."""
    monkeypatch.setattr(run.torch.cuda, 'is_available', lambda: False)
    monkeypatch.setattr(threads, 'available_cores', lambda: 4)
    config = toy_config(tmp_path, train_dataloader=loader(num_workers=8))
    run.prepare_run(config, Namespace(launcher='none', local_rank=0))
    return config


def test_files_are_written_whole_or_not_at_all(prepared, tmp_path):
    assert isinstance(get_file_backend(str(tmp_path)), AtomicBackend)


def test_data_workers_are_as_many_as_the_cores_allow(prepared):
    assert prepared.train_dataloader.num_workers == 1


def test_a_config_gets_the_guards_that_it_does_not_choose_itself(tmp_path):
    own = {'type': 'vitbackbones.FiniteLossHook', 'skip': 3}
    config = toy_config(tmp_path, default_hooks={'finite_loss': own, 'unreadable_images': None})
    for _ in range(2):  # a dump of an earlier run has them
        run.add_guards(config)
        assert config.default_hooks.exact_resume == {'type': 'vitbackbones.ExactResumeHook'}
        assert config.default_hooks.finite_loss == own
        assert config.default_hooks.unreadable_images is None
        assert config.custom_hooks == [{'type': 'vitbackbones.InterruptHook'}]


def test_the_first_line_says_which_package_runs_what_and_where(capsys, prepared, tmp_path):
    said = capsys.readouterr().out.splitlines()
    assert said[0].endswith(f'from {run.PACKAGE}')
    assert said[1].endswith(f'on the CPU, torch threads: 1, work dir {tmp_path}')
