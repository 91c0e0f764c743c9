"""Grouped projections against dense matrices that hold the same numbers."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from vitbackbones.layers import GroupedLinear


def dense(linear, group_of_output):
    """The dense matrix that the stored rows stand for; groups of outputs from a function."""
    out, columns = linear.weight.shape
    matrix = torch.zeros(out, columns * linear.groups)
    seen = [0] * linear.groups
    for o in range(out):
        g = group_of_output(o)
        row = linear.weight[g * (out // linear.groups) + seen[g]]
        matrix[o, g * columns : (g + 1) * columns] = row
        seen[g] += 1
    return matrix


@pytest.mark.parametrize('groups', [2, 3, 4])
def test_interleaved_output_o_reads_group_o_mod_g(groups):
    linear = GroupedLinear(24, 96, groups=groups, parts=4)
    x = torch.randn(2, 5, 24)
    expected = F.linear(x, dense(linear, lambda o: o % groups), linear.bias)
    torch.testing.assert_close(linear(x), expected, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize('groups', [2, 3])
def test_blocks_lie_within_each_part(groups):
    linear = GroupedLinear(24, 72, groups=groups, layout='block', parts=3)
    x = torch.randn(2, 5, 24)
    expected = F.linear(x, dense(linear, lambda o: o % 24 // (24 // groups)), linear.bias)
    torch.testing.assert_close(linear(x), expected, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize('layout', ['interleave', 'block'])
@pytest.mark.parametrize('groups', [1, 2])
def test_a_part_alone_is_that_part_of_the_whole(groups, layout):
    linear = GroupedLinear(8, 24, groups=groups, layout=layout, parts=3)
    x = torch.randn(4, 8)
    torch.testing.assert_close(linear(x, slice(1, 3)), linear(x)[:, 8:])


def test_one_group_is_a_linear_layer():
    linear, usual = GroupedLinear(8, 24, parts=3), nn.Linear(8, 24)
    usual.load_state_dict(linear.state_dict())
    x = torch.randn(4, 8)
    assert torch.equal(linear(x), usual(x))


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [
        ({'groups': 5}, 'groups=5'),
        ({'groups': 0}, 'groups=0'),
        ({'groups': 2.0}, 'groups=2.0: must be an integer'),
        ({'groups': 16, 'parts': 3}, 'groups=16 does not divide the widths 16 and 8'),
        ({'layout': 'rows'}, "layout='rows'"),
    ],
)
def test_bad_values_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        GroupedLinear(16, 24, **arguments)
