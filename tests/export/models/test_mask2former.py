"""Mask2Former gives for a batch the objects and segments that mmdet gives."""

import pytest
import torch

from vitbackbones.export.models import exportable
from vitbackbones.export.parity import differences

from .graphs import SIZE, built, require_found_as_by_predict

# segments that overlap half count, so that there are some to compare
PANOPTIC = {'test_cfg': {'iou_thr': 0.1, 'object_mask_thr': 0.3}}
OBJECTS = ('boxes', 'scores', 'labels', 'masks')


@pytest.mark.parametrize(
    ('name', 'changes', 'outputs'),
    [
        ('mask2former_instance_pvt_s_shapes', {}, OBJECTS),
        ('mask2former_panoptic_pvt_s_shapes', PANOPTIC, (*OBJECTS, 'segments')),
        ('eomt_panoptic_msf_vit_ti_shapes', PANOPTIC, (*OBJECTS, 'segments')),
        (
            'mask2former_panoptic_pvt_s_shapes',
            {'test_cfg': PANOPTIC['test_cfg'] | {'instance_on': False, 'filter_low_score': False}},
            ('segments',),
        ),
    ],
)
def test_a_batch_is_found_as_by_predict(name, changes, outputs):
    module, answer = require_found_as_by_predict(built(name, **changes))
    assert module.outputs == outputs
    if 'segments' in outputs:  # things, stuff, nothing
        assert answer[-1].max() > 1000
        assert {3, 4} <= {*answer[-1].unique().tolist()}


def test_nothing_sure_leaves_all_pixels_without_a_segment():
    model = built('mask2former_panoptic_pvt_s_shapes', test_cfg={'object_mask_thr': 1.0})
    with torch.no_grad():
        segments = exportable(model, 'detection')(torch.randn(1, 3, *SIZE))[-1]
    assert (segments == 4).all()  # the classes are 0 to 3


def test_the_proof_compares_segments_beside_objects():
    module = exportable(built('mask2former_panoptic_pvt_s_shapes', **PANOPTIC), 'detection')
    with torch.no_grad():
        answer = module(torch.randn(1, 3, *SIZE))
    answer = dict(zip(module.outputs, (value.numpy() for value in answer), strict=True))
    other = answer | {'segments': answer['segments'] + 1}
    assert differences(answer, answer, SIZE) == dict.fromkeys(module.outputs, 0)
    assert differences(other, answer, SIZE)['segments'] == 1
