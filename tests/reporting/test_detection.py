"""The report of a detector, from the metrics of its test."""

from types import SimpleNamespace

import pytest

from vitbackbones.errors import InputError
from vitbackbones.reporting.detection import DetectionReport

from . import toy

pytestmark = pytest.mark.compat


class Pictures(list):
    """A data set of files."""

    get_data_info = list.__getitem__


@pytest.fixture
def report(tmp_path):
    """``report(options of a metric, ...)`` runs a test of two halves and returns the sections."""

    def run(*settings, evaluator=None, worst=2):
        from mmdet.evaluation import CocoMetric
        from mmengine.evaluator import Evaluator

        file = toy.write(tmp_path)
        data = Pictures({'img_id': i, 'img_path': str(tmp_path / f'{i}.png')} for i in toy.BOXES)
        data.datasets = [data] * len(settings)
        loop = SimpleNamespace(dataloader=SimpleNamespace(dataset=data))
        loop.evaluator = (evaluator or Evaluator)([CocoMetric(str(file), **s) for s in settings])
        for metric in loop.evaluator.metrics:
            metric.dataset_meta = {'classes': toy.CLASSES}
        made = DetectionReport(loop, worst, 0.3)
        loop.evaluator.process([toy.sample(i, each, True) for i, each in toy.FOUND.items()])
        metrics = loop.evaluator.evaluate(len(data))
        return metrics, {each.title: each for each in made.sections()}

    return run


def test_boxes_and_masks(report):
    metrics, sections = report({'metric': ['bbox', 'segm', 'proposal']})
    subjects = ('Classes', 'Precision and recall', 'Confusion', 'Worst pictures')
    assert [*sections] == [f'{each}: {kind}' for kind in ('boxes', 'masks') for each in subjects]
    for title, kind in (('boxes', 'bbox'), ('masks', 'segm')):
        (table,) = sections[f'Classes: {title}'].parts
        assert table.rows[-1][2] == pytest.approx(metrics[f'coco/{kind}_mAP'], abs=5.1e-4)
        titles = [each.title for each in sections[f'Worst pictures: {title}'].parts]
        assert titles == ['1.png: 1 missed, 2 false', '2.png: 1 missed, 1 false']


def test_each_of_several_metrics_is_told_apart(report):
    _, sections = report({'prefix': 'a'}, {'prefix': 'b'})
    titles = [title for title in sections if title.startswith('Classes')]
    assert titles == ['Classes: boxes, a (1)', 'Classes: boxes, b (2)']


def test_pictures_without_a_mistake_are_not_among_the_worst(report, monkeypatch):
    right = {i: [(label, 0.9, box) for label, box in own] for i, own in toy.BOXES.items()}
    monkeypatch.setattr(toy, 'FOUND', right)
    _, sections = report({}, worst=16)
    assert [*sections['Worst pictures: boxes'].parts] == []
    assert sections['Classes: boxes'].parts[0].rows[-1][2] == pytest.approx(1)


def test_a_test_without_a_coco_metric_has_no_report(report):
    with pytest.raises(InputError, match='no CocoMetric'):
        report()
    with pytest.raises(InputError, match='no CocoMetric'):
        report({'format_only': True, 'outfile_prefix': 'x'})
