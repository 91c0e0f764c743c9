"""An evaluated metric of mmdet."""

import pytest
from mmdet.evaluation.metrics import coco_metric
from pycocotools import cocoeval

from . import toy


@pytest.fixture(params=['pycocotools', 'faster-coco-eval'])
def evaluated(request, tmp_path, monkeypatch):
    """``evaluated(found, **options)`` returns a ``CocoMetric`` after its evaluation, and scores."""
    if request.param == 'pycocotools':
        monkeypatch.setattr(coco_metric, 'COCOeval', cocoeval.COCOeval)
    else:
        pytest.importorskip('faster_coco_eval')

    def evaluate(found=toy.FOUND, **options):
        from mmdet.evaluation import CocoMetric

        file = toy.write(tmp_path)
        metric = CocoMetric(str(file), outfile_prefix=str(tmp_path / 'found'), **options)
        metric.dataset_meta = {'classes': toy.CLASSES}
        with_masks = 'segm' in metric.metrics
        metric.process({}, [toy.sample(i, each, with_masks) for i, each in found.items()])
        return metric, metric.evaluate(len(found))

    return evaluate
