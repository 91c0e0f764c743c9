"""RetinaNet and RTMDet give for a batch what mmdet gives image by image."""

import pytest

from .graphs import built, require_found_as_by_predict


def test_a_batch_is_found_as_by_predict():
    module, _ = require_found_as_by_predict(built('quick_detector'))
    assert module.outputs == ('boxes', 'scores', 'labels')


@pytest.mark.parametrize('name', ['quick_detector', 'faster_rcnn_pvt_s_shapes'])
def test_boxes_are_cut_to_what_was_not_padded_before_they_suppress(name):
    require_found_as_by_predict(built(name), size=(70, 100))


def test_small_boxes_and_low_scores_are_left_out():
    model = built('retinanet_pvt_s_shapes', test_cfg={'min_bbox_size': 20, 'score_thr': 0.3})
    _, answer = require_found_as_by_predict(model)
    assert (answer.scores[:, -1] == 0).all()  # fewer than max_per_img
