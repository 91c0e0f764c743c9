"""Runs: a detector that finds nothing is measured, and a config's text is laid out once."""

import pytest
from mmdet.datasets.api_wrappers import COCO, COCOeval

import vitbackbones  # noqa: F401  patches yapf
from vitbackbones.openmmlab.runs import lay_out_once

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


def test_a_text_is_laid_out_once_in_each_style():
    calls = []
    once = lay_out_once(lambda *given, **options: calls.append((given, options)) or len(calls))
    assert [once('a', style_config={'width': width}) for width in (1, 1, 2)] == [1, 1, 2]
    assert once('a', style_config={'width': 1}, verify=True) == 3
    assert once('b', style_config='pep8') == 4  # a name is handed on
