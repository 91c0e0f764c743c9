"""Pictures of many clients, answered together by one model."""

from concurrent.futures import wait
from threading import Event

import numpy as np
import pytest

from vitbackbones.serving.service import Batcher


class Adding:
    """Answers a number for each sample; what it is asked together is kept."""

    def __init__(self):
        self.free = Event()
        self.batches = []

    def answer(self, samples, logits=False):
        self.free.wait(10)
        self.batches.append([sample['number'] for sample in samples])
        if any(sample['number'] < 0 for sample in samples):
            raise MemoryError('too large')
        return [sample['number'] + 1 for sample in samples]


@pytest.fixture
def model():
    return Adding()


@pytest.fixture
def sizes():
    return []


@pytest.fixture
def batcher(model, sizes):
    made = Batcher(model, 3, sizes.append)
    yield made
    model.free.set()
    made.close()


def sample(number, side=4):
    return {'number': number, 'inputs': np.zeros((3, side, side))}


def test_what_waits_is_answered_together_by_size(batcher, model, sizes):
    first = batcher.submit(sample(0))
    while len(batcher):  # until the model has it
        pass
    others = [
        batcher.submit(sample(i, side)) for i, side in ((1, 4), (2, 8), (3, 4), (4, 4), (5, 4))
    ]
    model.free.set()
    wait([first, *others], 10)
    assert [each.result() for each in (first, *others)] == [1, 2, 3, 4, 5, 6]
    assert model.batches == [[0], [1, 3, 4], [2], [5]]
    assert sizes == [1, 3, 1, 1]


def test_a_picture_that_fails_costs_no_other_its_answer(batcher, model):
    answers = [batcher.submit(sample(number)) for number in (0, 1, -5, 2)]
    model.free.set()
    wait(answers, 10)
    assert isinstance(answers[2].exception(), MemoryError)
    assert [answers[i].result() for i in (0, 1, 3)] == [1, 2, 3]


def test_what_nobody_waits_for_is_not_computed(batcher, model):
    first = batcher.submit(sample(0))
    while len(batcher):
        pass
    gone, kept = batcher.submit(sample(1)), batcher.submit(sample(2))
    assert gone.cancel()
    model.free.set()
    assert kept.result(10) == 3
    assert first.result(10) == 1
    assert model.batches == [[0], [2]]


def test_what_waits_when_it_closes_is_canceled(model):
    batcher = Batcher(model, 1, lambda size: None)
    first = batcher.submit(sample(0))
    while len(batcher):
        pass
    second = batcher.submit(sample(1))
    batcher._is_closed = True
    model.free.set()
    batcher.close()
    assert first.result(10) == 1
    assert second.cancelled()
