"""Who prints an error, and the command that continues a run."""

import sys

import pytest

from vitbackbones.engine.cli import resume_hint, run
from vitbackbones.errors import InputError


def fail():
    raise InputError('no data here')


@pytest.mark.parametrize(
    ('rank', 'local_rank', 'said'),
    [
        (None, None, 'error: no data here\n'),
        (0, 0, 'error: no data here\n'),
        (3, 3, ''),
        (8, 0, 'error (process 8): no data here\n'),
    ],
)
@pytest.mark.parametrize('names', [('RANK', 'LOCAL_RANK'), ('SLURM_PROCID', 'SLURM_LOCALID')])
def test_one_process_of_each_machine_speaks(monkeypatch, capsys, names, rank, local_rank, said):
    for name in ('RANK', 'LOCAL_RANK', 'SLURM_PROCID', 'SLURM_LOCALID'):
        monkeypatch.delenv(name, raising=False)
    if rank is not None:
        monkeypatch.setenv(names[0], str(rank))
        monkeypatch.setenv(names[1], str(local_rank))
    assert run(fail) == 2
    assert capsys.readouterr().err == said


@pytest.mark.parametrize(
    ('arguments', 'kept'),
    [
        (['a.py', '--amp'], 'a.py --amp'),
        (['a.py', '--resume', 'old.pth', '--amp'], 'a.py --amp'),
        (['a.py', '--resume', '--amp'], 'a.py --amp'),
        (['a.py', '--resume=old.pth'], 'a.py'),
        (
            ['a.py', '--pretrained', 'deit.pth', '--work-dir', 'my runs'],
            "a.py --work-dir 'my runs'",
        ),
    ],
)
def test_arguments(monkeypatch, arguments, kept):
    monkeypatch.setattr(sys, 'executable', '/opt/my python')
    monkeypatch.setattr(sys, 'argv', ['train.py', *arguments])
    assert resume_hint() == f"continue with: '/opt/my python' train.py {kept} --resume"


def test_an_environment_in_the_current_directory(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, 'executable', str(tmp_path / '.venv' / 'bin' / 'python'))
    monkeypatch.setattr(sys, 'argv', ['train.py', 'a.py'])
    assert resume_hint() == 'continue with: .venv/bin/python train.py a.py --resume'
