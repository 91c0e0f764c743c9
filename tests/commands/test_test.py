"""The table of metrics; the rest of tools/test.py is tried in tests/tools."""

import numpy as np

from vitbackbones.commands.test import table


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
