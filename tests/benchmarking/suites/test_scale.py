"""How time and memory grow: exponents of lines, and a run that goes on where it was stopped."""

import csv
from argparse import Namespace

import numpy as np
import pytest
import torch

from vitbackbones.benchmarking.model_sources import SOURCES
from vitbackbones.benchmarking.suites import scale
from vitbackbones.benchmarking.tables import report
from vitbackbones.errors import InputError

OPTIONS = {
    'engine': ['eager'],
    'precision': ['float32'],
    'size': None,
    'batch': None,
    'device': torch.device('cpu'),
    'repeats': 1,
    'warm_up': 0,
}


@pytest.fixture
def _small(monkeypatch):
    """Two models, two points on each axis, and no further processes."""
    monkeypatch.setattr(
        scale, 'HOSTS', {'deit_ti': {'depth': 1}, 'swin_t': {'depths': [1, 1, 1, 1]}}
    )
    monkeypatch.setattr(scale, 'SIZE', (32, 32))
    monkeypatch.setattr(scale, 'SIZES', ((32, 32), (64, 96)))
    monkeypatch.setattr(scale, 'BATCHES', (1, 3))
    monkeypatch.setattr(scale, 'DEPTHS', (1, 2))
    together = {1: ([1.0], 2**20), scale.PROCESSES: ([1.5], 2**20)}
    monkeypatch.setattr(scale.data_parallel, 'measure', lambda *arguments: together)


def measured(file, *steps):
    """The table in a file after a run of the suite that writes to it."""
    options = Namespace(**OPTIONS, step=steps, out=str(file))
    report(scale.rows(options, SOURCES), options.out)
    return list(csv.DictReader(file.read_text().splitlines()))


@pytest.mark.parametrize('exponent', [-0.5, 0, 1, 2])
def test_the_exponent_of_a_power_is_found(exponent):
    values = np.array([196, 576, 1600, 7056])
    found, off = scale.fit_power(values, 0.3 * values**exponent)
    assert (found, off) == (pytest.approx(exponent, abs=1e-9), pytest.approx(0, abs=1e-9))


def test_what_is_no_power_is_off():
    exponent, off = scale.fit_power([1, 10, 100], [1, 1, 100])
    assert exponent == pytest.approx(1)
    assert off == pytest.approx(10 ** (2 / 3) - 1)  # at 10, where the power is 10**(2 / 3)


@pytest.mark.usefixtures('_small')
def test_every_axis_of_every_host_is_a_line(tmp_path):
    rows = measured(tmp_path / 'scale.csv', 'forward', 'train')
    for step, axes in {
        'forward': ['tokens', 'batch', 'depth'],
        'train': ['tokens', 'batch', 'depth', 'processes'],
    }.items():
        own = [row for row in rows if row['step'] == step]
        assert [(row['host'], row['axis']) for row in own[::2]] == [
            (host, axis) for host in scale.HOSTS for axis in axes
        ]
    first = {row['axis']: [] for row in rows}
    for row in rows[-8:]:
        first[row['axis']].append((row['value'], row['model'], row['size'], row['batch']))
    base, deeper = (f'ours:swin_t,arch.depths=[{",".join(4 * [n])}]' for n in '12')
    assert first == {
        'tokens': [('4', base, '32x32', '1'), ('24', base, '64x96', '1')],
        'batch': [('1', base, '32x32', '1'), ('3', base, '32x32', '3')],
        'depth': [('1', base, '32x32', '1'), ('2', deeper, '32x32', '1')],
        'processes': [('1', base, '32x32', '4'), ('2', base, '32x32', '4')],
    }
    processes = [row for row in rows if row['axis'] == 'processes']
    assert {row['time_exponent'] for row in processes} == {'0.58'}  # log2(1.5)
    assert [row['processes'] for row in processes] == ['1', '2'] * 2
    for one, other in zip(rows[::2], rows[1::2], strict=True):
        growth = np.log(float(other['peak_MiB']) / float(one['peak_MiB']))
        exponent = growth / np.log(int(other['value']) / int(one['value']))
        # of the peaks as they stand in the table, which are rounded
        assert float(one['memory_exponent']) == pytest.approx(exponent, abs=0.2)


@pytest.mark.usefixtures('_small')
def test_a_run_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    file = tmp_path / 'scale.csv'
    whole = measured(file, 'forward')
    lines = file.read_text().splitlines(keepends=True)
    file.write_text(''.join(lines[:-3]))  # the last line of points, and half of the one before
    again = []
    measure = scale._in_turns
    monkeypatch.setattr(
        scale, '_in_turns', lambda points, *rest: again.append(points) or measure(points, *rest)
    )
    rows = measured(file, 'forward')
    assert [[point.value for point in points] for points in again] == [[1, 3], [1, 2]]
    assert rows[:-4] == whole[:-4]
    assert len(rows) == len(whole)


@pytest.mark.usefixtures('_small')
def test_what_was_measured_before_stays_in_the_file(tmp_path):
    file = tmp_path / 'scale.csv'
    before = measured(file, 'forward')
    options = Namespace(**{**OPTIONS, 'batch': [5, 6]}, step=['forward'], out=str(file))
    rows = scale.rows(options, SOURCES)
    report((next(rows) for _ in range(len(before) + 1)), options.out)  # stopped behind a new row
    kept = list(csv.DictReader(file.read_text().splitlines()))
    assert kept[:-1] == before
    assert (kept[-1]['axis'], kept[-1]['batch']) == ('batch', '5')


def test_another_table_is_not_overwritten(tmp_path):
    file = tmp_path / 'cpu.csv'
    file.write_text('model,median_ms\ndeit_s,1.0\n')
    with pytest.raises(InputError, match='cpu.csv: holds another table. Remove it, or choose'):
        measured(file, 'forward')
    assert file.read_text().endswith('deit_s,1.0\n')
