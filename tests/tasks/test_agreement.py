"""Mask2Former counts its classes the same everywhere."""

import pytest
from mmengine.config import Config

from vitbackbones.preparing.agreement import disagreements

COUNTS = {'num_things_classes': 3, 'num_stuff_classes': 1}
HEAD = {
    'type': 'Mask2FormerHead',
    'num_queries': 20,
    'out_channels': 256,  # of masks, not classes
    'loss_cls': {'class_weight': [1.0] * 5},
}


@pytest.mark.parametrize(
    ('key', 'value', 'message'),
    [
        ('panoptic_fusion_head.num_things_classes', 80, 'is 80, but model.panoptic_head.num_'),
        ('panoptic_head.loss_cls.class_weight', [1.0] * 9, 'has 9 weights for 4 classes and "no '),
    ],
)
def test_counts_that_differ_are_named(key, value, message):
    heads = {'panoptic_head': {**HEAD, **COUNTS}, 'panoptic_fusion_head': COUNTS}
    model = Config({'type': 'Mask2Former', **heads, 'test_cfg': {'max_per_image': 80}})
    assert disagreements({'default_scope': 'mmdet', 'model': model}) == []
    model.merge_from_dict({key: value})
    (found,) = disagreements({'default_scope': 'mmdet', 'model': model})
    assert found.startswith(f'model.{key}: {message}')


def test_weights_wait_for_the_data_where_these_say_the_classes():
    heads = {'panoptic_head': {**HEAD, **COUNTS, 'loss_cls': {'class_weight': [1.0, 2.0]}}}
    config = {'default_scope': 'mmdet', 'model': {'type': 'Mask2Former', **heads}}
    (found,) = disagreements(config)
    assert 'has 2 weights for 4 classes' in found
    assert disagreements(config, classes_known=False) == []
