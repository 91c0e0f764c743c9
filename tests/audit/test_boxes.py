"""Labels and detections of boxes are compared, and what is likely to be wrong is listed."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from pycocotools import mask as masks

from vitbackbones.audit.boxes import (
    LabeledImage,
    Likelihoods,
    Objects,
    _with_usual,
    compare,
    of_boxes,
)
from vitbackbones.audit.suspicion import Suspicion
from vitbackbones.data.loading.coco_masks import to_code

SIZE = np.array([96, 64])
BOX = (10.0, 12.0, 24.0, 20.0)
MOVED = (16.0, 12.0, 24.0, 20.0)  # IoU 0.6 with BOX
FAR = (20.0, 12.0, 24.0, 20.0)  # IoU 0.41: its detection could also be of another object
FREE = (60.0, 40.0, 24.0, 20.0)
CAT, DOG = 0, 1


def objects(*rows):
    """Objects of (box, class, score)."""
    boxes, classes, scores = zip(*rows, strict=True) if rows else ((), (), ())
    return Objects(np.reshape(boxes, (-1, 4)), np.array(classes, int), np.array(scores, float))


def values(gt, pred):
    strangeness, evidence = compare(objects(*gt), objects(*pred))
    numbers = {fault: found.round(3).tolist() for fault, found in strangeness.items()}
    return numbers, {fault: rows.tolist() for fault, rows in evidence.items()}


def test_a_label_that_a_detection_confirms_is_not_strange():
    strangeness, evidence = values([(BOX, CAT, 1)], [(FREE, CAT, 0), (BOX, CAT, 0.9)])
    assert strangeness == {'spurious': [0.1], 'class': [-0.9], 'loose': [0], 'missing': [0, 0]}
    assert (evidence['spurious'], evidence['loose']) == ([1], [1])


@pytest.mark.parametrize(
    ('pred', 'fault', 'value', 'row'),
    [
        ([(FREE, CAT, 0.9)], 'spurious', 1, 0),
        ([(FREE, CAT, 0.9), (BOX, DOG, 0.8)], 'class', 0.8, 1),
        ([(BOX, CAT, 0.3), (BOX, DOG, 0.8)], 'class', 0.5, 1),
        ([(FREE, CAT, 0.9), (MOVED, CAT, 0.8)], 'loose', 0.8 * 0.4, 1),
    ],
)
def test_what_is_strange_about_a_label_and_which_detection_shows_it(pred, fault, value, row):
    strangeness, evidence = values([(BOX, CAT, 1)], pred)
    assert strangeness[fault] == [round(value, 3)]
    assert evidence[fault] == [row]


def test_a_detection_of_an_iou_of_a_quarter_may_show_the_label():
    box, quarter, less = (0, 0, 20, 20), (0, 0, 10, 10), (0, 0, 9, 10)
    assert values([(box, CAT, 1)], [(quarter, CAT, 0.8)])[0]['loose'] == [0.6]
    assert values([(box, CAT, 1)], [(less, CAT, 0.8)])[0]['loose'] == [0]


def test_a_detection_of_an_iou_of_a_half_is_at_the_place():
    box, half, less = (0, 0, 20, 20), (0, 0, 20, 10), (0, 0, 20, 9)
    assert values([(box, CAT, 1)], [(half, DOG, 0.8)])[0]['class'] == [0.8]
    assert values([(box, CAT, 1)], [(less, DOG, 0.8)])[0]['class'] == [0]
    assert values([], [(box, DOG, 0.8), (half, DOG, 0.9)])[0]['missing'] == [0, 0.9]
    assert values([], [(box, DOG, 0.8), (less, DOG, 0.9)])[0]['missing'] == [0.8, 0.9]
    assert values([], [(box, DOG, 0.8), (box, DOG, 0.8)])[0]['missing'] == [0.8, 0.8]


def test_a_detection_fits_loosely_only_the_label_that_it_overlaps_most():
    strangeness, _ = values([(BOX, CAT, 1), (MOVED, CAT, 1)], [(MOVED, CAT, 0.8)])
    assert strangeness['loose'] == [0, 0]


def test_only_the_surest_detection_at_a_place_without_a_label_is_missing_one():
    pred = [(FREE, CAT, 0.5), (FREE, DOG, 0.9), (BOX, CAT, 0.8)]
    assert values([(BOX, CAT, 1)], pred)[0]['missing'] == [0, 0.9, 0]
    assert values([], pred)[0] == {**dict.fromkeys(('spurious', 'class', 'loose'), [])} | {
        'missing': [0, 0.9, 0.8]
    }


def images(count=40, categories=(CAT, DOG), score=0.9):
    """Images with one label each that a detection of the same class confirms."""
    found = []
    for row in range(count):
        category = categories[row % len(categories)]
        gt = objects((BOX, category, 1))
        found.append(LabeledImage(row, SIZE, gt, [row], objects((BOX, category, score))))
    return found


def test_likelihoods_are_near_1_for_faults_and_0_for_sound_labels():
    likelihood = Likelihoods(images(), num_classes=2)
    sound = compare(images()[0].gt, images()[0].pred).strangeness
    for fault, value in (('spurious', 1), ('class', 0.9), ('missing', 0.9)):
        assert likelihood(fault, CAT, value) == pytest.approx(0.5, abs=0.01)  # 1 of 1 + the last
    assert all(likelihood(fault, CAT, sound[fault][0]) == 0 for fault in ('class', 'missing'))
    assert likelihood('class', 2, 0.9) == 0  # a class without labels
    assert Likelihoods(images(score=0), 2)('missing', CAT, 0) == 0  # nothing strange at all


def test_one_sound_label_that_looks_like_a_fault_lowers_the_likelihood():
    strange = [LabeledImage(40, SIZE, objects((BOX, CAT, 1)), [40], objects((BOX, DOG, 0.9)))]
    sound, mixed = (Likelihoods(each, 2) for each in (images(), images() + strange))
    assert 0 < mixed('class', CAT, 0.9) < sound('class', CAT, 0.9)


def test_another_class_is_tried_only_where_there_is_one():
    one = Likelihoods(images(categories=(CAT,)), num_classes=1)
    assert sorted(one.curves) == [('loose', CAT), ('missing', CAT), ('spurious', CAT)]
    two = Likelihoods(images(), num_classes=2)
    assert {(fault, row) for fault, row in two.curves if fault == 'class'} == {
        *(('class', CAT), ('class', DOG)),
    }


FAULTS = {
    1: ('class', BOX, CAT, 'labeled dog, but detected as cat with a score of 0.90'),
    2: ('loose', BOX, CAT, 'cat detected with a score of 0.90, but the IoU with its label is 0.41'),
    4: ('spurious', FREE, CAT, 'labeled cat, but no detection matches it (best score 0.00)'),
    6: ('missing', BOX, CAT, 'cat detected with a score of 0.90, but there is no label'),
}


@pytest.fixture
def pool(tmp_path):
    """Images with a cat (even rows) or a dog each, and one fault of each kind."""
    labels, preds = {}, []
    for row in range(40):
        labels[row] = [{'bbox': BOX, 'category_id': row % 2, 'iscrowd': 0, 'label_id': 100 + row}]
        preds.append({'image_id': row, 'bbox': BOX, 'category_id': row % 2, 'score': 0.9})
    preds[1]['category_id'] = CAT
    labels[2][0]['bbox'] = FAR
    labels[4].append({'bbox': FREE, 'category_id': CAT, 'iscrowd': 0, 'label_id': 99})
    labels[6].clear()
    (tmp_path / 'fold_0.json').write_text(json.dumps(preds))
    content = {'images': [{'width': 96, 'height': 64}] * 40}
    return SimpleNamespace(labels=labels, content=content, classes=['cat', 'dog'], outlined=False)


def test_each_fault_is_listed_once_with_what_is_suggested(pool, tmp_path):
    fold = np.arange(40) // 20
    listed = of_boxes(pool, fold, [tmp_path / 'fold_0.json'])
    listed = [each for each in listed if each.likelihood > 0.02]
    found = {each.image: (each.fault, each.box, each.category, each.reason) for each in listed}
    assert found == FAULTS
    assert {each.image: each.label_id for each in listed} == {1: 101, 2: 102, 4: 99, 6: None}
    assert all(isinstance(each, Suspicion) for each in listed)
    assert [each.likelihood for each in listed] == sorted(
        (each.likelihood for each in listed), reverse=True
    )


def test_a_detection_that_shows_a_loose_label_lacks_none(pool, tmp_path):
    preds = json.loads((tmp_path / 'fold_0.json').read_text())
    preds[8]['score'] = 0.1  # so that a weak detection without a label is suspicious
    (tmp_path / 'fold_0.json').write_text(json.dumps(preds))
    listed = of_boxes(pool, np.arange(40) // 20, [tmp_path / 'fold_0.json'])
    assert [each.fault for each in listed if each.image == 2] == ['loose']


def test_labels_of_a_class_that_one_fold_contains_are_not_listed(pool, tmp_path):
    fold = np.arange(40) % 2  # all cats in one, all dogs in the other
    listed = of_boxes(pool, fold, [tmp_path / 'fold_0.json'])
    assert {each.fault for each in listed if each.likelihood > 0.02} == {'missing'}


def test_a_detection_in_a_crowd_is_no_missing_label(pool, tmp_path):
    pool.labels[6] = [{'bbox': [0, 0, 90, 60], 'category_id': CAT, 'iscrowd': 1, 'label_id': 7}]
    listed = of_boxes(pool, np.arange(40) // 20, [tmp_path / 'fold_0.json'])
    assert 6 not in {each.image for each in listed if each.likelihood > 0.02}


# ------------------------------------------------------------------------ outlines

TALL = (192, 256)  # height, width of an image
PLACE = np.array([60, 40, 80, 60])


def ring(box, corner=0.3):
    """The polygon of a box without its corners."""
    x, y, w, h = box
    a, b = corner * w, corner * h
    return [
        *(x + a, y, x + w - a, y, x + w, y + b, x + w, y + h - b),
        *(x + w - a, y + h, x + a, y + h, x, y + h - b, x, y + b),
    ]


def half(box):
    """The polygon of what is left of the middle of a box, 0.6 of it."""
    x, y, w, h = box
    return [x, y, x + 0.6 * w, y, x + 0.6 * w, y + h, x, y + h]


def with_masks(*rows):
    """Objects of (box, class, score, polygon)."""
    codes = [to_code([row[3]], *TALL) for row in rows]
    return objects(*(row[:3] for row in rows))._replace(masks=np.array(codes, object))


def outlined_images(count=60, score=0.9):
    """Images with a cat each, whose mask a detection confirms; small ones less."""
    found = []
    for row in range(count):
        side = 10 + 2 * row
        box = (20.0, 20.0, side, side)
        gt = with_masks((box, CAT, 1, ring(box)))
        pred = with_masks((box, CAT, score, ring(box, 0.3 - 2 / side)))
        found.append(LabeledImage(row, np.array(TALL[::-1]), gt, [row], pred))
    return found


def test_outlines_are_compared_only_where_labels_have_them():
    gt = objects((BOX, CAT, 1))
    pred = objects((BOX, CAT, 0.9))
    assert 'outline' not in compare(gt, pred).strangeness
    assert 'outline' not in compare(gt, with_masks((BOX, CAT, 0.9, ring(BOX)))).strangeness


@pytest.mark.parametrize(
    ('pred', 'value'),
    [
        ((PLACE, CAT, 0.9, half(PLACE)), 0.9 * (1 - 0.6)),
        ((PLACE, CAT, 0.9, [*PLACE[:2], 140, 40, 140, 100, 60, 100]), 0),
        ((PLACE, DOG, 0.9, half(PLACE)), -1),  # a detection of another class shows no outline
        ((PLACE + [50, 0, 0, 0], CAT, 0.9, half(PLACE)), -1),  # nor one at another place
    ],
)
def test_how_strange_an_outline_is(pred, value):
    whole = [60, 40, 140, 40, 140, 100, 60, 100]
    found = compare(with_masks((PLACE, CAT, 1, whole)), with_masks(pred))
    assert found.strangeness['outline'] == pytest.approx([value], abs=0.02)


def test_what_is_usual_of_a_size_is_not_strange():
    images = _with_usual(outlined_images())
    usual = [float(image.gt.usual[0]) for image in images]
    assert usual == sorted(usual, reverse=True)
    assert usual[0] > 2 * usual[-1]
    strange = [compare(image.gt, image.pred).strangeness['outline'][0] for image in images]
    assert np.abs(strange).max() < 0.05
    bare = [each._replace(pred=objects((BOX, DOG, 0.1))) for each in outlined_images()]
    nothing_found = _with_usual(bare)
    assert all(np.all(image.gt.usual == 0) for image in nothing_found)


def test_a_spoiled_outline_is_likely_and_a_usual_one_is_not():
    images = _with_usual(outlined_images())
    likelihood = Likelihoods(images, 1)
    strange = [compare(image.gt, image.pred).strangeness['outline'][0] for image in images]
    assert likelihood('outline', CAT, 0.4) > 0.2
    assert max(likelihood('outline', CAT, each) for each in strange) < 0.05


def test_masks_change_no_likelihood_of_a_box():
    images = outlined_images()
    bare = [image._replace(gt=image.gt._replace(masks=None)) for image in images]
    of_masks, of_boxes_alone = (Likelihoods(each, 1).curves for each in (images, bare))
    for (fault, category), curve in of_boxes_alone.items():
        assert np.array_equal(curve, of_masks[fault, category])
    assert {fault for fault, _ in of_masks} - {fault for fault, _ in of_boxes_alone} == {'outline'}


@pytest.fixture
def outlined(tmp_path):
    """Images with a cat each; one lacks 0.4 of its outline, one is missing and one is loose."""
    labels, preds, box = {}, [], PLACE.tolist()
    for row in range(40):
        ann = {'bbox': box, 'category_id': CAT, 'iscrowd': 0, 'label_id': 100 + row}
        labels[row] = [ann | {'segmentation': [ring(box)]}]
        code = to_code([ring(box, 0.27)], *TALL)
        pred = {'image_id': row, 'bbox': box, 'category_id': CAT, 'score': 0.9}
        preds.append(pred | {'segmentation': code | {'counts': code['counts'].decode()}})
    labels[2][0]['segmentation'] = [half(box)]
    labels[4].clear()
    labels[6][0] |= {'bbox': [30, 40, 80, 60], 'segmentation': [ring([30, 40, 80, 60])]}
    (tmp_path / 'fold_0.json').write_text(json.dumps(preds))
    content = {'images': [{'width': 256, 'height': 192}] * 40}
    return SimpleNamespace(labels=labels, content=content, classes=['cat'], outlined=True)


def test_what_is_drawn_anew_has_the_outline_of_the_detection(outlined, tmp_path):
    listed = of_boxes(outlined, np.arange(40) // 20, [tmp_path / 'fold_0.json'])
    found = {each.image: each for each in listed if each.likelihood > 0.02}
    assert {row: each.fault for row, each in found.items()} == {
        **{2: 'outline', 4: 'missing', 6: 'loose'}
    }
    assert found[2].reason.startswith('cat detected with a score of 0.90, but the IoU of the masks')
    assert found[2].label_id == 102
    true = to_code([ring(PLACE)], *TALL)
    for each in found.values():
        code = to_code([*map(list, each.outlines)], *TALL)
        assert masks.iou([code], [true], [0])[0, 0] > 0.9
        assert each.box == tuple(PLACE)


def test_a_model_that_finds_masks_without_boxes_is_read(outlined, tmp_path):
    file = tmp_path / 'fold_0.json'
    preds = json.loads(file.read_text())
    with_boxes = [each.label_id for each in of_boxes(outlined, np.arange(40) // 20, [file])]
    file.write_text(json.dumps([pred | {'bbox': [0.0, 0.0, 0.0, 0.0]} for pred in preds]))
    listed = of_boxes(outlined, np.arange(40) // 20, [file])
    assert [each.label_id for each in listed][:3] == with_boxes[:3]
