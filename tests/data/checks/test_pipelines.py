"""Sides that a pipeline cannot resize: what is said of them is what the transforms do."""

import cv2
import numpy as np
import pytest
from mmcv.transforms import TRANSFORMS

from vitbackbones.data.checks.pipelines import color_type, resize_fault

pytestmark = pytest.mark.compat
DETR = {'type': 'Resize', 'scale': (1333, 800), 'keep_ratio': True}
CHOICE = {'type': 'RandomChoiceResize', 'scales': [(480, 1333), (800, 1333)], 'keep_ratio': True}
RANDOM = {'type': 'RandomResize', 'scale': (64, 32), 'ratio_range': (0.5, 2.0), 'keep_ratio': True}


@pytest.mark.parametrize('step', [DETR, {**DETR, 'scale': 40}, CHOICE], ids=str)
@pytest.mark.parametrize('long', [79, 81, 2665, 2667])
def test_it_says_what_the_transform_does(step, long):
    for height, width in ((1, long), (long, 1)):
        try:
            TRANSFORMS.build(step)({'img': np.zeros((height, width, 3), np.uint8)})
            fits = True
        except cv2.error:
            fits = False
        assert (resize_fault([step], height, width) == '') is fits


@pytest.mark.parametrize(
    ('pipeline', 'text'),
    [
        ([{'type': 'LoadImage'}, {**DETR, 'type': 'mmdet.Resize'}], 'leave nothing of the short'),
        ([{'type': 'RandomChoice', 'transforms': [[RANDOM], [DETR]]}], 'nothing'),
        ([{'type': 'RandomChoice', 'transforms': [RANDOM, DETR]}], 'nothing'),
        ([{**RANDOM, 'scale': [(64, 32), (64, 48)]}], 'nothing'),
        ([{'type': 'ResizeEdge', 'scale': 256}], 'become more than 178956970'),
        ([{'type': 'ResizeEdge', 'scale': 256, 'edge': 'long'}], 'nothing'),
        ([{'type': 'Resize', 'scale': (32, 32)}], ''),
        ([{'type': 'Resize', 'scale_factor': 0.5, 'keep_ratio': True}], ''),
        ([{'type': 'RandomResizedCrop', 'scale': 224}, DETR], ''),
    ],
    ids=str,
)
def test_a_strip(pipeline, text):
    assert resize_fault(pipeline, 480, 640) == ''
    fault = resize_fault(pipeline, 1, 20000)
    assert text in fault
    assert fault.startswith('its 20000 x 1 pixels ') == bool(text)


def test_the_color_type_of_a_pipeline():
    load = {'type': 'vitbackbones.LoadImage', 'color_type': 'unchanged'}
    assert color_type([{'type': 'PackInputs'}, load]) == 'unchanged'
    assert color_type([{'type': 'LoadImageFromFile'}]) == color_type([]) == 'color'
