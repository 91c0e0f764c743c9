"""Functions as tasks of a cluster, with what a user is told when it fails."""

import subprocess
import sys
from importlib.util import find_spec
from types import SimpleNamespace

import pytest

from vitbackbones.errors import InputError
from vitbackbones.utils.cluster import Share, run_logged, share_of

TASKS = """
import os
from vitbackbones.errors import InputError
from vitbackbones.utils.cluster import run_tasks

def threads(number):
    if number == 2:
        raise InputError('two is wrong')
    return number, os.environ['OMP_NUM_THREADS']

try:
    for each in run_tasks('local', threads, [(0,), (1,), (2,)]):
        print(*each, flush=True)
except InputError as error:
    print(error)
"""


def nodes(*resources):
    listed = [{'Alive': True, 'Resources': each} for each in resources]
    return SimpleNamespace(nodes=lambda: [*listed, {'Alive': False, 'Resources': {'CPU': 1.0}}])


def test_a_task_takes_a_gpu_or_the_cores_of_the_smallest_node():
    mixed = nodes({'CPU': 8.0, 'GPU': 2.0}, {'CPU': 16.0}, {'memory': 1.0})
    assert share_of(mixed, on_gpus=False) == Share(8.0, 0, 3)
    assert share_of(mixed, on_gpus=True) == Share(1, 1, 2)
    with pytest.raises(InputError, match='no node of the cluster has a GPU'):
        share_of(nodes({'CPU': 4.0}), on_gpus=True)


def test_a_command_is_logged(tmp_path):
    words = [sys.executable, '-c', 'import sys; print("out"); sys.exit("err")']
    for _ in range(2):
        assert run_logged(words, str(tmp_path / 'log')) == 1
    assert sorted((tmp_path / 'log').read_text().split()) == ['err', 'err', 'out', 'out']


@pytest.mark.crash
def test_tasks_return_in_order_with_the_threads_of_the_user(monkeypatch):
    if find_spec('ray') is None:
        pytest.skip('no Ray here')
    monkeypatch.setenv('OMP_NUM_THREADS', '3')
    done = subprocess.run([sys.executable, '-c', TASKS], capture_output=True, text=True)
    assert done.stdout.splitlines() == ['0 3', '1 3', 'two is wrong'], done.stderr
