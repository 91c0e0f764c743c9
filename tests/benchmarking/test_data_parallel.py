"""A training step in two processes is timed beside the same step in one."""

import torch

from vitbackbones.benchmarking import data_parallel
from vitbackbones.benchmarking.steps import Case


def test_one_process_alone_and_two_together_take_turns():
    case = Case('train', 'eager', 'float32', (32, 32), 2)
    found = data_parallel.measure('ours:deit_ti,arch.depth=1', case, 2, warm_up=1, repeats=3)
    assert [*found] == [1, 2]
    for seconds, peak in found.values():
        assert len(seconds) == 3
        assert min(seconds) > 0
        assert peak > 2**18


def test_gradients_are_those_of_all_processes(monkeypatch):
    wrapped = []
    monkeypatch.setattr(data_parallel, 'DistributedDataParallel', lambda m: wrapped.append(m) or m)
    monkeypatch.setattr(data_parallel.dist, 'barrier', lambda: wrapped.append('barrier'))
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(12, 2))
    case = Case('train', 'eager', 'float32', (2, 2), 2)
    steps = data_parallel._steps(model, case, 2)
    before = model[1].weight.clone()
    steps[1]()
    assert torch.equal(model[1].weight, before)  # alone: a copy
    steps[2]()
    assert not torch.equal(model[1].weight, before)
    assert wrapped == [model, 'barrier']
