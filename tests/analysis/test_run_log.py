"""Numbers out of the logs of a run."""

import json
import os

import pytest

from vitbackbones.analysis import run_log
from vitbackbones.analysis.run_log import metrics_of, records, value_after
from vitbackbones.errors import InputError

STEP = {'loss': 1.0, 'time': 0.2, 'step': 50}


def log(work_dir, time, *lines, end='\n'):
    folder = work_dir / time / 'vis_data'
    folder.mkdir(parents=True)
    text = '\n'.join(map(json.dumps, lines)) + end
    (folder / 'scalars.json').write_text(text)


def test_the_value_is_that_of_the_end_and_of_the_last_evaluation(tmp_path):
    log(tmp_path, '20260101_1', {'acc': 10.0, 'step': 1}, {'acc': 20.0, 'step': 2})
    log(tmp_path, '20260101_2', {'acc': 21.0, 'step': 2})
    assert value_after(tmp_path, 'acc', 2) == 21
    assert value_after(tmp_path, 'acc', 3) is None
    assert value_after(tmp_path, 'mAP', 2) is None


def test_the_metrics_of_a_checkpoint_are_those_logged_after_it(tmp_path):
    log(tmp_path, '20260101_1', STEP, {'acc': 21.0, 'none': -1.0, 'time': 0.1, 'step': 50})
    log(tmp_path, '20260101_2', {'coefficients/blocks.0.branch': 1.0, 'step': 50})
    assert metrics_of(tmp_path / 'best_acc_iter_50.pth') == {'acc': 21.0}
    assert metrics_of(tmp_path / 'iter_60.pth') == metrics_of(tmp_path / 'model.pth') == {}


def test_a_killed_run_leaves_half_a_line(tmp_path):
    log(tmp_path, '20260101_1', STEP, {**STEP, 'time': 0.4}, end='\n{"loss": 1.')
    assert value_after(tmp_path, 'acc', 1) is None
    assert [each['time'] for each in records(tmp_path)] == [STEP['time'], 0.4]


@pytest.mark.parametrize(
    'line',
    [
        '{"loss": 1}',
        '{"step": "1"}',
        '{"step": 1, "iter": "1"}',
        '{"step": 1, "epoch": []}',
        f'{{"step": 1{"0" * 400}}}',
        '[' * 10**5,
    ],
)
def test_a_line_that_is_no_record_is_left_out(tmp_path, line):
    log(tmp_path, '20260101_1', STEP, end=f'\n{line}\n')
    assert [*records(tmp_path)] == [STEP]


@pytest.mark.parametrize(('kind', 'why'), [('pipe', 'regular'), ('large', 'larger than 2 bytes')])
def test_a_log_without_an_end_is_refused(tmp_path, monkeypatch, kind, why):
    log(tmp_path, '20260101_1', STEP)
    (file,) = tmp_path.rglob('scalars.json')
    monkeypatch.setattr(run_log, 'LARGEST', 2)
    if kind == 'pipe':
        file.unlink()
        os.mkfifo(file)
    with pytest.raises(InputError, match=f'scalars.json cannot be read.*{why}'):
        [*records(tmp_path)]
