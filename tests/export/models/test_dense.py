"""Detectors of one stage give for a batch what mmdet gives image by image."""

import pytest
import torch

from vitbackbones.errors import InputError
from vitbackbones.export.models import exportable

from .graphs import R18, built, normalize, of_mmdet, require_found_as_by_predict


def test_a_batch_is_found_as_by_predict():
    module, _ = require_found_as_by_predict(built('quick_detector'))
    assert module.outputs == ('boxes', 'scores', 'labels')


@pytest.mark.parametrize('size', [(64, 96), (70, 100)])  # the second is padded
def test_masks_are_drawn_as_by_predict(size):
    model = built('quick_instance', test_cfg={'max_per_img': 300})
    module, answer = require_found_as_by_predict(model, size=size)
    assert module.outputs == ('boxes', 'scores', 'labels', 'masks')
    assert answer[3].shape[2:] == size
    assert 0.1 < answer[3].float().mean() < 0.9


def test_places_without_an_object_have_an_empty_mask():
    model = built('quick_instance', test_cfg={'score_thr': 0.5})
    _, answer = require_found_as_by_predict(model)
    assert (answer[1][:, -1] == 0).all()  # fewer than max_per_img
    assert not answer[3][answer[2] < 0].any()


@pytest.mark.parametrize('name', ['quick_detector', 'faster_rcnn_pvt_s_shapes'])
def test_boxes_are_cut_to_what_was_not_padded_before_they_suppress(name):
    require_found_as_by_predict(built(name), size=(70, 100))


def test_small_boxes_and_low_scores_are_left_out():
    model = built('retinanet_pvt_s_shapes', test_cfg={'min_bbox_size': 20, 'score_thr': 0.3})
    _, answer = require_found_as_by_predict(model)
    assert (answer[1][:, -1] == 0).all()  # fewer than max_per_img


@pytest.mark.parametrize(
    'name',
    [
        'fcos/fcos_r50-caffe_fpn_gn-head_1x_coco.py',
        'fcos/fcos_r50-caffe_fpn_gn-head-center-normbbox-centeronreg-giou_1x_coco.py',
        'atss/atss_r50_fpn_1x_coco.py',
    ],
)
def test_central_places_have_higher_scores(name):
    require_found_as_by_predict(of_mmdet(name, **R18), size=(70, 100))


def test_yolox_finds_what_predict_finds():
    model = of_mmdet('yolox/yolox_nano_8xb8-300e_coco.py', test_cfg={'score_thr': 0.1})
    normalize(model, torch.randn(4, 3, 96, 128))
    _, answer = require_found_as_by_predict(model, size=(70, 100))
    assert answer[1].shape == (3, 300)
    assert (answer[0] < 0).any()  # boxes are not cut to the image


def test_a_head_with_its_own_way_to_boxes_is_refused():
    model = of_mmdet('guided_anchoring/ga-retinanet_r50-caffe_fpn_1x_coco.py', **R18)
    with pytest.raises(InputError, match='model.bbox_head.type: GARetinaHead cannot be exported'):
        exportable(model, 'detection')
