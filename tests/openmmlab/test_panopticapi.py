"""mmdet's panoptic metric without panopticapi: what it measures is panoptic quality."""

import json
import math

import cv2
import numpy as np
import pytest
import torch

import vitbackbones  # noqa: F401  makes the stand-in before mmdet looks for panopticapi
from vitbackbones.data.loading.coco_masks import to_ids
from vitbackbones.data.shapes.writing import KINDS, write
from vitbackbones.openmmlab.panopticapi import PQStat

pytestmark = pytest.mark.compat
CATEGORIES = {1: {'isthing': 1}, 2: {'isthing': 1}, 3: {'isthing': 0}}


def test_qualities_are_averaged_over_the_classes_that_occur():
    first, second = PQStat(), PQStat()
    first[1].tp, first[1].iou, first[1].fp = 1, 0.9, 1
    second[1].tp, second[1].iou, second[1].fn = 1, 0.7, 1
    second[3].fn = 2
    first += second
    mean, each = first.pq_average(CATEGORIES, isthing=None)
    assert each[1] == pytest.approx({'pq': 1.6 / 3, 'sq': 0.8, 'rq': 2 / 3})
    assert each[2] == each[3] == {'pq': 0, 'sq': 0, 'rq': 0}
    assert mean == pytest.approx({'pq': 0.8 / 3, 'sq': 0.4, 'rq': 1 / 3, 'n': 2})
    assert first.pq_average(CATEGORIES, isthing=True)[0]['n'] == 1
    nothing, _ = PQStat().pq_average(CATEGORIES, isthing=False)
    assert math.isnan(nothing['pq'])


@pytest.fixture
def measured(tmp_path):
    """Return what mmdet measures for predictions (H, W), made from labels and segments."""
    from mmdet.evaluation import CocoPanopticMetric

    root = write(tmp_path / 'shapes', train=1, val=3, size=64)
    folder = root / 'annotations' / 'panoptic_val'
    entries = json.loads(folder.with_suffix('.json').read_text())['annotations']

    def measure(predict):
        metric = CocoPanopticMetric(f'{folder}.json', str(folder))
        metric.dataset_meta = {'classes': (*KINDS, 'ground'), 'thing_classes': KINDS}
        for entry in entries:
            ids = to_ids(cv2.imread(str(folder / entry['file_name']))[..., ::-1])
            found = torch.from_numpy(predict(ids, entry['segments_info']))[None]
            sample = {'img_id': entry['image_id'], 'ori_shape': (64, 64)}
            sample |= {'img_path': entry['file_name'], 'pred_panoptic_seg': {'sem_seg': found}}
            metric.process({}, [sample])
        return metric.compute_metrics(metric.results)

    return measure


def truth(ids, infos):
    """The annotated segments in mmdet's numbers: the label and 1000 for every thing before."""
    found = np.full(ids.shape, 4, np.int32)  # void
    for place, info in enumerate(infos):
        is_thing = info['category_id'] < 4
        found[ids == info['id']] = info['category_id'] - 1 + 1000 * (place + 1) * is_thing
    return found


def test_the_truth_is_perfect_and_the_ground_alone_misses_all_things(measured):
    found = measured(truth)
    assert [found[name] for name in ('PQ', 'PQ_th', 'PQ_st')] == [100, 100, 100]
    found = measured(lambda ids, infos: np.where(truth(ids, infos) == 3, 3, 4).astype(np.int32))
    assert (found['PQ_th'], found['PQ_st']) == (0, 100)
