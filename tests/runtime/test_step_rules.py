"""A card that somebody has changed is refused with one message, before a picture is prepared."""

import numpy as np
import pytest

from vitbackbones.errors import InputError
from vitbackbones.inference.writers import MaskWriter
from vitbackbones.runtime import load
from vitbackbones.runtime.card import require_steps

from .graphs import write_classifier, write_detector

HUGE = 10**6


@pytest.mark.parametrize(
    ('step', 'message'),
    [
        ({'type': []}, 'is not a known step'),
        ({'type': 'run'}, r'm\.onnx: steps\[0\] is not a known step; use one of resize, '),
        ({'type': 'pad', 'size': [1, 1], 'by': 2}, r"steps\[0\] \(pad\) has no option 'by'"),
        ({'type': 'slide', 'crop': [1, 1]}, r'\(slide\) has no stride'),
        ({'type': 'resize', 'size': [32.0, 32.0]}, 'height and width'),
        ({'type': 'resize', 'size': [8, 8], 'interpolation': '__class__'}, "one of 'nearest'"),
        ({'type': 'resize_within', 'longer': 9, 'shorter': float('nan')}, 'shorter must be'),
        ({'type': 'resize_within', 'longer': 10**400, 'shorter': 9}, 'longer must be a number'),
        ({'type': 'resize_to_multiple', 'divisor': 0}, 'divisor must be an integer from 1'),
        ({'type': 'resize', 'size': [13000, 13000]}, 'at most 33554432 pixels'),
        ({'type': 'pad_pixels', 'value': HUGE}, 'value must be a number from 0 to 255'),
        ({'type': 'resize', 'size': [8, 8], 'backend': 'pillow', 'interpolation': 'area'}, 'no i'),
        ({'type': 'slide', 'crop': [32, 32], 'stride': [0, 0]}, 'stride must be'),
        ({'type': 'slide', 'crop': [32, 32], 'stride': [8, 33]}, 'skips pixels'),
        ({'type': 'slide', 'crop': [HUGE, HUGE], 'stride': [1, 1]}, 'at most 33554432 pixels'),
    ],
)
def test_an_option_of_a_step_is_refused(step, message):
    with pytest.raises(InputError, match=message):
        require_steps([step], 'm.onnx')


@pytest.mark.parametrize(
    'step',
    [
        {'type': 'resize', 'size': [1, 1]},
        {'type': 'resize', 'size': [8, 8], 'backend': 'pillow', 'interpolation': 'box'},
        {'type': 'resize', 'size': [8, 8], 'interpolation': 'area'},
        {'type': 'resize_within', 'longer': float('inf'), 'shorter': 1},
        {'type': 'resize_within', 'longer': 1, 'shorter': 1},
        {'type': 'resize_edge', 'length': 1, 'edge': 'long'},
        {'type': 'slide', 'crop': [8, 9], 'stride': [8, 9]},
        {'type': 'pad_pixels'},
        {'type': 'pad_pixels', 'value': [0, 255, 1], 'multiple': 1},
        {'type': 'pad', 'size': [4096, 8192]},
    ],
)
def test_options_at_their_limits(step):
    require_steps([step], 'm.onnx')


@pytest.mark.parametrize(
    'step',
    [
        {'type': 'pad', 'size': [8192, 4097]},
        {'type': 'pad', 'size': [8]},
        {'type': 'pad_pixels', 'value': [0, 255]},
        {'type': 'pad_pixels', 'value': 256},
        {'type': 'slide', 'crop': [8, 9], 'stride': [9, 9]},
        {'type': 'slide', 'crop': [8, 9], 'stride': [8, 10]},
        {'type': 'pad_to_multiple', 'divisor': 2**20 + 1},
        {'type': 'resize', 'size': [8, 8], 'interpolation': 'box'},
        {'type': 'resize_within', 'longer': 0.5, 'shorter': 1},
    ],
)
def test_options_beyond_their_limits(step):
    with pytest.raises(InputError, match=r'm\.onnx: steps\[1\]'):
        require_steps([{'type': 'pad_pixels'}, step], 'm.onnx')


def test_a_card_that_asks_for_another_step_is_refused(tmp_path):
    write_classifier(tmp_path / 'model.onnx', steps=[{'type': 'run'}])
    with pytest.raises(InputError, match='is not a known step'):
        load(tmp_path / 'model.onnx')


def test_a_picture_that_padding_would_fill_the_memory_with_is_refused(tmp_path):
    step = {'type': 'pad_to_multiple', 'divisor': HUGE}
    write_classifier(tmp_path / 'model.onnx', steps=[step])
    with pytest.raises(InputError, match='4 x 4 pixels cannot be padded: they would become 10000'):
        load(tmp_path / 'model.onnx').predict(np.zeros((4, 4, 3), np.uint8))


def test_outputs_that_are_no_answer_of_the_task_are_refused(tmp_path):
    write_classifier(tmp_path / 'model.onnx', task='segmentation')
    with pytest.raises(
        InputError, match=r'logits \(\? x 3\) cannot be a prediction for segmentation'
    ):
        load(tmp_path / 'model.onnx')


def test_a_label_without_a_name_is_refused(tmp_path):
    resize = {'type': 'resize', 'size': [32, 32]}
    write_classifier(tmp_path / 'classes.onnx', classes=['ring'], steps=[resize])
    found = {
        'boxes': np.zeros((1, 1, 4), np.float32),
        'scores': np.ones((1, 1), np.float32),
        'labels': np.array([[7]]),
    }
    write_detector(tmp_path / 'objects.onnx', found)
    pixels = np.zeros((32, 32, 3), np.uint8)
    with pytest.raises(InputError, match='the label 2, but its metadata file lists 1 classes'):
        load(tmp_path / 'classes.onnx').predict(pixels)
    with pytest.raises(InputError, match='the label 7, but its metadata file lists 3 classes'):
        load(tmp_path / 'objects.onnx').predict(pixels)


def test_a_palette_without_a_color_for_each_class_is_refused(tmp_path):
    with pytest.raises(InputError, match='the palette has 1 colors for 3 classes'):
        MaskWriter(tmp_path, {'classes': ['a', 'b', 'c'], 'palette': [[0, 0, 0]]}, 0)
