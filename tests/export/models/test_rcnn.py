"""Faster, Mask and Cascade R-CNN give for a batch what mmdet gives image by image."""

import pytest
import torch

from vitbackbones.errors import InputError
from vitbackbones.export.models import exportable
from vitbackbones.export.models.rcnn import regions

from .graphs import R18, built, normalize, of_mmdet, require_found_as_by_predict

FEW = {'rpn': {'max_per_img': 50}, 'rcnn': {'score_thr': 0.1, 'max_per_img': 40}}


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


@pytest.mark.parametrize('kind', ['', 'mask-'])
def test_a_cascade_moves_boxes_from_stage_to_stage(kind):
    model = of_mmdet(f'cascade_rcnn/cascade-{kind}rcnn_r50_fpn_1x_coco.py', test_cfg=FEW, **R18)
    module, _ = require_found_as_by_predict(model, number=2, size=(70, 100))
    assert ('masks' in module.outputs) == bool(kind)


def test_a_cascade_may_move_boxes_for_each_class():
    stage = {'type': 'Shared2FCBBoxHead', 'in_channels': 256, 'fc_out_channels': 32}
    stage |= {'roi_feat_size': 7, 'num_classes': 3, 'reg_class_agnostic': False}
    heads = {'bbox_head': [stage] * 3}
    name = 'cascade_rcnn/cascade-rcnn_r50_fpn_1x_coco.py'
    require_found_as_by_predict(of_mmdet(name, test_cfg=FEW, roi_head=heads, **R18), number=2)


@pytest.mark.parametrize(
    ('name', 'part'),
    [
        ('double_heads/dh-faster-rcnn_r50_fpn_1x_coco.py', 'roi_head.type: DoubleHeadRoIHead'),
        ('sabl/sabl-faster-rcnn_r50_fpn_1x_coco.py', 'roi_head.bbox_head.type: SABLHead'),
        ('groie/faste-rcnn_r50_fpn_groie_1x_coco.py', 'roi_head.bbox_roi_extractor.type: Generic'),
        ('faster_rcnn/faster-rcnn_r50_fpn_fcos-rpn_1x_coco.py', 'rpn_head.type: FCOSHead'),
    ],
)
def test_stages_with_their_own_ways_are_refused(name, part):
    with pytest.raises(InputError, match=f'model.{part}'):
        exportable(of_mmdet(name, **R18), 'detection')


def test_scores_with_an_activation_of_their_own_are_refused():
    name = 'seesaw_loss/mask-rcnn_r50_fpn_seesaw-loss_random-ms-2x_lvis-v1.py'
    with pytest.raises(InputError, match='model.roi_head.bbox_head.loss_cls: has its own'):
        exportable(of_mmdet(name, **R18), 'detection')


def test_an_hrnet_finds_what_predict_finds_where_sides_are_odd():
    name = 'hrnet/faster-rcnn_hrnetv2p-w18-1x_coco.py'
    backbone = {'init_cfg': None, 'norm_eval': False}
    model = of_mmdet(name, test_cfg=FEW, backbone=backbone)
    normalize(model, torch.randn(4, 3, 96, 128))
    with torch.no_grad():
        model.roi_head.bbox_head.fc_cls.weight /= 20  # else many scores are 1, in any order
    require_found_as_by_predict(model, number=1, size=(71, 101))
