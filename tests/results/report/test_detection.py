"""The report of a detector, from the metrics of its test."""

from functools import partial
from types import SimpleNamespace

import pytest

from vitbackbones.errors import InputError
from vitbackbones.results.report.detection import DetectionReport

from . import toy

pytestmark = pytest.mark.compat


class Pictures(list):
    """A data set of files."""

    get_data_info = list.__getitem__


@pytest.fixture
def report(tmp_path):
    """``report(options of a metric, ...)`` runs a test of two halves and returns the sections."""

    def run(*settings, apart=False, worst=2):
        from mmdet.evaluation import CocoMetric, MultiDatasetsEvaluator
        from mmengine.evaluator import Evaluator

        file, sets = toy.write(tmp_path), len(settings) if apart else 1
        own = Pictures({'img_id': i, 'img_path': str(tmp_path / f'{i}.png')} for i in toy.SHOWN)
        data = Pictures(own * sets)
        data.datasets = [own] * sets
        metrics = [CocoMetric(str(file), **each) for each in settings]
        loop = SimpleNamespace(dataloader=SimpleNamespace(dataset=data))
        kind = partial(MultiDatasetsEvaluator, dataset_prefixes='ab') if apart else Evaluator
        loop.evaluator = kind(metrics)
        loop.evaluator.dataset_meta = {'classes': toy.CLASSES, 'cumulative_sizes': [3, 6]}
        made = DetectionReport(loop, worst, 0.3)
        samples = [toy.sample(i, each, True) for i, each in toy.FOUND.items()]
        loop.evaluator.process(samples * sets)
        return loop.evaluator.evaluate(len(data)), {each.title: each for each in made.sections()}

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


def test_data_sets_with_metrics_of_their_own(report):
    metrics, sections = report({}, {}, apart=True)
    for i, name in enumerate('ab', start=1):
        (table,) = sections[f'Classes: boxes, coco ({i})'].parts
        expected = metrics[f'{name}/coco/bbox_mAP']
        assert table.rows[-1][1:3] == [3, pytest.approx(expected, abs=5.1e-4)]
        assert len(sections[f'Worst pictures: boxes, coco ({i})'].parts) == 2


def test_pictures_without_a_mistake_are_not_among_the_worst(report, monkeypatch):
    right = {i: [(label, 0.9, box) for label, box in own] for i, own in toy.BOXES.items()}
    monkeypatch.setattr(toy, 'FOUND', right)
    _, sections = report({}, worst=16)
    assert [*sections['Worst pictures: boxes'].parts] == []
    assert sections['Classes: boxes'].parts[0].rows[-1][2] == pytest.approx(1)


def test_no_detections_at_all(report, monkeypatch):
    monkeypatch.setattr(toy, 'FOUND', {i: [] for i in toy.BOXES})
    metrics, sections = report({'metric': ['bbox', 'segm']})
    assert metrics['coco/bbox_mAP'] == metrics['coco/segm_mAP'] == 0
    for kind in ('boxes', 'masks'):
        titles = [each.title for each in sections[f'Worst pictures: {kind}'].parts]
        assert titles == ['1.png: 2 missed, 0 false', '2.png: 1 missed, 0 false']
        assert sections[f'Classes: {kind}'].parts[0].rows[-1][1:3] == [3, 0]


def test_of_a_part_of_the_pictures_the_others_are_not_shown(report, monkeypatch):
    monkeypatch.delitem(toy.FOUND, 1)
    monkeypatch.setattr(toy, 'SHOWN', [2, 3])
    _, sections = report({})
    titles = [each.title for each in sections['Worst pictures: boxes'].parts]
    assert titles == ['2.png: 1 missed, 1 false', '3.png: 0 missed, 1 false']
    assert sections['Classes: boxes'].parts[0].rows[0][1] == 2  # as for pycocotools


def test_a_test_without_a_coco_metric_has_no_report(report):
    with pytest.raises(InputError, match='no CocoMetric'):
        report()
    with pytest.raises(InputError, match='no CocoMetric'):
        report({'format_only': True, 'outfile_prefix': 'x'})
