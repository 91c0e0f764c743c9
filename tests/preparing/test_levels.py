"""Sizes of objects beside the levels of a model, and what would help."""

import numpy as np
import pytest

from vitbackbones.configuration.read import read_config
from vitbackbones.preparing.levels import advice, finest_stride, seen_sides

pytestmark = pytest.mark.compat


def sample(*boxes, width=640, height=480):
    instances = [
        {'bbox': [0, 0, *side], 'bbox_label': label, 'ignore_flag': 0} for label, side in boxes
    ]
    return {'width': width, 'height': height, 'instances': instances}


@pytest.mark.parametrize(
    ('name', 'stride'),
    [('quick_detector', 8), ('retinanet_pvt_s_shapes', 8)],
)
def test_the_finest_level_is_that_of_head_or_neck(name, stride):
    assert finest_stride(read_config(name)) == stride


def test_objects_shrink_with_their_picture():
    config = read_config('quick_detector')  # into 320 x 320
    sides = np.array([[64, 64], [10, 40]], float)
    pictures = np.array([[640, 480], [160, 320]], float)
    np.testing.assert_allclose(seen_sides(config, sides, pictures), [32, 20])


def test_what_would_help_is_said():
    config, classes = read_config('quick_detector'), ['cat', 'dog']
    many = [(0, (100, 100))] * 30
    text = advice(config, [sample(*many, (1, (80, 80)))], classes, is_train=True)
    assert text.endswith('what would help: more pictures of dog (1)')
    assert ': 50, 50 and 50 pixels' in text
    assert '0% below a cell of the finest level, 8' in text
    assert 'would help' not in advice(config, [sample(*many)], classes, is_train=False)
    small = advice(config, [sample(*[(0, (8, 8))] * 30)], classes[:1], is_train=True)
    assert 'what would help: pictures 4.0 times as large' in small
    assert advice(config, [{'gt_label': 1}], classes, is_train=True) == ''
