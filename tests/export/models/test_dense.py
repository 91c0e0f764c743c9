"""RetinaNet and RTMDet give for a batch what mmdet gives image by image."""

import pytest
import torch

from vitbackbones.errors import InputError
from vitbackbones.export.models import exportable

from .graphs import SIZE, built, predicted, require_equal


@pytest.mark.parametrize('name', ['retinanet_pvt_s_shapes', 'quick_detector'])
def test_a_batch_is_found_as_by_predict(name):
    model = built(name)
    images = torch.randn(3, 3, *SIZE)
    module = exportable(model, 'detection')
    assert module.outputs == ('boxes', 'scores', 'labels')
    with torch.no_grad():
        require_equal(module, module(images), predicted(model, images))


def test_small_boxes_and_low_scores_are_left_out():
    model = built('retinanet_pvt_s_shapes', test_cfg={'min_bbox_size': 20, 'score_thr': 0.3})
    images = torch.randn(2, 3, *SIZE)
    module = exportable(model, 'detection')
    with torch.no_grad():
        answer = module(images)
    require_equal(module, answer, predicted(model, images))
    assert (answer.scores[:, -1] == 0).all()  # fewer than max_per_img


def test_soft_suppression_is_refused():
    model = built('retinanet_pvt_s_shapes', test_cfg={'nms': {'type': 'soft_nms'}})
    with pytest.raises(InputError, match='model.test_cfg.nms'):
        exportable(model, 'detection')
