"""Graphs of networks: what is left open in them is open."""

import re
import sys
import warnings

import pytest
import torch
from torch import nn

from vitbackbones.errors import InputError
from vitbackbones.export.formats import example, silenced, trace

from ..conftest import REPRESENTATIVES
from .subjects import SIZE, small_subject


@torch.no_grad()
@pytest.mark.parametrize('name', sorted(REPRESENTATIVES))
def test_a_graph_of_every_class_takes_any_number_of_images(name):
    network = small_subject(name).network
    graph = trace(network, example(SIZE, 1, ['batch'], False), ['batch']).module()
    for number in (1, 3):
        image = torch.rand(number, 3, *SIZE)
        torch.testing.assert_close(graph(image), network(image))


@torch.no_grad()
@pytest.mark.parametrize(
    'name',
    [
        'deit_ti',
        'mixer_b16',
        *(pytest.param(name, marks=pytest.mark.grid) for name in ('t2t_14', 'tnt_ti', 'pvt_t')),
    ],
)
def test_a_graph_may_take_any_size(name):
    network = small_subject(name).network
    graph = trace(network, example(SIZE, 1, ['batch', 'size'], False), ['batch', 'size']).module()
    for size in [SIZE, (96, 80), (70, 129)]:
        image = torch.rand(1, 3, *size)
        torch.testing.assert_close(graph(image), network(image))


class ByNumber(nn.Module):
    def forward(self, image):
        return (image.sum() if image.sum() > 0 else image.mean(),)


class OfTwo(nn.Module):
    def forward(self, image):
        return (image.view(2, -1),)


def test_what_has_no_graph_is_refused_with_the_reason():
    with pytest.raises(InputError, match='cannot be exported: .{9}'):
        trace(ByNumber(), torch.rand(1, 3, 8, 8), [])
    with pytest.raises(InputError, match=re.escape('with a dynamic batch: Constraints violated')):
        trace(OfTwo(), torch.rand(2, 3, 8, 8), ['batch'])


def test_exporters_are_silent(capsys):
    with warnings.catch_warnings(record=True) as seen, silenced():
        print('chatter')
        print('chatter', file=sys.stderr)
        warnings.warn('chatter', stacklevel=1)
    assert capsys.readouterr() == ('', '')
    assert seen == []
