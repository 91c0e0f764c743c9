"""Pictures as a graph takes them; ``tests/export/test_pipeline.py`` compares with pipelines."""

from dataclasses import replace

import numpy as np
import pytest

from vitbackbones.errors import InputError
from vitbackbones.runtime import preparing
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


@pytest.mark.parametrize(
    ('step', 'size', 'expected'),
    [
        ({'type': 'resize', 'size': [5, 7]}, (40, 60), (5, 7)),
        ({'type': 'resize_to_multiple', 'divisor': 32}, (33, 64), (64, 64)),
        ({'type': 'resize_edge', 'length': 20}, (40, 60), (20, 30)),
        ({'type': 'resize_edge', 'length': 20}, (60, 40), (30, 20)),
        ({'type': 'resize_edge', 'length': 20}, (40, 40), (20, 20)),
        ({'type': 'resize_edge', 'length': 20, 'edge': 'long'}, (40, 60), (13, 20)),
        ({'type': 'resize_edge', 'length': 20, 'edge': 'long'}, (60, 40), (20, 13)),
        ({'type': 'resize_edge', 'length': 20, 'edge': 'width'}, (60, 40), (30, 20)),
        ({'type': 'resize_edge', 'length': 20, 'edge': 'height'}, (40, 60), (20, 30)),
        ({'type': 'resize_over', 'size': [20, 20]}, (40, 61), (20, 30)),
        ({'type': 'resize_over', 'size': [20, 40]}, (40, 60), (27, 40)),
        ({'type': 'resize_into', 'size': [20, 20]}, (40, 60), (13, 20)),
        ({'type': 'resize_into', 'size': [10, 90]}, (40, 61), (10, 15)),
        ({'type': 'resize_into', 'size': [25, 25]}, (25, 10), (25, 10)),
        ({'type': 'resize_within', 'longer': 30, 'shorter': 25}, (40, 60), (20, 30)),
        ({'type': 'resize_within', 'longer': 90, 'shorter': 25}, (60, 40), (38, 25)),
        ({'type': 'resize_within', 'longer': float('inf'), 'shorter': 20}, (40, 60), (20, 30)),
        ({'type': 'center_crop', 'size': [20, 30]}, (40, 60), (20, 30)),
        ({'type': 'center_crop', 'size': [50, 30]}, (40, 60), (40, 30)),
        ({'type': 'pad_pixels', 'size': [50, 30]}, (40, 60), (50, 60)),
        ({'type': 'pad_pixels', 'multiple': 32}, (40, 64), (64, 64)),
        ({'type': 'pad_pixels'}, (40, 60), (40, 60)),
        ({'type': 'pad', 'size': [99, 99]}, (40, 60), (40, 60)),  # comes later
        ({'type': 'slide', 'crop': [9, 9], 'stride': [9, 9]}, (40, 60), (40, 60)),
    ],
)
def test_sizes(step, size, expected):
    prepared = prepare(np.zeros((*size, 3), np.uint8), make_card(steps=[step]))
    assert prepared.shape == expected
    assert prepared.original == size


def test_the_center_is_cropped():
    pixels = np.zeros((9, 12, 3), np.uint8)
    pixels[...] = np.arange(9)[:, None, None] * 12 + np.arange(12)[None, :, None]
    picture = preparing._changed(pixels, {'type': 'center_crop', 'size': [4, 6]})
    assert picture[:, :, 0].tolist() == pixels[2:6, 3:9, 0].tolist()  # round(2.5) is 2
    whole = preparing._changed(pixels, {'type': 'center_crop', 'size': [20, 6]})
    assert whole.shape == (9, 6, 3)


@pytest.mark.parametrize('backend', ['cv2', 'pillow'])
def test_ways_to_resize(backend):
    pixels = np.zeros((4, 4, 3), np.uint8)
    pixels[:, 2:] = 200
    step = {'type': 'resize', 'size': [4, 8], 'backend': backend}
    smooth = preparing._changed(pixels, step)
    assert len(np.unique(smooth)) > 2
    sharp = preparing._changed(pixels, step | {'interpolation': 'nearest'})
    assert np.unique(sharp).tolist() == [0, 200]
    assert smooth.shape == sharp.shape == (4, 8, 3)


def test_numbers_of_a_normalized_picture():
    pixels = np.full((2, 2, 3), (10, 20, 30), np.uint8)  # BGR
    card = make_card(steps=[{'type': 'pad', 'size': [3, 4]}])
    image = prepare(pixels, card).image
    assert image.shape == (3, 3, 4)
    assert image.dtype == np.float32
    expected = (np.array([30, 20, 10]) - card.input.mean) / card.input.std
    np.testing.assert_allclose(image[:, 0, 0], expected, rtol=1e-5)
    assert (image[:, 2:] == 0).all()
    assert (image[:, :, 2:] == 0).all()
    multiple = make_card(steps=[{'type': 'pad_to_multiple', 'divisor': 4}])
    assert prepare(np.zeros((5, 4, 3), np.uint8), multiple).image.shape == (3, 8, 4)


def test_a_picture_is_padded_to_a_square():
    step = {'type': 'pad_pixels', 'square': True, 'multiple': 32, 'value': 114}
    prepared = prepare(np.zeros((40, 60, 3), np.uint8), make_card(steps=[step]))
    assert prepared.shape == (64, 64)
    assert prepared.resized == (40, 60)


def test_the_color_of_padding_may_be_given():
    card = make_card(steps=[{'type': 'pad', 'size': [4, 8], 'value': [1, 2, 114]}])
    pixels = np.zeros((4, 4, 3), np.uint8)
    red = (np.float32(114) - np.float32(123.675)) / np.float32(58.395)
    assert prepare(pixels, card).image[0, 0, 7] == np.float32(red)
    inside = {'layout': 'NHWC', 'dtype': 'uint8', 'preprocess_inside': True}
    given = replace(card, input=replace(card.input, **inside))
    assert prepare(pixels, given).image[0, 7].tolist() == [114, 2, 1]
