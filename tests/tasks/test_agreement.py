"""Mask2Former counts its classes the same everywhere."""

import pytest
from mmengine.config import Config

from vitbackbones.configuration.checks.agreement import disagreements

COUNTS = {'num_things_classes': 3, 'num_stuff_classes': 1}
HEAD = {
    'type': 'Mask2FormerHead',
    'num_queries': 20,
    'out_channels': 256,  # of masks, not classes
    'loss_cls': {'class_weight': [1.0] * 5},
}


@pytest.mark.parametrize(
    ('changes', 'messages'),
    [
        ({}, []),
        (
            {'panoptic_fusion_head.num_things_classes': 80},
            ['panoptic_fusion_head.num_things_classes: is 80, but panoptic_head.num_things_clas'],
        ),
        (
            {'test_cfg.max_per_image': 100},
            ['test_cfg.max_per_image: is 100, but model.panoptic_head gives 80: num_queries=20 f'],
        ),
        (
            {'panoptic_head.loss_cls.class_weight': [1.0] * 9},
            ['panoptic_head.loss_cls.class_weight: has 9 weights for 4 classes and "no object"; '],
        ),
    ],
)
def test_counts_that_differ_are_named(changes, messages):
    model = Config(
        {
            'type': 'Mask2Former',
            'panoptic_head': {**HEAD, **COUNTS},
            'panoptic_fusion_head': COUNTS,
            'test_cfg': {'max_per_image': 80},
        }
    )
    model.merge_from_dict(changes)
    found = disagreements({'default_scope': 'mmdet', 'model': model})
    assert len(found) == len(messages)
    for message, text in zip(found, messages, strict=True):
        assert message.startswith(f'model.{text}')
