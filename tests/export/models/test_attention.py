"""Attention that samples places, as a graph computes it and as mmcv does."""

import pytest
import torch
from mmcv.ops import multi_scale_deform_attn
from torch import nn

from vitbackbones.export.models.attention import (
    TraceableAttention,
    centers,
    in_rows,
    make_traceable,
    shared_copy,
    sizes_of,
)

SIZES = [(4, 6), (2, 3)]
PLACES = sum(height * width for height, width in SIZES)


@pytest.fixture
def attention():
    torch.manual_seed(0)
    made = multi_scale_deform_attn.MultiScaleDeformableAttention(
        embed_dims=16, num_heads=2, num_levels=2, num_points=3, dropout=0.0, batch_first=True
    )
    for parameter in made.parameters():
        nn.init.normal_(parameter, std=0.5)
    return made.eval()


@pytest.mark.parametrize('sides', [2, 4])
def test_the_answer_is_that_of_mmcv(attention, sides):
    query, query_pos = torch.randn(2, 1, 5, 16)
    value = torch.randn(1, PLACES, 16)
    points = torch.rand(1, 5, 2, sides)
    given = {'query_pos': query_pos, 'value': value, 'reference_points': points}
    starts = torch.tensor([0, SIZES[0][0] * SIZES[0][1]])
    with torch.no_grad():
        wanted = attention(
            query, spatial_shapes=torch.tensor(SIZES), level_start_index=starts, **given
        )
        found = TraceableAttention(attention)(query, spatial_shapes=SIZES, key=None, **given)
    torch.testing.assert_close(found, wanted)
    assert not torch.allclose(found, query)


def test_every_attention_of_a_copy_is_replaced_and_weights_are_shared(attention):
    model = nn.ModuleDict({'layer': nn.Sequential(nn.Linear(2, 2), attention)})
    copy = shared_copy(model)
    make_traceable(copy)
    assert isinstance(copy['layer'][1], TraceableAttention)
    assert model['layer'][1] is attention
    assert copy['layer'][0] is not model['layer'][0]
    assert copy['layer'][0].weight is model['layer'][0].weight


def test_maps_in_rows():
    maps = [torch.arange(24.0).view(1, 1, 4, 6), torch.arange(100.0, 106).view(1, 1, 2, 3)]
    assert sizes_of(maps) == SIZES
    assert in_rows(maps).flatten().tolist() == [*range(24), *range(100, 106)]
    assert in_rows(maps).shape == (1, PLACES, 1)


def test_centers_of_positions():
    found = centers([(2, 4), (1, 1)], torch.zeros(1))
    assert found.shape == (9, 2)
    assert found[:4, 0].tolist() == [0.125, 0.375, 0.625, 0.875]
    assert found[[0, 4, 8], 1].tolist() == [0.25, 0.75, 0.5]
