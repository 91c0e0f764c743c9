"""The suite for GPUs on a CPU: what it keeps, where it goes on, what it does with errors."""

import csv
import json
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

import mmdet
import mmpretrain
import pytest
import timm
import torch

from vitbackbones.backbones import HOSTS
from vitbackbones.benchmarking.model_sources import SOURCES
from vitbackbones.benchmarking.suites import gpu, gpu_jobs
from vitbackbones.benchmarking.suites.gpu_goals import GOALS, goal_rows
from vitbackbones.benchmarking.suites.gpu_jobs import Job
from vitbackbones.benchmarking.suites.gpu_plan import COMPILED, LOGITS, PLANS
from vitbackbones.benchmarking.suites.gpu_tables import ROWS, Tables
from vitbackbones.errors import InputError
from vitbackbones.models import MODELS

SHALLOW = 'deit_ti,arch.depth=1'
GROUP = (f'ours:{SHALLOW}', 'timm:unknown', f'fused:{SHALLOW}')
TINY = replace(
    PLANS['cpu'],
    logits=(GROUP,),
    sizes={(32, 32): (2,)},
    maps=((f'ours:{SHALLOW}',),),
    map_sizes={(32, 48): (1,)},
    counted=(32, 32),
    busy=((32, 32), 2),
)


@pytest.fixture
def options(tmp_path):
    device = torch.device('cpu')
    return Namespace(device=device, out=str(tmp_path / 'out'), repeats=1, warm_up=0)


@pytest.fixture
def plan(monkeypatch):
    """No tasks, which import toolboxes; tests/benchmarking/suites/test_gpu_tasks.py runs them."""
    monkeypatch.setattr(gpu_jobs, 'TASKS', {})
    return lambda **changes: monkeypatch.setitem(gpu.PLANS, 'cpu', replace(TINY, **changes))


def measure(options):
    return list(gpu.rows(options, SOURCES))


def table(options, name):
    with open(f'{options.out}/{name}.csv') as file:
        return list(csv.DictReader(file))


def test_every_table_is_written_and_a_second_run_has_nothing_left(options, plan):
    plan()
    rows = measure(options)
    assert {row['table'] for row in rows} == {
        *('device', 'attention', 'models', 'kernels', 'roofline', 'goals')
    }
    models = table(options, 'models')
    assert [(row['step'], row['form']) for row in models[:5]] == [
        *(('forward', form) for form in GROUP),
        *(('train', form) for form in GROUP[:2]),  # a folded model is not trained
    ]
    assert models[0]['ratio'] == '1.0'
    assert models[1]['error'].startswith('InputError: unknown model timm:unknown')
    assert {row['kernel'] for row in table(options, 'attention')} == {'flash'}
    assert all(float(row['arithmetic_share']) > 0 for row in table(options, 'roofline'))
    counted = [row['kernels'] for row in table(options, 'kernels') if not row['error']]
    assert len(counted) == 3
    assert all(int(count) > 10 for count in counted)

    with open(f'{options.out}/summary.md') as file:
        page = file.read()
    assert f'| forward | eager | float32 | 32x32 | 2 | {GROUP[0]} | ' in page
    assert 'device CPU, a dry run, torch ' in page
    assert 'Not measured yet' not in page
    assert {row['table'] for row in measure(options)} == {'goals'}


def job(name, *values, error=None, seconds=0.0):
    """A job that yields ``values`` and then raises ``error``, and notes each of its attempts."""

    def rows():
        made.attempts += 1
        yield from ({'value': value} for value in values)
        if error is not None:
            raise error

    made = Namespace(attempts=0)
    return Job('numbers', name, seconds, rows), made


@pytest.fixture
def run(options, monkeypatch):
    """``run(JOB, ...)`` measures these and returns the rows of each table that was printed."""

    def measured(*jobs):
        monkeypatch.setattr(gpu_jobs.Jobs, 'planned', lambda self: list(jobs))
        rows = measure(options)
        return [row for row in rows if row['table'] != 'goals']

    return measured


def test_an_error_is_a_row_and_is_tried_once_more(run, options):
    bad, made = job('bad', 1, error=RuntimeError('out of memory\nlong story'))
    good, _ = job('good', 2)
    error = {'table': 'numbers', 'form': 'bad', 'error': 'RuntimeError: out of memory'}
    number = {'table': 'numbers', 'value': 2}
    left = {'table': 'left', 'job': 'bad'}
    assert run(bad, good) == [{'table': 'numbers', 'value': 1}, error, number, left]
    assert run(bad, good) == [{'table': 'numbers', 'value': 1}, error]
    assert run(bad, good) == []
    assert made.attempts == 2
    # the second attempt took the place of the first
    assert [row['error'] for row in table(options, 'numbers')].count(error['error']) == 1


def test_a_killed_run_goes_on_behind_its_last_row(run, options):
    first, once = job('first', 1, 2)
    last, twice = job('last', 3, error=KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        run(first, last)
    assert [row['value'] for row in table(options, 'numbers')] == ['1', '2', '3']
    last, twice = job('last', 3, 4)
    assert [row['value'] for row in run(first, last)] == [3, 4]
    assert (once.attempts, twice.attempts) == (1, 1)
    assert [row['value'] for row in table(options, 'numbers')] == ['1', '2', '3', '4']


def test_a_job_that_ended_the_process_twice_is_left_alone(run):
    fatal, made = job('fatal', error=KeyboardInterrupt())
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            run(fatal)
    assert run(fatal) == []
    assert made.attempts == 2


def test_what_would_not_end_in_time_is_left(run, options):
    long, made = job('long', 1, seconds=60 * PLANS['cpu'].minutes)
    short, _ = job('short', 2)
    assert run(long, short) == [{'table': 'numbers', 'value': 2}, {'table': 'left', 'job': 'long'}]
    assert not made.attempts
    with open(f'{options.out}/summary.md') as file:
        assert '## Not measured yet\n\n- long\n' in file.read()


def test_a_folder_of_another_device_is_refused(run, options, tmp_path):
    run(job('a', 1)[0])
    kept = tmp_path / 'out' / ROWS
    content = json.loads(kept.read_text())
    content['settings']['device'] = 'NVIDIA H200'
    kept.write_text(json.dumps(content))
    with pytest.raises(InputError, match='device was NVIDIA H200, is CPU, a dry run. Choose anot'):
        run(job('a', 1)[0])


@pytest.mark.parametrize(
    ('change', 'text'),
    [
        ({'out': None}, 'name a folder for its tables by --out FOLDER'),
        ({'device': torch.device('meta')}, '--device meta is neither CUDA nor a CPU'),
    ],
)
def test_what_the_suite_cannot_do_is_one_message(options, change, text):
    with pytest.raises(InputError, match=text):
        measure(Namespace(**{**vars(options), **change}))


def test_the_plan_has_every_family_and_the_models_of_the_goals():
    own = PLANS['cuda'].own
    assert {MODELS[spec.partition(':')[2]][0] for spec in own} == {
        host for host in HOSTS if vars(host).get('classifiers')
    }
    for goal in GOALS:
        if goal.table == 'models':
            groups = LOGITS if goal.case['engine'] == 'eager' else COMPILED
            assert any({goal.form, goal.unit} <= {*group} for group in groups)


def test_the_models_of_the_plan_exist():
    plan = PLANS['cuda']
    groups = [*plan.logits, *plan.compiled, *plan.maps]
    named = [spec.split(':') for group in groups for spec in group]
    known = {'timm': timm.list_models(), 'mmpretrain': mmpretrain.list_models()}
    known |= dict.fromkeys(('ours', 'fused', 'plain'), MODELS)
    known['mmdet'] = [file.stem for file in Path(mmdet.__file__).parent.glob('.mim/configs/*/*.py')]
    assert [(source, name) for source, name in named if name not in known[source]] == []


def test_no_two_jobs_of_the_plan_for_gpus_have_the_same_name(options):
    jobs = gpu_jobs.Jobs(PLANS['cuda'], options, SOURCES, None).planned()
    names = [each.name for each in jobs]
    assert len({*names}) == len(names)
    assert {each.table for each in jobs[:3]} == {'device', 'attention'}


def test_goals_are_held_against_the_rows(tmp_path):
    tables, goal = Tables(tmp_path, {}), GOALS[0]
    assert {row['found'] for row in goal_rows(tables)} == {'not measured'}
    for form, time in [(goal.unit, 10.0), (goal.form, 4.0), ('other', 1.0)]:
        tables.add('models', 'a', goal.case | {'form': form, 'median_ms': time})
        tables.add('models', 'b', goal.case | {'batch': 1, 'form': form, 'median_ms': 1.0})
    tables.add('attention', 'c', {'calls': 3, 'verdict': 'fail'})
    first, *_, last = goal_rows(tables)
    assert (first['at_most'], first['found'], first['verdict']) == (0.4, 0.4, 'pass')
    assert (last['found'], last['verdict']) == (1, 'fail')
