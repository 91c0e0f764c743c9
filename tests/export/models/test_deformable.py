"""Deformable DETR and DINO give for a batch what mmdet gives, and stay as they are."""

import pytest
import torch

from vitbackbones.errors import InputError
from vitbackbones.export.formats import ports, trace
from vitbackbones.export.models import exportable
from vitbackbones.layers import fuse_for_inference

from .graphs import SIZE, built, require_found_as_by_predict

HEADS = {
    'deformable_detr_pvt_s_shapes': {},
    'dino_pvt_s_shapes': {},
    # fewer places in the image than queries
    'dino_pvt_s_shapes, many queries': {'num_queries': 200, 'test_cfg': {'max_per_img': 400}},
}


@pytest.mark.parametrize('head', HEADS)
def test_a_batch_is_found_as_by_predict(head):
    require_found_as_by_predict(built(head.partition(',')[0], **HEADS[head]))


def test_a_folded_model_keeps_the_batch_open():
    folded = fuse_for_inference(exportable(built('deformable_detr_pvt_s_shapes'), 'detection'))
    image, _ = ports(trace(folded, torch.zeros(2, 3, *SIZE), ('batch',)))
    assert not isinstance(image.shape[0], int)


def test_the_weights_are_the_models_own():
    model = built('deformable_detr_pvt_s_shapes')
    parts = [type(part) for part in model.modules()]
    module = exportable(model, 'detection')
    own = {id(weight) for weight in model.parameters()}
    assert {id(weight) for weight in module.parameters()} == own
    assert [type(part) for part in model.modules()] == parts


def test_padding_that_deformable_detr_hides_is_refused():
    model = built('deformable_detr_pvt_s_shapes', data_preprocessor={'pad_size_divisor': 32})
    with pytest.raises(InputError, match='pad_size_divisor: is 32; set it to 1'):
        exportable(model, 'detection')
