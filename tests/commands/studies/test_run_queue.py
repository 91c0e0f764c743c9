"""Several processes at once."""

import sys
import time

import pytest

from vitbackbones.commands.studies.run_queue import Job, run_jobs

PLACES = [{'PLACE': 'a'}, {'PLACE': 'b'}]


def job(tmp_path, name, code):
    return Job(name, [sys.executable, '-SE', '-c', code], tmp_path / f'{name}.log')


def test_each_process_has_a_place_and_its_output_a_log(tmp_path):
    code = 'import os; print(os.environ["PLACE"]); raise SystemExit({})'
    jobs = [job(tmp_path, str(i), code.format(i)) for i in range(3)]
    statuses = {}
    run_jobs(jobs, PLACES, lambda job, status: statuses.update({job.task: status}))
    assert statuses == {'0': 0, '1': 1, '2': 2}
    assert {(tmp_path / f'{i}.log').read_text() for i in range(3)} == {'a\n', 'b\n'}


def test_no_more_processes_than_places(tmp_path):
    code = 'import time; start = time.time(); time.sleep(0.3); print(start, time.time())'
    jobs = [job(tmp_path, str(i), code) for i in range(2)]
    run_jobs(jobs, PLACES[:1], lambda job, status: None)
    first, second = ([float(word) for word in each.log.read_text().split()] for each in jobs)
    assert first[1] <= second[0]


def test_a_job_may_follow_at_once(tmp_path):
    order = []

    def ended(done, status):
        order.append(done.task)
        return job(tmp_path, 'next', 'pass') if done.task == 'first' else None

    run_jobs([job(tmp_path, name, 'pass') for name in ('first', 'last')], PLACES[:1], ended)
    assert order == ['first', 'next', 'last']


def test_an_interruption_is_passed_on_and_waited_for(tmp_path):
    """The second process writes a file when it is told to end, as a run saves its checkpoint."""
    code = (
        'import signal, sys, time, pathlib\n'
        'def save(*_): time.sleep(0.3); pathlib.Path({saved!r}).touch(); sys.exit()\n'
        'signal.signal(signal.SIGTERM, save)\n'
        'pathlib.Path({ready!r}).touch()\n'
        'time.sleep(60)'
    )
    ready, saved = tmp_path / 'ready', tmp_path / 'saved'
    wait = f'import os, time\nwhile not os.path.exists({str(ready)!r}): time.sleep(0.05)'
    jobs = [
        job(tmp_path, 'quick', wait),
        job(tmp_path, 'slow', code.format(saved=str(saved), ready=str(ready))),
    ]

    def interrupt(done, status):
        raise KeyboardInterrupt

    start = time.time()
    with pytest.raises(KeyboardInterrupt):
        run_jobs(jobs, PLACES, interrupt)
    assert saved.exists()
    assert time.time() - start < 30
