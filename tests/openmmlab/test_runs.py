"""Runs: a detector that finds nothing is measured, and a config's text is laid out once."""

import json

import numpy as np
import pytest
import torch
from mmdet.datasets.api_wrappers import COCO
from mmdet.evaluation.metrics import CocoMetric, coco_metric
from mmdet.structures.mask import encode_mask_results
from pycocotools import cocoeval

import vitbackbones  # noqa: F401  patches yapf
from vitbackbones.openmmlab.runs import EXACT, lay_out_once
from vitbackbones.runtime.run_lengths import to_rle

pytestmark = pytest.mark.compat


@pytest.fixture(params=['pycocotools', 'faster-coco-eval'])
def COCOeval(request, monkeypatch):
    """The class that evaluates, with and without the faster package."""
    if request.param == 'pycocotools':
        monkeypatch.setattr(coco_metric, 'COCOeval', cocoeval.COCOeval)
    else:
        pytest.importorskip('faster_coco_eval')
    return coco_metric.COCOeval


def test_no_detection_is_a_precision_of_0(COCOeval):
    box = {'bbox': [1, 1, 4, 4], 'area': 16, 'iscrowd': 0}
    truth = COCO()
    truth.dataset = {
        'images': [{'id': 1, 'height': 8, 'width': 8}],
        'categories': [{'id': 1, 'name': 'cup'}],
        'annotations': [{'id': 1, 'image_id': 1, 'category_id': 1, **box}],
    }
    truth.createIndex()
    right = {'image_id': 1, 'category_id': 1, 'bbox': [1, 1, 4, 4], 'score': 0.9}
    for results, precision in (([], 0), ([right], 1)):
        found = COCOeval(truth, truth.loadRes(results), 'bbox')
        found.evaluate()
        found.accumulate()
        found.summarize()
        assert found.stats[0] == pytest.approx(precision)
    assert len(truth.anns) == 1


def measured():
    """What mmdet's metric finds of random boxes and masks, some of them crowds."""
    draw = np.random.default_rng(0)
    metric = CocoMetric(metric=['bbox', 'segm', 'proposal'], classwise=True)
    metric.dataset_meta = {'classes': ('cup', 'jug', 'pan')}
    for number in range(6):
        corners = draw.uniform(0, 40, (8, 2)).round(1)
        boxes = np.concatenate([corners, corners + draw.uniform(4, 24, (8, 2)).round(1)], 1)
        masks = draw.random((8, 64, 64)) < 0.5
        labels = draw.integers(0, 3, 8)
        rles = encode_mask_results(list(masks))
        truth = [
            {'bbox': boxes[i], 'bbox_label': int(labels[i]), 'mask': rles[i], 'ignore_flag': i == 4}
            for i in range(6)
        ]
        moved = np.clip(boxes + draw.normal(0, 2, boxes.shape), 0, 64)
        found = {
            'bboxes': torch.tensor(moved, dtype=torch.float32),
            'scores': torch.tensor(draw.random(8).round(1)),  # some are equal
            'labels': torch.tensor(labels),
            'masks': torch.tensor(masks ^ (draw.random(masks.shape) < 0.1)),
        }
        about = {'img_id': number, 'ori_shape': (64, 64)}
        metric.process({}, [{**about, 'pred_instances': found, 'instances': truth}])
    return metric.evaluate(6)


def test_faster_coco_eval_gives_the_same_numbers(monkeypatch):
    pytest.importorskip('faster_coco_eval')
    found = measured()
    monkeypatch.setattr(coco_metric, 'COCOeval', cocoeval.COCOeval)
    assert measured() == found
    assert 0.1 < found['coco/bbox_mAP'] < 0.9
    assert {'coco/segm_mAP_50', 'coco/AR@300', 'coco/cup_precision'} <= found.keys()


def drawn(seed):
    """Return annotations and detections of 30 pictures, some without either, some crowds.

    The first one has hundreds of detections.
    """
    draw = np.random.default_rng(seed)
    images = [{'id': i, 'height': 128, 'width': 128} for i in range(1, 31)]
    anns = []
    preds = []
    for image in draw.permutation(30)[:24] + 1:
        for _ in range(draw.integers(0, 7)):
            x, y, w, h = (*draw.uniform(0, 60, 2), *draw.uniform(4, 120, 2))
            category = int(draw.integers(1, 5))
            ann = {'id': len(anns) + 1, 'image_id': int(image), 'category_id': category}
            crowd = int(draw.random() < 0.2)
            anns.append(ann | about(x, y, w, h) | {'iscrowd': crowd})
            for _ in range(140 if image == 1 else draw.integers(0, 3)):
                moved = np.maximum([x, y, w, h] + draw.normal(0, 4, 4), 1)
                category = category if draw.random() < 0.7 else int(draw.integers(1, 5))
                pred = {'image_id': int(image), 'category_id': category}
                preds.append(pred | about(*moved) | {'score': round(float(draw.random()), 1)})
    truth = COCO()
    categories = [{'id': i, 'name': str(i)} for i in range(1, 5)]
    truth.dataset = {'images': images, 'annotations': anns, 'categories': categories}
    truth.createIndex()
    return truth, preds


def about(x, y, w, h):
    mask = np.zeros((128, 128), bool)
    mask[int(y) : int(y + h), int(x) : int(x + w)] = True
    mask[int(y + h / 3), int(x)] = True
    return {'bbox': [x, y, w, h], 'area': w * h, 'segmentation': to_rle(mask)}


@pytest.mark.parametrize('kind', ['bbox', 'segm'])
@pytest.mark.parametrize('seed', range(5))
def test_all_twelve_numbers_are_those_of_pycocotools(kind, seed):
    pytest.importorskip('faster_coco_eval')
    found = []
    for make in (coco_metric.COCOeval, cocoeval.COCOeval):
        truth, preds = drawn(seed)
        evaluation = make(truth, truth.loadRes(json.loads(json.dumps(preds))), kind)
        evaluation.params.maxDets = [100, 300, 1000]
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
        found.append(evaluation)
    faster, slower = found
    assert type(faster).__module__.startswith('faster_coco_eval')
    assert len(slower.stats) == 12
    # pycocotools adds 2e-16 to what it divides by
    np.testing.assert_allclose(faster.stats, slower.stats, rtol=0, atol=1e-15)
    for name in ('precision', 'recall'):
        np.testing.assert_allclose(faster.eval[name], slower.eval[name], rtol=0, atol=1e-15)


@pytest.mark.parametrize('key', ['text', EXACT])
def test_ids_that_are_no_doubles_are_left_to_pycocotools(key):
    truth, _ = drawn(0)
    truth.imgs = {key: {'id': key}}
    assert type(coco_metric.COCOeval(truth, truth, 'bbox')) is cocoeval.COCOeval


def test_a_text_is_laid_out_once_in_each_style():
    calls = []
    once = lay_out_once(lambda *given, **options: calls.append((given, options)) or len(calls))
    assert [once('a', style_config={'width': width}) for width in (1, 1, 2)] == [1, 1, 2]
    assert once('a', style_config={'width': 1}, verify=True) == 3
    assert once('b', style_config='pep8') == 4  # a name is handed on
