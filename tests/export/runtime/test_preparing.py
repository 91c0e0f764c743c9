"""Pictures as a graph takes them; ``tests/export/test_pipeline.py`` compares with pipelines."""

from dataclasses import replace

import numpy as np
import pytest

from vitbackbones.errors import InputError
from vitbackbones.export.runtime.preparing import prepare
from vitbackbones.export.runtime.step_rules import require_steps

from .cards import make_card

INTO = [{'type': 'resize_into', 'size': [8, 12]}, {'type': 'pad', 'size': [8, 12]}]


def test_a_graph_that_normalizes_gets_red_first_and_the_mean_color_for_padding():
    given = replace(
        make_card().input, layout='NHWC', dtype='uint8', shape=[1, 8, 12, 3], preprocess_inside=True
    )
    pixels = np.full((16, 16, 3), (1, 2, 3), np.uint8)
    prepared = prepare(pixels, make_card(input=given, steps=INTO))
    assert prepared.image.dtype == np.uint8
    assert prepared.image[0, 0].tolist() == [3, 2, 1]
    assert prepared.image[0, 11].tolist() == [124, 116, 104]
    assert prepared.shape == (8, 8)


@pytest.mark.parametrize(
    ('pixels', 'message'),
    [
        (np.zeros((4, 4), np.uint8), 'not 4 x 4 of uint8'),
        (np.zeros((4, 4, 3), np.float32), 'not 4 x 4 x 3 of float32'),
        (np.zeros((1, 100, 3), np.uint8), '100 x 1 pixels cannot be resized: .* 12 x 0'),
    ],
)
def test_what_cannot_be_prepared_is_refused(pixels, message):
    with pytest.raises(InputError, match=message):
        prepare(pixels, make_card(steps=INTO))


def test_a_picture_that_would_fill_the_memory_is_refused():
    card = make_card(steps=[{'type': 'resize_edge', 'length': 256}])
    with pytest.raises(InputError, match='they would become 2560000 x 256'):
        prepare(np.zeros((1, 10000, 3), np.uint8), card)


def test_a_small_picture_does_not_become_a_large_one_and_a_large_one_stays(monkeypatch):
    monkeypatch.setattr('vitbackbones.export.runtime.preparing.MAX_PIXELS', 100)
    card = make_card(steps=[{'type': 'resize_to_multiple', 'divisor': 11}])
    with pytest.raises(InputError, match='they would become 11 x 11'):
        prepare(np.zeros((4, 4, 3), np.uint8), card)
    assert prepare(np.zeros((11, 22, 3), np.uint8), card).shape == (11, 22)


def test_pixels_are_padded_before_normalization():
    card = make_card(steps=[{'type': 'pad_pixels', 'multiple': 8, 'value': [1, 2, 114]}])
    prepared = prepare(np.zeros((4, 9, 3), np.uint8), card)
    assert prepared.image.shape == (3, 8, 16)
    assert prepared.image[0, 7, 15] == np.float32(114 - np.float32(123.675)) / np.float32(58.395)


@pytest.mark.parametrize(
    ('step', 'message'),
    [
        ({'type': 'run'}, r'm\.onnx: steps\[0\] is no step; known are resize, '),
        ({'type': 'pad', 'size': [1, 1], 'by': 2}, r"steps\[0\] \(pad\) has no option 'by'"),
        ({'type': 'slide', 'crop': [1, 1]}, r'\(slide\) misses stride'),
    ],
)
def test_a_step_that_is_none_is_refused(step, message):
    with pytest.raises(InputError, match=message):
        require_steps([step], 'm.onnx')
