"""A card that somebody has changed is refused with one message, before a picture is prepared."""

import json

import numpy as np
import pytest

from vitbackbones.errors import InputError
from vitbackbones.export.runtime import load
from vitbackbones.export.runtime.card import Card, card_path
from vitbackbones.inference.writers import MaskWriter

from .cards import make_card
from .graphs import write_classifier, write_detector

HUGE = 10**6


@pytest.mark.parametrize(
    ('key', 'value', 'message'),
    [
        ('classes', ['a', 7], r'classes must be a list \(a string each\)'),
        ('palette', [[1, 2]], r'palette must be a list \(a list of 3'),
        ('palette', [[1, 2, 256]], r'whole number from 0 to 255 each'),
        ('steps', [{'type': 'resize', 'size': [HUGE, 100]}] * 9, 'a list of at most 8'),
        ('input.layout', ['NCHW'], r'input\.layout must be one of \'NCHW\', \'NHWC\''),
        ('input.dtype', 'object', "one of 'float32', 'uint8'"),
        ('input.color', 'bgr', "one of 'rgb'"),
        ('input.shape', [], 'a list of 4'),
        ('input.shape', ['1', 3, 32, 32], 'from 1 to 1048576 or None'),
        ('input.mean', [0, 0], 'a list of 3'),
        ('input.mean', [float('nan')] * 3, 'a number from -1e'),
        ('input.mean', [10**400] * 3, 'a number from -1e'),
        ('input.std', [1, 1, 0], 'a number from 1e-06'),
        (
            'outputs',
            [{'name': 'logits', 'dtype': 'float32', 'shape': [-1]}],
            r'outputs\[0\]\.shape',
        ),
    ],
)
def test_a_value_is_refused_with_its_name(tmp_path, key, value, message):
    file = tmp_path / 'model.onnx'
    file.write_bytes(b'graph')
    make_card().write(file)
    content = json.loads(card_path(file).read_text())
    part, _, name = key.rpartition('.')
    (content[part] if part else content)[name] = value
    card_path(file).write_text(json.dumps(content))
    with pytest.raises(InputError, match=message):
        Card.read(file)


@pytest.mark.parametrize(
    ('step', 'message'),
    [
        ({'type': []}, 'is no step'),
        ({'type': 'resize', 'size': 'ab'}, 'size must be height and width'),
        ({'type': 'resize', 'size': [-5, -7]}, 'height and width'),
        ({'type': 'resize', 'size': [32.0, 32.0]}, 'height and width'),
        ({'type': 'resize', 'size': [8, 8], 'interpolation': '__class__'}, "one of 'nearest'"),
        ({'type': 'resize_within', 'longer': 9, 'shorter': float('nan')}, 'shorter must be'),
        ({'type': 'resize_within', 'longer': 10**400, 'shorter': 9}, 'longer must be a number'),
        ({'type': 'resize_to_multiple', 'divisor': 0}, 'divisor must be a whole number from 1'),
        ({'type': 'pad', 'size': [HUGE, HUGE]}, 'at most 33554432 pixels'),
        ({'type': 'resize', 'size': [13000, 13000]}, 'at most 33554432 pixels'),
        ({'type': 'pad_pixels', 'value': HUGE}, 'value must be a number from 0 up to 255'),
        ({'type': 'resize', 'size': [8, 8], 'backend': 'pillow', 'interpolation': 'area'}, 'no i'),
        ({'type': 'resize_edge', 'length': 8, 'step': 1}, "has no option 'step'"),
        ({'type': 'slide', 'crop': [32, 32], 'stride': [0, 0]}, 'stride must be'),
        ({'type': 'slide', 'crop': [32, 32], 'stride': [-8, -8]}, 'stride must be'),
        ({'type': 'slide', 'crop': [32, 32], 'stride': [8, 33]}, 'leaves pixels out'),
        ({'type': 'slide', 'crop': [HUGE, HUGE], 'stride': [1, 1]}, 'at most 33554432 pixels'),
    ],
)
def test_an_option_of_a_step_is_refused(tmp_path, step, message):
    write_classifier(tmp_path / 'model.onnx', steps=[step])
    with pytest.raises(InputError, match=message):
        load(tmp_path / 'model.onnx')


def test_a_picture_that_padding_would_fill_the_memory_with_is_refused(tmp_path):
    step = {'type': 'pad_to_multiple', 'divisor': HUGE}
    write_classifier(tmp_path / 'model.onnx', steps=[step])
    with pytest.raises(InputError, match='4 x 4 pixels cannot be padded: they would become 10000'):
        load(tmp_path / 'model.onnx').predict(np.zeros((4, 4, 3), np.uint8))


def test_outputs_that_are_no_answer_of_the_task_are_refused(tmp_path):
    write_classifier(tmp_path / 'model.onnx', task='segmentation')
    with pytest.raises(InputError, match=r'logits \(\? x 3\): no answer of segmentation'):
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
    with pytest.raises(InputError, match='a label 2, but its card names 1 classes'):
        load(tmp_path / 'classes.onnx').predict(pixels)
    with pytest.raises(InputError, match='a label 7, but its card names 3 classes'):
        load(tmp_path / 'objects.onnx').predict(pixels)


def test_a_palette_without_a_color_for_each_class_is_refused(tmp_path):
    with pytest.raises(InputError, match='the palette has 1 colors for 3 classes'):
        MaskWriter(tmp_path, {'classes': ['a', 'b', 'c'], 'palette': [[0, 0, 0]]}, 0)
