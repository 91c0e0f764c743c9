"""The stand-in for mmcv's extension as a whole."""

import pytest
import torch
from mmcv.ops import DeformConv2d, MultiScaleDeformableAttention, RoIAlign

from vitbackbones.openmmlab.operators import Operators, kernels

pytestmark = pytest.mark.compat
SHAPES = torch.tensor([[4, 5], [2, 3]])


def test_an_operator_that_is_not_served_names_those_that_are():
    served = Operators('mmcv._ext')
    assert served.nms is kernels.nms
    with pytest.raises(ImportError, match="'box_iou_rotated' requires .* nms, ") as error:
        served.box_iou_rotated()
    assert 'Install mmcv with its operators' in str(error.value)
    assert not hasattr(served, '__file__')


DEFORMABLE = MultiScaleDeformableAttention(16, 2, 2, 2, dropout=0.0, batch_first=True)
PLACES = {'reference_points': torch.rand(2, 26, 2, 2), 'spatial_shapes': SHAPES}
PLACES['level_start_index'] = torch.tensor([0, 20])


@pytest.mark.parametrize(
    ('layer', 'shape', 'others', 'tolerance'),
    [
        (RoIAlign(2), (1, 4, 8, 8), {'rois': torch.tensor([[0.0, 1, 1, 6, 7]])}, 0.03),
        (DeformConv2d(4, 4, 3, padding=1), (1, 4, 8, 8), {'offset': torch.rand(1, 18, 8, 8)}, 0.03),
        (DEFORMABLE, (2, 26, 16), PLACES, 0.1),
    ],
)
def test_layers_run_under_autocast(layer, shape, others, tolerance):
    x = torch.randn(shape, requires_grad=True)
    expected = layer(x, **others)
    with torch.autocast('cpu', torch.bfloat16):
        found = layer(x, **others)
    torch.testing.assert_close(found.float(), expected, rtol=tolerance, atol=tolerance)
    found.float().sum().backward()
    assert x.grad.isfinite().all()
