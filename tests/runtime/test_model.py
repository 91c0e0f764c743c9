"""An exported file from Python: pictures in, answers out."""

import numpy as np
import pytest

from vitbackbones.errors import InputError
from vitbackbones.runtime import load

from .graphs import write_classifier, write_detector, write_segmentor

RESIZE = {'type': 'resize', 'size': [32, 32]}


@pytest.mark.parametrize('batch', [None, 1, 2])
def test_any_number_of_images_is_answered(tmp_path, batch):
    write_classifier(tmp_path / 'model.onnx', batch)
    images = np.random.default_rng(0).normal(size=(3, 3, 32, 32)).astype(np.float32)
    found = load(tmp_path / 'model.onnx').run(images)
    np.testing.assert_allclose(found['logits'], images.mean((2, 3)), atol=1e-6)


@pytest.mark.parametrize(
    ('images', 'message'),
    [
        (np.zeros((1, 3, 32, 64), np.float32), r'N x 3 x 32 x 32 in float32 \(NCHW\), not 1 x 3 x'),
        (np.zeros((1, 3, 32, 32)), 'not 1 x 3 x 32 x 32 in float64'),
        (np.zeros((0, 3, 32, 32), np.float32), 'not 0 x 3'),
    ],
)
def test_images_of_another_form_are_refused(tmp_path, images, message):
    write_classifier(tmp_path / 'model.onnx')
    with pytest.raises(InputError, match=message):
        load(tmp_path / 'model.onnx').run(images)


def test_one_image_is_not_repeated_until_the_memory_is_full(tmp_path):
    write_classifier(tmp_path / 'model.onnx', batch=2**20)
    exported = load(tmp_path / 'model.onnx')
    with pytest.raises(InputError, match='predicts 1048576 images at once'):
        exported.run(np.zeros((1, 3, 32, 32), np.float32))


def test_a_picture_is_classified(tmp_path):
    write_classifier(tmp_path / 'model.onnx', steps=[RESIZE])
    pixels = np.zeros((50, 40, 3), np.uint8)
    pixels[..., 0] = 255  # blue, the last channel of the network
    scores = load(tmp_path / 'model.onnx').predict(pixels).scores
    assert scores.argmax() == 2
    assert scores.sum() == pytest.approx(1)


def test_windows_slide_over_a_picture(tmp_path):
    slide = {'type': 'slide', 'crop': [16, 16], 'stride': [8, 8]}
    write_segmentor(tmp_path / 'model.onnx', (16, 16), steps=[slide])
    pixels = np.random.default_rng(0).integers(0, 255, (20, 33, 3), np.uint8)
    exported = load(tmp_path / 'model.onnx')
    expected = exported.prepare(pixels).image.argmax(0)  # logits are the channels
    np.testing.assert_array_equal(exported.predict(pixels).labels, expected)


def test_windows_of_labels_cannot_slide(tmp_path):
    slide = {'type': 'slide', 'crop': [16, 16], 'stride': [8, 8]}
    found = {'mask': np.zeros((1, 16, 16), np.uint8)}
    write_detector(tmp_path / 'model.onnx', found, (16, 16), steps=[slide], task='segmentation')
    with pytest.raises(InputError, match='outputs mask; export it with --output logits'):
        load(tmp_path / 'model.onnx')


def test_objects_of_several_pictures(tmp_path):
    found = {
        'boxes': np.array([[[0, 0, 8, 8]]], np.float32),
        'scores': np.array([[0.5]], np.float32),
        'labels': np.array([[1]]),
    }
    write_detector(tmp_path / 'model.onnx', found, steps=[RESIZE])
    exported = load(tmp_path / 'model.onnx')
    pictures = [exported.prepare(np.zeros((side, 64, 3), np.uint8)) for side in (64, 96)]
    boxes = [answer.boxes.tolist() for answer in exported.answer(pictures)]
    assert boxes == [[[0, 0, 16, 16]], [[0, 0, 16, 24]]]


def test_what_fails_inside_of_the_graph_is_one_line(tmp_path):
    write_segmentor(tmp_path / 'model.onnx')
    exported = load(tmp_path / 'model.onnx')
    object.__setattr__(exported._graph, 'run', lambda image: 1 / 0)
    with pytest.raises(InputError, match=r'model\.onnx: ONNX Runtime fails: division by zero'):
        exported.run(np.zeros((1, 3, 4, 4), np.float32))


@pytest.mark.parametrize('bad', [np.nan, np.inf])
@pytest.mark.parametrize('write', [write_classifier, write_segmentor])
def test_logits_that_are_no_numbers_are_one_message(tmp_path, monkeypatch, write, bad):
    write(tmp_path / 'model.onnx', steps=[RESIZE])
    exported = load(tmp_path / 'model.onnx')
    run = exported.run
    monkeypatch.setattr(exported, 'run', lambda x: {'logits': run(x)['logits'] * bad})
    with np.errstate(invalid='ignore'), pytest.raises(InputError, match='contain NaN or infinite'):
        exported.predict(np.full((32, 32, 3), 255, np.uint8))


@pytest.mark.parametrize('name', ['boxes', 'scores'])
def test_objects_that_are_no_numbers_are_one_message_and_empty_places_none(tmp_path, name):
    found = {
        'boxes': np.array([[[1, 2, 3, 4], [0, 0, 0, 0]]], np.float32),
        'scores': np.array([[0.9, 0]], np.float32),
        'labels': np.array([[1, -1]]),
    }
    pixels = np.zeros((32, 32, 3), np.uint8)
    found[name][0, 1] = np.nan
    write_detector(tmp_path / 'empty.onnx', found)
    assert load(tmp_path / 'empty.onnx').predict(pixels).labels.tolist() == [1]
    found[name][0, 0] = np.nan
    write_detector(tmp_path / 'bad.onnx', found)
    with pytest.raises(InputError, match=f'{name} contain NaN or infinite'):
        load(tmp_path / 'bad.onnx').predict(pixels)


def test_a_card_whose_steps_are_unknown_is_refused(tmp_path):
    write_classifier(tmp_path / 'model.onnx', steps=[{'type': 'run'}])
    with pytest.raises(InputError, match=r'model\.onnx\.json: steps\[0\]'):
        load(tmp_path / 'model.onnx')


def test_what_a_graph_is_run_on(tmp_path):
    write_segmentor(tmp_path / 'whole.onnx')
    images = np.zeros((1, 3, 16, 24), np.float32)
    assert [part is images for part in load(tmp_path / 'whole.onnx').parts(images)] == [True]
    slide = {'type': 'slide', 'crop': [16, 16], 'stride': [8, 8]}
    write_segmentor(tmp_path / 'model.onnx', (16, 16), steps=[slide])
    parts = load(tmp_path / 'model.onnx').parts(images)
    assert sum(len(part) for part in parts) == 2
    assert {part.shape[1:] for part in parts} == {(3, 16, 16)}


def test_another_way_to_run_leaves_the_first_alone(tmp_path):
    write_classifier(tmp_path / 'model.onnx')
    exported = load(tmp_path / 'model.onnx')
    other = exported.running(lambda image: [np.full((len(image), 3), 7, np.float32)])
    images = np.zeros((2, 3, 32, 32), np.float32)
    assert other.run(images)['logits'].tolist() == [[7] * 3] * 2
    assert exported.run(images)['logits'].tolist() == [[0] * 3] * 2
