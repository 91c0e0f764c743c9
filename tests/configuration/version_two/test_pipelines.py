"""Steps of version 2 are the steps of version 3 that do the same."""

import pytest

from vitbackbones.configuration.version_two.pipelines import convert_pipeline


@pytest.mark.parametrize(
    ('old', 'new'),
    [
        ({'img_scale': [(8, 4), (8, 6)]}, {'type': 'RandomResize', 'scale': [(8, 4), (8, 6)]}),
        (
            {'img_scale': [(8, 4), (8, 6)], 'multiscale_mode': 'value'},
            {'type': 'RandomChoiceResize', 'scales': [(8, 4), (8, 6)]},
        ),
        ({'img_scale': [(8, 4)]}, {'type': 'Resize', 'scale': (8, 4)}),
        (
            {'img_scale': (8, 4), 'ratio_range': (0.5, 2)},
            {'type': 'RandomResize', 'scale': (8, 4), 'ratio_range': (0.5, 2)},
        ),
    ],
)
def test_sizes_of_detectors(old, new):
    (step,) = convert_pipeline([{'type': 'Resize', **old}], 'mmdet').steps
    assert step == new | {'keep_ratio': True}


def test_sizes_of_classifiers():
    old = [
        {'type': 'Resize', 'size': (256, -1)},
        {'type': 'RandomResizedCrop', 'size': 224, 'backend': 'pillow'},
        {'type': 'RandomFlip', 'flip_prob': 0.5, 'direction': 'horizontal'},
        {'type': 'Collect', 'keys': ['img', 'gt_label']},
    ]
    assert convert_pipeline(old, 'mmpretrain').steps == [
        {'type': 'ResizeEdge', 'scale': 256, 'edge': 'short'},
        {'type': 'RandomResizedCrop', 'scale': 224, 'backend': 'pillow'},
        {'type': 'RandomFlip', 'prob': 0.5, 'direction': 'horizontal'},
        {'type': 'PackInputs'},
    ]
