"""What meets a contributor: workflows, forms, the container and CONTRIBUTING.md fit the clone."""

import re

import pytest
import yaml

from .test_setup import ROOT, metadata

MAKEFILE = (ROOT / 'Makefile').read_text()
TARGETS = set(re.search(r'^\.PHONY: (.*)$', MAKEFILE, re.M)[1].split())
WORKFLOWS = sorted((ROOT / '.github/workflows').glob('*.yml'))


def supported(environment):
    """The versions of Python that ``make`` takes for an environment; '%' is any other."""
    lines = re.findall(r'^(?:(\S+)/\.installed: )?SUPPORTED := (.*)$', MAKEFILE, re.M)
    named = {name or '%': line for name, line in lines}
    first, end = map(int, re.findall(r'\(3, (\d+)\)', named[environment]))
    return [f'3.{minor}' for minor in range(first, end)]


JOBS = [
    pytest.param(job, id=f'{file.stem}-{name}')
    for file in WORKFLOWS
    for name, job in yaml.safe_load(file.read_text())['jobs'].items()
]


def commands(job):
    return [step['run'] for step in job['steps'] if 'run' in step]


@pytest.mark.parametrize('job', JOBS)
def test_a_job_runs_a_target_of_make_on_every_python_that_it_supports_or_one(job):
    targets = [command.removeprefix('make ') for command in commands(job)]
    assert {*targets} <= TARGETS
    takes = supported('.venv-newest' if targets == ['test-newest'] else '%')
    matrix = job.get('strategy', {}).get('matrix')
    if matrix:
        assert matrix == {'python': takes}
    (set_up,) = (step for step in job['steps'] if 'setup-python' in step.get('uses', ''))
    given = set_up['with']['python-version']
    assert given == '${{ matrix.python }}' if matrix else given in takes


@pytest.mark.parametrize('file', WORKFLOWS, ids=lambda file: file.stem)
def test_a_workflow_may_only_read_and_sets_variables_of_make(file):
    content = yaml.safe_load(file.read_text())
    assert content['permissions'] == {'contents': 'read'}
    assert content['env'].keys() == {'TORCH', 'PYTHON'}
    assert '$(TORCH:' in MAKEFILE
    assert 'PYTHON ?=' in MAKEFILE


def test_the_container_is_made_by_make_with_extras_that_there_are(monkeypatch):
    text = (ROOT / 'Dockerfile').read_text()
    assert re.search(r'^FROM python:(\S+?)-slim', text, re.M)[1] in supported('%')
    extras = re.search(r'^ARG EXTRAS=(\S+)$', text, re.M)[1].split(',')
    assert {*extras} <= metadata(monkeypatch)['extras_require'].keys()
    assert 'RUN make .venv/.installed' in text
    assert '%/.installed: setup.py' in MAKEFILE
    assert re.findall(r'^USER (\d+)', text, re.M) == ['1000']
