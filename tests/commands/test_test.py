"""The table of metrics and what --tta refuses; the rest is tried in test_end_to_end.py."""

from argparse import Namespace

import numpy as np
import pytest
from mmengine.config import Config

from vitbackbones.commands.test import STEPS, table
from vitbackbones.errors import InputError


def test_numbers_are_aligned():
    metrics = {'coco/bbox_mAP': 0.3571, 'coco/bbox_mAP_50': -1, 'toy/x': np.float64(12.5)}
    assert table(metrics | {'mIoU': np.float32(83.25)}).splitlines() == [
        'coco/bbox_mAP      0.357',
        'coco/bbox_mAP_50  -1.000',
        'toy/x             12.500',
        'mIoU              83.250',
    ]


def test_what_is_no_number_is_left_out():
    assert table({'a': 1.0, 'matrix': [1, 2]}) == 'a   1.000'
    assert table({}) == ''


def test_masks_that_mmdet_cannot_merge_are_refused_before_the_test():
    (augment,) = (step.take for step in STEPS if step.name == 'augmentation')
    config = Config({'model': {'bbox_head': {}}, 'tta_model': {'type': 'DetTTAModel'}})
    config.update(tta_pipeline=[], test_dataloader={'dataset': {}})
    assert augment(config, Namespace(tta=True)).model.type == 'DetTTAModel'
    config.model = {'roi_head': {'mask_head': {'type': 'FCNMaskHead'}}}
    with pytest.raises(InputError, match=r'merges boxes alone, and model\.roi_head\.mask_head'):
        augment(config, Namespace(tta=True))
