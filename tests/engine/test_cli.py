"""Who prints an error, and what a signal does to a tool."""

import os
import signal

import pytest

from vitbackbones.engine.cli import run
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
    ('number', 'status'),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGUSR1, 138)],
)
def test_a_signal_ends_a_tool_without_leaving_files(tmp_path, capsys, number, status):
    def main():
        try:
            (tmp_path / 'temporary').touch()
            os.kill(os.getpid(), number)
        finally:
            (tmp_path / 'temporary').unlink()

    before = signal.getsignal(number)
    assert run(main) == status
    assert capsys.readouterr().err == 'interrupted\n'
    assert not list(tmp_path.iterdir())
    assert signal.getsignal(number) is before


def test_an_ignored_signal_stays_ignored():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    assert run(lambda: os.kill(os.getpid(), signal.SIGHUP)) == 0
