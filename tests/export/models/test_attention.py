"""Deformable attention that can be traced is mmcv's."""

import pytest
import torch
from mmcv.ops import MultiScaleDeformableAttention

from vitbackbones.export.models.attention import TraceableAttention, centers

SIZES = [(4, 6), (2, 3)]
POSITIONS = 30


@pytest.mark.parametrize('coordinates', [2, 4])
def test_attention_finds_what_mmcvs_finds(coordinates):
    attention = MultiScaleDeformableAttention(32, 4, 2, batch_first=True).eval()
    torch.nn.init.normal_(attention.sampling_offsets.weight)
    torch.nn.init.normal_(attention.attention_weights.weight)
    query, places = torch.randn(2, 2, 5, 32)
    value = torch.randn(2, POSITIONS, 32)
    points = torch.rand(2, 5, 2, coordinates)
    given = {'value': value, 'query_pos': places, 'reference_points': points}
    with torch.no_grad():
        expected = attention(query, spatial_shapes=torch.tensor(SIZES), **given)
        found = TraceableAttention(attention)(query, spatial_shapes=SIZES, **given)
    torch.testing.assert_close(found, expected)


def test_centers_of_positions_go_row_by_row():
    x, y = centers(SIZES, torch.zeros(())).T
    assert len(x) == POSITIONS
    assert x[:6].tolist() == pytest.approx([(i + 0.5) / 6 for i in range(6)])
    assert y[[0, 6, 24]].tolist() == pytest.approx([0.125, 0.375, 0.25])
