"""A detector that finds nothing is measured, too."""

import pytest
from mmdet.datasets.api_wrappers import COCO, COCOeval

pytestmark = pytest.mark.compat


@pytest.fixture
def truth():
    box = {'bbox': [1, 1, 4, 4], 'area': 16, 'iscrowd': 0}
    truth = COCO()
    truth.dataset = {
        'images': [{'id': 1, 'height': 8, 'width': 8}],
        'categories': [{'id': 1, 'name': 'cup'}],
        'annotations': [{'id': 1, 'image_id': 1, 'category_id': 1, **box}],
    }
    truth.createIndex()
    return truth


def precision(truth, results):
    found = COCOeval(truth, truth.loadRes(results), 'bbox')
    found.evaluate()
    found.accumulate()
    found.summarize()
    return found.stats[0]


def test_no_detection_is_a_precision_of_0(truth):
    assert precision(truth, []) == 0
    assert len(truth.anns) == 1


def test_detections_are_loaded_as_ever(truth):
    right = [{'image_id': 1, 'category_id': 1, 'bbox': [1, 1, 4, 4], 'score': 0.9}]
    assert precision(truth, right) == pytest.approx(1)
