"""Faster and Mask R-CNN give for a batch what mmdet gives image by image."""

import pytest
import torch

from vitbackbones.errors import InputError
from vitbackbones.export.models import exportable
from vitbackbones.export.models.rcnn import regions

from .graphs import built, require_found_as_by_predict


@pytest.mark.parametrize('name', ['faster_rcnn_pvt_s_shapes', 'mask_rcnn_pvt_s_shapes'])
def test_a_batch_is_found_as_by_predict(name):
    model = built(name)
    module, _ = require_found_as_by_predict(model)
    assert ('masks' in module.outputs) == model.with_mask


def test_features_are_those_of_the_level_of_a_region():
    extractor = built('faster_rcnn_pvt_s_shapes').roi_head.bbox_roi_extractor
    maps = [torch.randn(2, 64, 128 // stride, 128 // stride) for stride in (1, 2, 4)]
    sides = torch.tensor([10.0, 150, 300, 900])  # of all levels
    boxes = torch.stack([sides * 0, sides * 0, sides, sides], dim=-1).expand(2, -1, -1)
    rois = torch.cat([torch.arange(2.0).repeat_interleave(4)[:, None], boxes.flatten(0, 1)], dim=1)
    with torch.no_grad():
        torch.testing.assert_close(regions(extractor, maps, boxes), extractor(maps, rois))


def test_regions_by_their_maximum_are_refused():
    model = built('faster_rcnn_pvt_s_shapes')
    model.roi_head.bbox_roi_extractor.roi_layers[0].pool_mode = 'max'
    with pytest.raises(
        InputError, match='model.roi_head.bbox_roi_extractor.roi_layer: is RoIAlign'
    ):
        exportable(model, 'detection')
