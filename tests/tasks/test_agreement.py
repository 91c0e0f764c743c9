"""Mask2Former counts its classes the same everywhere."""

import pytest

from vitbackbones.configuration.checks.agreement import disagreements

HEAD = {
    'type': 'Mask2FormerHead',
    'num_queries': 20,
    'out_channels': 256,  # of masks, not classes
    'loss_cls': {'class_weight': [1.0] * 5},
}
SEMANTIC = {'type': 'EncoderDecoder', 'decode_head': {**HEAD, 'num_classes': 4}}
COUNTS = {'num_things_classes': 3, 'num_stuff_classes': 1}
PANOPTIC = {
    'type': 'Mask2Former',
    'panoptic_head': {**HEAD, **COUNTS},
    'panoptic_fusion_head': COUNTS,
    'test_cfg': {'max_per_image': 80},
}


def found(model, **changes):
    """What is found after changes, by dotted keys of which a dot is written as two underscores."""
    scope = 'mmseg' if model is SEMANTIC else 'mmdet'
    for key, value in changes.items():
        part, _, name = key.partition('__')
        model = {**model, part: {**model[part], name: value}}
    return disagreements({'default_scope': scope, 'model': model})


@pytest.mark.parametrize(
    ('model', 'changes', 'messages'),
    [
        (SEMANTIC, {}, []),
        (PANOPTIC, {}, []),
        (
            SEMANTIC,
            {'decode_head__num_classes': 150},
            [
                'model.decode_head.loss_cls.class_weight: has 5 weights for 150 classes and '
                '"no object"; set it to [1.0] * 150 + [0.1]'
            ],
        ),
        (
            PANOPTIC,
            {'panoptic_fusion_head__num_things_classes': 80},
            [
                'model.panoptic_fusion_head.num_things_classes: is 80, but '
                'panoptic_head.num_things_classes=3'
            ],
        ),
        (
            PANOPTIC,
            {'test_cfg__max_per_image': 100},
            [
                'model.test_cfg.max_per_image: is 100, but model.panoptic_head gives 80: '
                'num_queries=20 for each of 4 classes'
            ],
        ),
    ],
)
def test_counts_that_differ_are_named(model, changes, messages):
    assert found(model, **changes) == messages
