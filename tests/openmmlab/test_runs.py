"""Runs: a detector that finds nothing is measured, and a config's text is laid out once."""

import numpy as np
import pytest
import torch
from mmdet.datasets.api_wrappers import COCO, COCOeval
from mmdet.evaluation.metrics import CocoMetric, coco_metric
from mmdet.structures.mask import encode_mask_results

import vitbackbones  # noqa: F401  patches yapf
from vitbackbones.openmmlab.runs import faster_coco, lay_out_once

pytestmark = pytest.mark.compat


def test_no_detection_is_a_precision_of_0():
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


def test_faster_coco_eval_gives_the_same_numbers():
    pytest.importorskip('faster_coco_eval')
    wanted = measured()
    slower = coco_metric.COCOeval
    with faster_coco():
        assert coco_metric.COCOeval.__module__.startswith('faster_coco_eval')
        assert measured() == wanted
    assert coco_metric.COCOeval is slower
    assert 0.1 < wanted['coco/bbox_mAP'] < 0.9
    assert {'coco/segm_mAP_50', 'coco/AR@300', 'coco/cup_precision'} <= wanted.keys()


def test_a_text_is_laid_out_once_in_each_style():
    calls = []
    once = lay_out_once(lambda *given, **options: calls.append((given, options)) or len(calls))
    assert [once('a', style_config={'width': width}) for width in (1, 1, 2)] == [1, 1, 2]
    assert once('a', style_config={'width': 1}, verify=True) == 3
    assert once('b', style_config='pep8') == 4  # a name is handed on
