"""One comparison of a state dict with a module, for filling, resuming and converting."""

import torch
from torch import nn

from vitbackbones.weights.coverage import compare


def network():
    return nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))


def test_every_key_is_in_one_list():
    state = network().state_dict()
    state |= {'0.weight': torch.ones(4, 2), '0.gate': torch.ones(1), 'head.bias': torch.ones(1)}
    del state['1.bias']
    found = compare(network(), state)
    assert found.used == ('0.bias', '1.weight', '1.running_mean', '1.running_var')
    assert found.missing == ('1.bias',)
    assert found.unused == ('0.gate', 'head.bias')
    assert found.mismatched == ('0.weight',)
    assert found.shapes == ('0.weight (4, 2) for (3, 2)',)


def test_what_lies_inside_a_filled_part_is_unexpected():
    state = {**network().state_dict(), '0.gate': torch.ones(1), 'head.bias': torch.ones(1)}
    assert compare(network(), state).unexpected_inside() == ['0.gate']
    inside = {f'backbone.{key}': value for key, value in state.items()}
    whole = nn.ModuleDict({'backbone': network()})
    assert compare(whole, inside).unexpected_inside() == ['backbone.0.gate']


def test_a_count_of_batches_may_be_missing_and_has_a_place():
    state = network().state_dict()
    for changed in (state, {k: v for k, v in state.items() if 'batches' not in k}):
        found = compare(network(), changed)
        assert (found.missing, found.unused, found.mismatched) == ((), (), ())
