"""An evaluated metric of mmdet."""

import pytest

from . import toy


@pytest.fixture
def evaluated(tmp_path):
    """``evaluated(found, **options)`` returns a ``CocoMetric`` after its evaluation, and scores."""

    def evaluate(found=toy.FOUND, **options):
        from mmdet.evaluation import CocoMetric

        file = toy.write(tmp_path)
        metric = CocoMetric(str(file), outfile_prefix=str(tmp_path / 'found'), **options)
        metric.dataset_meta = {'classes': toy.CLASSES}
        with_masks = 'segm' in metric.metrics
        metric.process({}, [toy.sample(i, each, with_masks) for i, each in found.items()])
        return metric, metric.evaluate(len(found))

    return evaluate
