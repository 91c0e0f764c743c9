"""Constants of sizes: made once, and left behind where they would be wrong."""

import copy
import pickle

import torch

from vitbackbones.layers import Constants


def counting(calls):
    def make(*sizes):
        calls.append(sizes)
        return torch.zeros(sizes)

    return make


def test_a_constant_is_made_once_for_each_size():
    calls, constants = [], Constants()
    first = constants(counting(calls), 2, 3)
    assert constants(counting(calls), 2, 3) is first
    assert constants(counting(calls), 3, 2).shape == (3, 2)
    assert calls == [(2, 3), (3, 2)]


def test_not_every_size_is_kept():
    calls, constants = [], Constants()
    for size in range(1000):
        constants(counting(calls), size)
    assert len(constants.kept) < 100


def test_copies_and_moves_keep_none():
    constants = Constants()
    constants(torch.zeros, 2)
    for other in (copy.deepcopy(constants), pickle.loads(pickle.dumps(constants))):
        assert not other.kept
    assert constants.kept
    assert not constants.double().kept


def test_a_constant_of_inference_mode_serves_gradients_too():
    constants, x = Constants(), torch.ones(2, requires_grad=True)
    with torch.inference_mode():
        constants(torch.ones, 2)
    (constants(torch.ones, 2) * x).sum().backward()
    assert torch.equal(x.grad, torch.ones(2))


class Cleared(dict):
    """What another thread clears right after something was put there."""

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        self.clear()


def test_threads_lose_no_constant_and_keep_not_every_size():
    constants = Constants()
    constants.kept = Cleared()
    assert constants(torch.zeros, 2).shape == (2,)
    constants.kept = {(size,): torch.zeros(size) for size in range(15)}
    constants(lambda size: constants(torch.zeros, 20), 30)  # 20 comes in between
    for size in range(100, 1000):
        constants(torch.zeros, size)
    assert len(constants.kept) < 100
