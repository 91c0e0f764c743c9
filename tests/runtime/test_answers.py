"""What a graph's numbers mean on the picture."""

import json
import sys
from dataclasses import replace

import cv2  # noqa: F401 (its first import changes the environment)
import numpy as np
import pytest
import torch
import torch.nn.functional as F
from pycocotools.coco import COCO

from vitbackbones.errors import InputError
from vitbackbones.runtime.answers import (
    READ,
    Classified,
    Detected,
    Segmented,
    in_words,
    require_form,
    require_names,
    require_numbers,
    with_names,
)
from vitbackbones.runtime.preparing import Prepared

# an image of 8 x 12, of which 8 x 8 is a picture that was 16 x 20
PICTURE = Prepared(np.zeros((3, 8, 12), np.float32), (8, 8), (16, 20), (8, 8))


def read(task, **outputs):
    return READ[task](outputs, PICTURE)


def test_scores_sum_to_one():
    logits = np.array([1000, 999, 0], np.float32)
    expected = torch.tensor(logits).softmax(0).numpy()
    np.testing.assert_allclose(read('classification', logits=logits).scores, expected, rtol=1e-6)


def test_logits_lose_their_padding_and_are_stretched_as_mmseg_does():
    logits = np.random.default_rng(0).normal(size=(5, 8, 12)).astype(np.float32)
    inside = torch.from_numpy(logits[None, :, :, :8])
    expected = F.interpolate(inside, size=(16, 20), mode='bilinear')[0].argmax(0)
    np.testing.assert_array_equal(read('segmentation', logits=logits).labels, expected.numpy())


def test_boxes_are_scaled_by_what_no_step_has_padded():
    # a pipeline made 8 x 8 of 16 x 20 pixels, and then 8 x 12
    padded = replace(PICTURE, shape=(8, 12))
    found = READ['detection'](detections(), padded)
    np.testing.assert_array_equal(found.boxes, read('detection', **detections()).boxes)


def test_a_mask_is_stretched_to_the_nearest_pixel():
    mask = np.random.default_rng(0).integers(0, 9, (8, 12), np.uint8)
    labels = torch.from_numpy(mask[None, None, :, :8].copy())
    expected = F.interpolate(labels, size=(16, 20), mode='nearest-exact')[0, 0]
    np.testing.assert_array_equal(read('segmentation', mask=mask).labels, expected.numpy())


def detections(**more):
    return {
        'boxes': np.array([[1, 2, 3, 4], [4, 0, 11, 8], [0, 0, 0, 0]], np.float32),
        'scores': np.array([0.9, 0.5, 0], np.float32),
        'labels': np.array([2, 0, -1]),
        **more,
    }


def test_objects_are_on_the_picture_and_empty_places_are_left_out():
    masks = np.zeros((3, 8, 12), np.uint8)
    masks[0, :4, 4:] = 1
    found = read('detection', **detections(masks=masks))
    np.testing.assert_allclose(found.boxes, [[2.5, 4, 7.5, 8], [10, 0, 20, 16]])
    assert found.labels.tolist() == [2, 0]
    assert found.masks.shape == (2, 16, 20)
    assert found.masks[0].sum() == 8 * 10
    assert found.masks[0, :8, 10:].all()


def test_nothing_found_has_masks_of_the_picture():
    empty = {key: value[2:] for key, value in detections(masks=np.zeros((3, 8, 12))).items()}
    assert read('detection', **empty).masks.shape == (0, 16, 20)


def test_segments_are_on_the_picture():
    segments = np.arange(96).reshape(8, 12)
    found = read('detection', segments=segments)
    assert found.boxes is None
    assert found.segments.shape == (16, 20)
    assert set(found.segments.ravel()) == set(segments[:, :8].ravel())


@pytest.mark.parametrize(
    ('task', 'shapes'),
    [
        ('classification', {}),
        ('classification', {'logits': (2, 3, 4, 4)}),
        ('classification', {'logits': (1, 3)}),  # of two images
        ('segmentation', {'mask': (2, 4, 4), 'logits': (2, 3, 4, 4)}),
        ('detection', {'boxes': (2, 7, 5), 'scores': (2, 7), 'labels': (2, 7)}),
        ('detection', {'boxes': (2, 7, 4), 'scores': (2, 7), 'labels': (2, 0)}),
    ],
)
def test_outputs_that_are_no_answer_are_refused(task, shapes):
    with pytest.raises(InputError, match=rf'm\.onnx: .* cannot be a prediction for {task}'):
        require_form(task, shapes, 'm.onnx', images=2)


def test_shapes_in_words():
    assert in_words([None, 3, 8]) == '? x 3 x 8'
    with pytest.raises(InputError, match=r'p: no outputs cannot|p: mask \(\? x 2\) cannot'):
        require_form('segmentation', {'mask': (None, 2)}, 'p')


@pytest.mark.parametrize(
    ('task', 'shapes'),
    [
        ('classification', {'logits': (2, None)}),
        ('segmentation', {'mask': (None, 4, 4)}),
        ('detection', {'segments': (2, 4, 5)}),
        ('detection', {'boxes': (2, 7, 4), 'scores': (2, 7), 'labels': (2, None)}),
        (
            'detection',
            {**{'boxes': (2, 7, 4), 'scores': (2, 7), 'labels': (2, 7)}, 'masks': (2, 7, 8, 8)},
        ),
    ],
)
def test_outputs_that_are_an_answer(task, shapes):
    require_form(task, shapes, 'm.onnx', images=2)
    require_form(task, shapes, 'm.onnx')


@pytest.mark.parametrize(
    ('answer', 'is_named'),
    [
        (Classified(np.zeros(3)), True),
        (Classified(np.zeros(2)), True),
        (Classified(np.zeros(4)), False),
        (Segmented(np.array([[0, 2]])), True),
        (Segmented(np.array([[0, 3]])), False),
        (Segmented(np.array([[-1, 2]])), False),
        (Detected(labels=np.array([2, 0])), True),
        (Detected(labels=np.array([1, 3])), False),
        (Detected(labels=np.array([], int)), True),
        (Detected(segments=np.array([[9]])), True),
    ],
)
def test_labels_have_names(answer, is_named):
    if is_named:
        require_names(answer, 'abc', 'm.onnx')
        return
    with pytest.raises(InputError, match='m.onnx: predicts the label (3|-1), .* 3 classes'):
        require_names(answer, 'abc', 'm.onnx')


def test_floats_are_finite_and_other_numbers_are_not_looked_at():
    good = {'a': np.array([1.0]), 'b': None, 'c': np.array([1]), 'd': np.array([], np.float32)}
    require_numbers(good, 'm.onnx')
    for bad in (np.nan, np.inf, -np.inf):
        with pytest.raises(InputError, match='m.onnx: scores'):
            require_numbers(good | {'scores': np.array([0.5, bad])}, 'm.onnx')


def test_objects_of_just_the_least_score_are_sure():
    boxes, masks = np.arange(12).reshape(3, 4), np.arange(3)[:, None, None]
    found = Detected(boxes, np.array([0.5, 0.49, 0.3]), np.array([0, 0, 1]), masks)
    sure = found.sure(np.array([0.5, 0.3]))
    assert sure.labels.tolist() == [0, 1]
    assert sure.boxes.tolist() == boxes[[0, 2]].tolist()
    assert sure.masks.ravel().tolist() == [0, 2]
    bare = Detected(boxes, found.scores, found.labels).sure(np.array([0.5, 0.3]))
    assert (bare.masks, len(bare.boxes)) == (None, 2)
    segments = Detected(segments=np.zeros((2, 2)))
    assert segments.sure(np.array([1.0])) is segments


def test_masks_cover_pixels_of_which_they_have_half():
    masks = np.zeros((3, 8, 12), np.float32)
    masks[0], masks[1] = 0.5, 0.49
    picture = Prepared(np.zeros((3, 8, 12), np.float32), (8, 8), (8, 8), (8, 8))
    found = READ['detection'](detections(masks=masks), picture)
    assert found.masks.sum((1, 2)).tolist() == [64, 0]
    assert found.scores.dtype == found.boxes.dtype == np.float32


def test_of_equal_logits_the_first_class_is_meant():
    labels = read('segmentation', logits=np.zeros((3, 8, 12), np.float32)).labels
    assert (labels == 0).all()


CLASSES = ('cat', 'a dog')
MASKS = np.zeros((2, 16, 20), bool)
MASKS[0, 2:5, 3:7] = True
FOUND = Detected(
    np.array([[3, 2, 7, 5], [0, 0, 20.25, 16]], np.float32),
    np.array([0.9, 0.3], np.float32),
    np.array([1, 0]),
    classes=CLASSES,
)
NOTHING = FOUND.sure(np.array([1, 1]))


def loaded(results, images, categories):
    """Let pycocotools read results."""
    truth = COCO()
    named = [{'id': number, 'name': str(number)} for number in categories]
    sizes = [{'id': number, 'height': 16, 'width': 20} for number in images]
    truth.dataset = {'images': sizes, 'categories': named, 'annotations': []}
    truth.createIndex()
    return truth.loadRes(results)


def test_results_of_coco_are_read_by_pycocotools():
    masked = replace(FOUND, masks=MASKS)
    for results in (FOUND.to_coco('a'), masked.to_coco('a', (18, 90))):
        read = loaded(json.loads(json.dumps(results)), ['a'], (1, 2, 18, 90))
        assert [ann['bbox'] for ann in read.anns.values()][0] == [3, 2, 4, 3]
        assert [ann['score'] for ann in read.anns.values()] == [0.9, 0.3]
    assert [ann['category_id'] for ann in FOUND.to_coco('a')] == [2, 1]
    assert [ann['category_id'] for ann in read.anns.values()] == [90, 18]
    assert [read.annToMask(ann).sum() for ann in read.anns.values()] == [12, 0]
    of_tables = FOUND.to_coco(np.int64(7), np.array([18, 90]))
    assert json.loads(json.dumps(of_tables))[0] == FOUND.to_coco(7, (18, 90))[0]
    assert [ann['category_id'] for ann in FOUND.to_coco('a', ('x', 'y'))] == ['y', 'x']
    assert 'image_id' not in FOUND.to_coco()[0]
    assert NOTHING.to_coco() == []


def test_a_table_of_pandas():
    pytest.importorskip('pandas')
    table = FOUND.to_dataframe()
    assert [*table.columns] == ['label', 'class', 'score', 'x1', 'y1', 'x2', 'y2']
    assert table['class'].tolist() == ['a dog', 'cat']
    assert table.x2.tolist() == [7, 20.25]
    assert [*replace(FOUND, classes=None).to_dataframe().columns][:2] == ['label', 'score']
    nothing = NOTHING.to_dataframe()
    assert [*nothing.columns] == [*table.columns]
    assert len(nothing) == 0


@pytest.mark.parametrize('masks', [None, MASKS, [*MASKS]], ids=['boxes', 'masks', 'of tiles'])
def test_supervision_gets_all_and_gives_it_back(masks):
    pytest.importorskip('supervision')
    sent = replace(FOUND, masks=masks).to_supervision()
    assert sent.data['class_name'].tolist() == ['a dog', 'cat']
    back = Detected.from_supervision(sent[::-1], CLASSES)  # in another order
    for name in ('boxes', 'scores', 'labels'):
        np.testing.assert_array_equal(getattr(back, name), getattr(FOUND, name))
    assert (back.masks is None) == (masks is None)
    assert masks is None or (back.masks == MASKS).all()


@pytest.mark.parametrize('masks', [None, MASKS[:0], []], ids=['boxes', 'masks', 'of tiles'])
def test_nothing_found_is_merged_with_something(masks):
    supervision = pytest.importorskip('supervision')
    nothing = replace(NOTHING, masks=masks).to_supervision()
    something = replace(FOUND, masks=None if masks is None else MASKS).to_supervision()
    assert len(nothing[np.isin(nothing['class_name'], CLASSES)]) == 0
    merged = supervision.Detections.merge([nothing, something, nothing])
    assert merged.data['class_name'].tolist() == ['a dog', 'cat']
    assert (len(merged), len(supervision.Detections.merge([nothing, nothing]))) == (2, 0)
    assert len(Detected.from_supervision(nothing).boxes) == 0


def test_detections_of_others_may_lack_scores_and_labels():
    supervision = pytest.importorskip('supervision')
    bare = Detected.from_supervision(supervision.Detections(np.array([[1, 2, 3, 4]])))
    assert (bare.scores.tolist(), bare.labels.tolist(), bare.masks) == ([1], [0], None)
    assert bare.boxes.dtype == bare.scores.dtype == np.float32
    assert len(Detected.from_supervision(supervision.Detections.empty(), CLASSES).boxes) == 0


@pytest.mark.parametrize(
    ('change', 'message'),
    [
        ({'class_id': np.array([2])}, r'class_id must be from 0 to 1, not \[2\]'),
        ({'class_id': np.array([-1])}, r'class_id must be from 0 to 1, not \[-1\]'),
        ({'confidence': np.array([np.inf])}, 'scores contain NaN or infinite'),
    ],
)
def test_detections_of_others_that_mean_nothing_are_refused(change, message):
    supervision = pytest.importorskip('supervision')
    found = supervision.Detections(**{'xyxy': np.array([[1, 2, 3, 4]])} | change)
    with pytest.raises(InputError, match=message):
        Detected.from_supervision(found, CLASSES)


@pytest.mark.parametrize(
    ('method', 'package'), [('to_supervision', 'supervision'), ('to_dataframe', 'pandas')]
)
def test_a_package_that_is_absent_is_named(monkeypatch, method, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=f'install it: pip install {package}$'):
        getattr(FOUND, method)()


@pytest.mark.parametrize('method', ['to_coco', 'to_dataframe', 'to_supervision'])
def test_segments_alone_are_no_objects(method):
    with pytest.raises(InputError, match='has panoptic segments and no objects'):
        getattr(Detected(segments=np.zeros((2, 2))), method)()


def test_only_objects_get_names():
    assert with_names(FOUND, 'ab').classes == 'ab'
    segmented = Segmented(MASKS[0])
    assert with_names(segmented, 'ab') is segmented
