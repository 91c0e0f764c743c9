"""Examples of exact resuming, killed and resumed: the bits are those of a run left alone."""

import os
import random
from importlib.util import find_spec

import pytest

from .exact_kills import EXAMPLES, GRID, compare

NEEDED = {'accelerate_run': 'accelerate', 'lightning_run': 'pytorch_lightning'}


def ended_alike(folder, example, workers, processes, kills):
    if find_spec(needed := NEEDED.get(example, 'torch')) is None:
        pytest.skip(f'{needed} comes with the group "examples"')
    choose = random.Random(f'{os.environ.get("SEED", 0)} {example} {workers} {processes}')
    runs = compare(folder, example, workers, processes, kills, choose)
    assert sum(killed for killed, _ in runs) >= kills
    return all(equal for _, equal in runs)


@pytest.mark.parametrize(
    ('example', 'workers', 'processes'),
    [
        ('plain_torch', 2, 1),
        ('plain_torch', 0, 3),
        ('accelerate_run', 0, 1),
        ('lightning_run', 0, 1),
    ],
)
def test_a_killed_run_ends_as_one_that_was_left_alone(tmp_path, example, workers, processes):
    assert ended_alike(tmp_path, example, workers, processes, kills=2)


@pytest.mark.crash
@pytest.mark.parametrize(('workers', 'processes'), GRID)
@pytest.mark.parametrize('example', EXAMPLES)
def test_killed_again_and_again(tmp_path, example, workers, processes):
    kills = int(os.environ.get('KILLS', 20))
    assert ended_alike(tmp_path, example, workers, processes, kills)
