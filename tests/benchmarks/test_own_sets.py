"""own_sets does the runs that its table lacks, and says what could not be done."""

import fcntl
import shlex
import signal
import subprocess
import sys
import time
from argparse import Namespace
from pathlib import Path

import pytest

from benchmarks import own_sets
from benchmarks.own_sets import (
    COLUMNS,
    Method,
    Run,
    append_row,
    measure,
    read_method,
    read_rows,
    row_of,
)
from benchmarks.own_sets_data import RealSet
from vitbackbones.commands.main import verb_parser
from vitbackbones.configuration.names import config_files
from vitbackbones.errors import InputError

from .sets import content, write_set

ROOT = Path(__file__).parents[2]
ROW = dict.fromkeys(COLUMNS, '1') | {'mIoU': ''}


@pytest.fixture
def started(monkeypatch):
    """Runs that would be started; nothing is trained."""
    names = []

    def run(each, real_set, work_dir, prefix):
        names.append(str(each))
        if each.set == 'failing':
            raise InputError(f'{each}: exit status 1')
        columns = dict(zip(own_sets.KEY, each.key, strict=True))
        return {**ROW, **columns, 'AP50': len(names) / 100}

    monkeypatch.setattr(own_sets, 'row_of', run)
    return names


def options(tmp_path, **given):
    defaults = {'folder': tmp_path / 'sets', 'out': tmp_path / 'out' / 'own_sets.csv'}
    defaults |= {'methods': ['noise'], 'sets': None, 'n': [2], 'seeds': [0], 'steps': 300}
    return Namespace(**{**defaults, 'prefix': '', 'work_dir': tmp_path / 'work', **given})


def make_sets(tmp_path, *names, count=5):
    for name in names:
        write_set(tmp_path / 'sets' / name, content(count), content(2))


def test_runs_that_are_in_the_table_are_not_repeated(tmp_path, started):
    make_sets(tmp_path, 'a', 'b')
    measure(options(tmp_path, seeds=[0]))
    measure(options(tmp_path, methods=['noise', 'box'], seeds=[0, 1]))
    expected = [('noise', 0), ('box', 0), ('noise', 1), ('box', 1)]
    assert started == [f'{s}, 2 images, seed {k}, {m}' for m, k in expected for s in 'ab']
    assert len(read_rows(tmp_path / 'out' / 'own_sets.csv')) == 8


def test_a_run_of_another_length_is_another_run(tmp_path, started):
    make_sets(tmp_path, 'a')
    measure(options(tmp_path))
    measure(options(tmp_path, steps=600))
    assert [row['steps'] for row in read_rows(tmp_path / 'out/own_sets.csv')] == ['300', '600']


@pytest.mark.parametrize('kept', [1, 20, -1])
def test_a_line_that_was_cut_off_is_measured_again(tmp_path, started, kept, capsys):
    make_sets(tmp_path, 'a', 'b', 'c')
    measure(options(tmp_path))
    table = tmp_path / 'out' / 'own_sets.csv'
    lines = table.read_bytes().splitlines(keepends=True)
    table.write_bytes(b''.join(lines[:-1]) + lines[-1][:kept])
    measure(options(tmp_path))
    assert started[3:] == ['c, 2 images, seed 0, noise']
    assert [row['set'] for row in read_rows(table)] == ['a', 'b', 'c']
    assert 'own_sets.csv: the last line is incomplete; its run is repeated' in (
        capsys.readouterr().out
    )


def test_a_header_that_was_cut_off_is_written_again(tmp_path):
    table = tmp_path / 'own_sets.csv'
    table.write_text('set,n,se')
    assert read_rows(table) == []
    append_row(table, ROW)
    assert read_rows(table) == [ROW]


@pytest.mark.parametrize(
    ('text', 'number'),
    [('time,value\n1,2\n', 1), (','.join(COLUMNS) + '\n' + 'a,' * 14 + '\n', 2)],
)
def test_another_table_is_refused_and_stays(tmp_path, text, number):
    table = tmp_path / 'own_sets.csv'
    table.write_text(text)
    with pytest.raises(InputError, match=f'line {number} does not have the columns set, n, seed'):
        read_rows(table)
    assert table.read_text() == text


def test_a_broken_set_is_named_and_the_others_are_done(tmp_path, started):
    make_sets(tmp_path, 'a', 'b', 'failing')
    (tmp_path / 'sets' / 'a' / 'train.json').write_text('{"images": [')
    (tmp_path / 'sets' / 'empty').mkdir()
    with pytest.raises(InputError, match='3 failed, the others are done:') as error:
        measure(options(tmp_path))
    for name in ('sets/a', 'sets/empty', 'failing, 2 images, seed 0, noise: exit status 1'):
        assert name in str(error.value)
    assert [row['set'] for row in read_rows(tmp_path / 'out/own_sets.csv')] == ['b']


def test_a_set_with_fewer_images_is_skipped_at_that_number(tmp_path, started, capsys):
    make_sets(tmp_path, 'small')
    make_sets(tmp_path, 'large', count=9)
    measure(options(tmp_path, n=[5, 9]))
    assert started == [
        *('large, 5 images, seed 0, noise', 'small, 5 images, seed 0, noise'),
        'large, 9 images, seed 0, noise',
    ]
    assert 'small: skipped for n=9, it has 5 training images' in capsys.readouterr().out


def test_what_the_folder_does_not_have_is_one_message(tmp_path, started):
    with pytest.raises(InputError, match='sets: no such folder'):
        measure(options(tmp_path))
    make_sets(tmp_path, 'a', 'b')
    with pytest.raises(InputError, match='--sets c: .* has a, b'):
        measure(options(tmp_path, sets=['c']))
    with pytest.raises(InputError, match='--work-dir must be neither inside'):
        measure(options(tmp_path, work_dir=tmp_path / 'sets' / 'work'))
    measure(options(tmp_path, sets=['b']))
    assert started == ['b, 2 images, seed 0, noise']


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        ('noise', Method('noise', ('{quick}', '--scratch'), 300)),
        ('noise_cpu', Method('noise_cpu', ('{quick}', '--scratch'), 690)),
        ('noise_cpu=--steps 500', Method('noise_cpu', ('{quick}', '--scratch'), 500)),
        ('box=--pretrained "a b.pth"', Method('box', ('{quick}', '--pretrained', 'a b.pth'), 300)),
        ('pvt={quick} --backbone pvt_t', Method('pvt', ('{quick}', '--backbone', 'pvt_t'), 300)),
    ],
)
def test_a_method_is_a_name_or_the_words_of_a_command(text, expected):
    assert read_method(text, 300) == expected


def test_every_known_method_is_a_command_of_train():
    for name in own_sets.METHODS:
        words = read_method(name, 300).words_for('boxes')
        assert verb_parser('train').parse_args(words).config in config_files()


def test_the_quick_config_is_that_of_the_labels_and_other_braces_stay():
    method = read_method("own={quick} --cfg-options 'a={b: 1}'", 300)
    assert method.words_for('boxes') == ['quick_detector', '--cfg-options', 'a={b: 1}']
    assert method.words_for('masks')[0] == 'quick_segmentor'


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('nose', '--methods nose: unknown; known: noise, .*NAME=|as .nose=CONFIG OPTIONS'),
        ('own=--scratch', '--methods own: unknown'),
        ('noise=--steps', '--methods noise: --steps requires a number'),
    ],
)
def test_a_method_that_cannot_be_is_one_message(text, message):
    with pytest.raises(InputError, match=message):
        read_method(text, 300)


def test_a_run_trains_and_measures_on_all_validation_images(tmp_path):
    real_set = RealSet(write_set(tmp_path / 'set', content(4), content(3)), tmp_path / 'data')
    method = read_method('noise=--steps 2', 300)
    row = row_of(Run('set', 2, 1, method), real_set, tmp_path / 'runs', 'nice -n 1')
    assert {**row, 'AP': 0, 'AP50': 0, 'cpu_s': 0, 'wall_s': 0} == {
        **{'set': 'set', 'n': '2', 'seed': '1', 'method': 'noise', 'steps': '2'},
        **{'AP': 0, 'AP50': 0, 'cpu_s': 0, 'wall_s': 0, 'version': own_sets.__version__},
    }
    assert 0 <= row['AP'] <= row['AP50'] <= 1
    assert row['cpu_s'] > 0
    log = (tmp_path / 'runs' / 'set-2-1-noise-2.log').read_text()
    assert '2 classes: a, b; 2 images for train, 3 for val' in log
    assert [file.name for file in (tmp_path / 'runs').iterdir()] == ['set-2-1-noise-2.log']


def test_a_run_that_fails_says_why(tmp_path):
    real_set = RealSet(write_set(tmp_path / 'set', content(4), content(3)), tmp_path / 'data')
    each = Run('set', 2, 0, Method('own', ('no_such_config',), 2))
    with pytest.raises(InputError, match=r'set, 2 images, seed 0, own: exit status 2: error: no_'):
        row_of(each, real_set, tmp_path / 'runs', '')


CHILD = """
import fcntl, pathlib, sys, time
held, started, ended = map(pathlib.Path, sys.argv[1:])
file = held.open('w')
fcntl.flock(file, fcntl.LOCK_EX)
started.touch()
time.sleep(60)
ended.touch()
"""


def test_a_run_ends_with_the_process_that_has_started_it(tmp_path):
    held, started, ended = (tmp_path / name for name in ('held', 'started', 'ended'))
    child = shlex.join([sys.executable, '-c', CHILD, *map(str, (held, started, ended))])
    command = ['sh', '-c', f'{child}; true']  # true: or the shell becomes the child
    code = (
        'import os, pathlib; from benchmarks.own_sets import _run_in_a_group as run;'
        f'run({command!r}, pathlib.Path({str(tmp_path / "log")!r}), dict(os.environ))'
    )
    process = subprocess.Popen([sys.executable, '-c', code], cwd=ROOT)
    while not started.exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.wait()
    with open(held, 'w') as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # when the child has ended
    assert not ended.exists()


def test_the_summary_is_written_without_a_run(tmp_path):
    table, page = tmp_path / 'own_sets.csv', tmp_path / 'page.md'
    append_row(table, ROW | {'method': 'noise'})
    given = ['--out', table, '--summary', page, '--picture', tmp_path / 'picture.png']
    module = [sys.executable, '-m', 'benchmarks.own_sets']
    done = subprocess.run([*module, *given], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert '## Boxes' in page.read_text()
    nothing = subprocess.run(module, capture_output=True, text=True, cwd=ROOT)
    assert nothing.returncode == 2
    assert 'give FOLDER, --summary, or both' in nothing.stderr
