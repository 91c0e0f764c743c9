"""Who prints an error, what a signal does to a command, and what is kept of a bug."""

import os
import shlex
import signal
import subprocess
import sys
from argparse import ArgumentParser

import pytest
from mmengine.config import Config

from tests.importing.forms import yolo
from vitbackbones.commands.ending import run
from vitbackbones.errors import InputError


def fail():
    raise InputError('no data here')


@pytest.mark.parametrize(
    ('rank', 'local_rank', 'said'),
    [(0, 0, 'error: no data here\n'), (3, 3, ''), (8, 0, 'error (process 8): no data here\n')],
)
def test_one_process_of_each_machine_speaks(monkeypatch, capsys, rank, local_rank, said):
    monkeypatch.setenv('RANK', str(rank))
    monkeypatch.setenv('LOCAL_RANK', str(local_rank))
    assert run(fail) == 2
    assert capsys.readouterr().err == said


@pytest.mark.parametrize(('number', 'status'), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
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


def test_a_signal_while_a_config_is_formatted(monkeypatch):
    def format_code(*arguments, **options):
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr('yapf.yapflib.yapf_api.FormatCode', format_code)
    assert run(lambda: Config({'a': 1}).pretty_text) == 143


def test_an_ignored_signal_stays_ignored():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    assert run(lambda: os.kill(os.getpid(), signal.SIGHUP)) == 0


def test_a_bug_is_reported_with_all_that_is_needed(capsys, tmp_path):
    def broken_tool():
        config = Config({'work_dir': str(tmp_path), 'setting': 'kept for the report'})
        return config.setting / 0

    assert run(broken_tool) == 1
    said = capsys.readouterr().err
    (file,) = tmp_path.glob('error_*.txt')
    assert said.startswith('Traceback')
    last = said.splitlines()[-1]
    assert last.startswith('this looks like a bug in vitbackbones')
    assert last.endswith(f'please report it with {file}')
    text = file.read_text()
    for part in ('in broken_tool', 'kept for the report', 'torch ', 'mmengine ', 'Python 3'):
        assert part in text


def test_a_bug_without_a_work_dir_is_reported_in_a_temporary_folder(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr('tempfile.tempdir', str(tmp_path))
    assert run(lambda: 1 / 0) == 1
    (file,) = tmp_path.glob('vitbackbones_*/error_*.txt')
    assert str(file) in capsys.readouterr().err


READER_STOPS = """
import sys, time
from tests.importing.forms import yolo
from vitbackbones.commands.ending import run

def main():
    time.sleep(0.5)
    print('line' * {count})

sys.exit(run(main))
"""


@pytest.mark.parametrize('count', [1, 100_000])
def test_a_list_whose_reader_stops_ends_quietly(count):
    """As in ``| head``, whether the list fits into a buffer or not."""
    command = [sys.executable, '-c', READER_STOPS.format(count=count)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.close()
    assert process.stderr.read() == ''
    assert process.wait() == 141


def leave():
    sys.exit(0)


def no_room():
    raise RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried")


@pytest.mark.parametrize(
    ('main', 'status', 'said'),
    [
        (leave, 1, 'has ended this process with sys.exit; remove that call'),
        (no_room, 2, 'error: there is not enough memory: [enforce fail] Default'),
    ],
)
def test_what_ends_a_command_from_inside_is_named(capsys, main, status, said):
    assert run(main) == status
    assert said in capsys.readouterr().err


def test_help_ends_a_command_without_a_word(capsys):
    with pytest.raises(SystemExit):
        run(lambda: ArgumentParser().parse_args(['--help']))
    assert capsys.readouterr().err == ''


@pytest.mark.parametrize('kind', ['too long', 'a loop'])
def test_a_path_that_cannot_be_followed_is_one_line(tmp_path, capsys, kind):
    (tmp_path / 'loop').symlink_to('loop')
    path = tmp_path / ('loop' if kind == 'a loop' else 'a' * 300)
    assert run(lambda: path.resolve(strict=True).stat()) == 2
    said = capsys.readouterr().err
    assert said.startswith('error: ')
    assert str(path) in said


def test_names_that_a_terminal_cannot_encode_are_escaped(tmp_path):
    yolo(tmp_path / 'in', {'a': '0 0.5 0.5 0.5 0.5', 'b': '1 0.5 0.5 0.5 0.5'})
    settings = tmp_path / 'in' / 'data.yaml'
    settings.write_text('train: images/train\nnames: [猫, Straße]\n', encoding='utf-8')
    command = [sys.executable, '-m', 'vitbackbones', 'import', 'yolo', 'in', 'out']
    environment = os.environ | {'PYTHONIOENCODING': 'ascii'}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, '')
    assert done.stdout.startswith(r'2 classes: \u732b, Stra\xdfe; 2 objects')


def test_an_output_that_takes_no_more_is_a_message():
    command = [sys.executable, '-m', 'vitbackbones', 'configs']
    with open('/dev/full', 'w') as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert 'No space left on device' in done.stderr
    assert 'Traceback' not in done.stderr


def test_a_closed_output_ends_a_command_without_a_word():
    command = f'{shlex.quote(sys.executable)} -m vitbackbones configs >&-'
    done = subprocess.run(command, shell=True, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (0, '')
