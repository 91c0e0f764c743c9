"""Sizes of objects beside the levels of a model, and what would help."""

import numpy as np
import pytest
from mmengine.config import Config

from vitbackbones.configuration.read import read_config
from vitbackbones.preparing.levels import FEW, advice, finest_stride, seen_sides

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
    assert text.endswith('this would help: more images of dog (1)')
    assert ': 50, 50 and 50 pixels' in text
    assert '0% are smaller than 8, the stride of the finest level' in text
    assert 'would help' not in advice(config, [sample(*many)], classes, is_train=False)
    small = advice(config, [sample(*[(0, (8, 8))] * 30)], classes[:1], is_train=True)
    assert 'this would help: images 4.0 times as large' in small
    assert advice(config, [{'gt_label': 1}], classes, is_train=True) == ''


def resized(*steps, split='test'):
    return Config({f'{split}_dataloader': {'dataset': {'type': 'X', 'pipeline': [*steps]}}})


@pytest.mark.parametrize(
    ('step', 'sides'),
    [
        ({'type': 'Resize', 'scale': (200, 100), 'keep_ratio': True}, [20, 10]),
        ({'type': 'Resize', 'scale': (100, 200), 'keep_ratio': True}, [20, 10]),
        ({'type': 'Resize', 'scale': 100, 'keep_ratio': True}, [20, 10]),
        ({'type': 'mmdet.Resize', 'scale': (200, 400)}, [56.57, 28.28]),
        ({'type': 'Pad', 'scale': (200, 100)}, [20, 20]),
        ({'type': 'Resize'}, [20, 20]),
    ],
)
@pytest.mark.parametrize('split', ['test', 'train'])
def test_sides_as_the_model_sees_them(step, sides, split):
    boxes = np.array([[20.0, 20], [40, 10]])
    pictures = np.array([[100.0, 100], [200, 200]])
    found = seen_sides(resized(step, split=split), boxes, pictures)
    np.testing.assert_allclose(found, sides, atol=0.01)
    assert seen_sides(resized(step), -boxes[:1], pictures[:1]) > 0
    assert seen_sides(resized(), boxes[:1] * [[1, -1]], pictures[:1]) == 0


@pytest.mark.parametrize(
    ('model', 'stride'),
    [
        ({'bbox_head': {'prior_generator': {'strides': [16, 8]}}}, 8),
        ({'bbox_head': {'anchor_generator': {'strides': [(8, 8)]}}}, 8),
        ({'rpn_head': {'anchor_generator': {'strides': [4]}}, 'neck': {'out_strides': [2]}}, 4),
        ({'neck': {'out_strides': [32, 16]}}, 16),
        ({}, None),
    ],
)
def test_where_the_finest_level_stands(model, stride):
    assert finest_stride(Config({'model': model})) == stride


def test_objects_of_just_a_cell_and_of_just_enough_pictures_need_no_help():
    config = resized()
    config.model = {'neck': {'out_strides': [8]}}
    text = advice(config, [sample(*[(0, (8, 8))] * FEW)], ['cat'], is_train=True)
    assert '0% are smaller than 8, the stride of the finest level' in text
    assert 'would help' not in text
    fewer = advice(config, [sample(*[(0, (8, 8))] * (FEW - 1))], ['cat'], is_train=True)
    assert fewer.endswith(f'more images of cat ({FEW - 1})')
    names = 'abcdefg'
    many = advice(config, [sample((0, (9, 9)))], names, is_train=True)
    assert many.endswith('more images of a (1), b (0), c (0), d (0), e (0)')
    assert 'finest' not in advice(resized(), [sample((0, (9, 9)))], names, is_train=False)
    ignored = sample((0, (9, 9)))
    ignored['instances'][0]['ignore_flag'] = 1
    assert advice(config, [ignored], names, is_train=True) == ''


def test_percentiles_of_sides():
    sides = [(0, (side, side)) for side in range(1, 12)]
    text = advice(resized(), [sample(*sides)], ['cat'], is_train=False)
    assert ': 2, 6 and 10 pixels (10th, 50th and 90th percentile)' in text
