"""Pictures as a graph takes them; ``tests/export/test_pipeline.py`` compares with pipelines."""

from dataclasses import replace

import numpy as np
import pytest

from vitbackbones.errors import InputError
from vitbackbones.runtime.preparing import prepare

from .cards import make_card

FIT = {'type': 'resize_into', 'size': [8, 12]}


def test_a_graph_that_normalizes_gets_red_first_and_the_mean_color_for_padding():
    given = replace(
        make_card().input, layout='NHWC', dtype='uint8', shape=[1, 8, 12, 3], preprocess_inside=True
    )
    pixels = np.full((16, 16, 3), (1, 2, 3), np.uint8)
    prepared = prepare(
        pixels, make_card(input=given, steps=[FIT, {'type': 'pad', 'size': [8, 12]}])
    )
    assert prepared.image.dtype == np.uint8
    assert prepared.image[0, 0].tolist() == [3, 2, 1]
    assert prepared.image[0, 11].tolist() == [124, 116, 104]
    assert prepared.shape == (8, 8)


@pytest.mark.parametrize(
    ('pixels', 'step', 'message'),
    [
        (np.zeros((4, 4), np.uint8), FIT, 'not 4 x 4 of uint8'),
        (np.zeros((4, 4, 3), np.float32), FIT, 'not 4 x 4 x 3 of float32'),
        (np.zeros((1, 100, 3), np.uint8), FIT, '100 x 1 pixels cannot be resized: .* 12 x 0'),
        (
            np.zeros((1, 10000, 3), np.uint8),
            {'type': 'resize_edge', 'length': 256},
            'they would become 2560000 x 256',
        ),
        (
            np.zeros((4, 4, 3), np.uint8),
            {'type': 'resize_to_multiple', 'divisor': 5793},
            'they would become 5793 x 5793',
        ),
    ],
)
def test_what_cannot_be_prepared_is_refused(pixels, step, message):
    with pytest.raises(InputError, match=message):
        prepare(pixels, make_card(steps=[step]))


def test_a_large_picture_stays(monkeypatch):
    monkeypatch.setattr('vitbackbones.runtime.preparing.MAX_PIXELS', 100)
    card = make_card(steps=[{'type': 'resize_to_multiple', 'divisor': 11}])
    assert prepare(np.zeros((11, 22, 3), np.uint8), card).shape == (11, 22)


def test_pixels_are_padded_before_normalization():
    card = make_card(steps=[{'type': 'pad_pixels', 'multiple': 8, 'value': [1, 2, 114]}])
    prepared = prepare(np.zeros((4, 9, 3), np.uint8), card)
    assert prepared.image.shape == (3, 8, 16)
    assert prepared.image[0, 7, 15] == np.float32(114 - np.float32(123.675)) / np.float32(58.395)
