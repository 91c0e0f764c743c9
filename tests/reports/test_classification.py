"""The report of a classifier: top-1 and top-5 are mmpretrain's."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from mmengine.evaluator import Evaluator
from PIL import Image

from vitbackbones.errors import InputError
from vitbackbones.reports.classification import ClassificationReport

pytestmark = pytest.mark.compat
CLASSES = [f'c{i}' for i in range(7)]
RIGHT, THIRD, SIXTH = 0, 2, 5  # places of the truth among the answers


def scores(truth, place):
    """Falling scores of the classes after ``truth``, which comes at ``place``."""
    others = [(truth + i) % 7 for i in range(1, 7)]
    order = [*others[:place], truth, *others[place:]]
    values = torch.empty(7)
    values[order] = torch.tensor([0.4, 0.2, 0.15, 0.1, 0.08, 0.05, 0.02]) + truth / 1000
    return values


PICTURES = [(0, RIGHT), (0, THIRD), (1, RIGHT), (2, SIXTH), (6, THIRD)]


@pytest.fixture
def report(tmp_path):
    def run(in_files=True, metric='Accuracy', worst=2):
        from mmpretrain import evaluation

        samples, pixels = [], np.full((8, 8, 3), 100, np.uint8)
        for i, (truth, place) in enumerate(PICTURES):
            path = str(tmp_path / f'{i}.png')
            Image.fromarray(pixels).save(path)
            sample = {'gt_label': torch.tensor([truth]), 'pred_score': scores(truth, place)}
            samples.append(sample | ({'img_path': path} if in_files else {'sample_idx': i}))
        data = SimpleNamespace(get_data_info=lambda place: {'img': pixels})
        loop = SimpleNamespace(dataloader=SimpleNamespace(dataset=data))
        options = {'topk': (1, 5)} if metric == 'Accuracy' else {}
        loop.evaluator = Evaluator([getattr(evaluation, metric)(**options)])
        loop.evaluator.dataset_meta = {'classes': CLASSES}
        made = ClassificationReport(loop, worst, 0.3)
        loop.evaluator.process(samples)
        return loop.evaluator.evaluate(len(samples)), [*made.sections()]

    return run


def test_shares_are_what_mmpretrain_prints_and_confusions_are_counted(report):
    metrics, (classes, section, _) = report()
    (table,) = classes.parts
    printed = [metrics['accuracy/top1'], metrics['accuracy/top5']]
    assert table.rows[-1] == ['all images', 5, *map(pytest.approx, printed), table.rows[-1][2]]
    assert table.rows[0] == ['c0', 2, 50, 100, 50]  # one that is of c6 is taken for c0
    assert [*map(str, table.rows[2])] == ['c2', '1', '0.0', '0.0', 'nan']
    assert [*map(str, table.rows[5])] == ['c5', '0', 'nan', 'nan', 'nan']
    pairs, matrix = section.parts
    assert matrix.counts.sum() == 5
    found = {tuple(row[:3]) for row in pairs.rows}
    assert found == {('c0', 'c1', 1), ('c2', 'c3', 1), ('c6', 'c0', 1)}


@pytest.mark.parametrize('in_files', [True, False])
def test_the_most_confident_mistakes_are_shown(report, in_files):
    _, (*_, section) = report(in_files)
    end = '.png' if in_files else ''
    assert [each.title for each in section.parts] == [
        f'4{end}: c0 0.406, is c6 0.156',
        f'3{end}: c3 0.402, is c2 0.052',
    ]


def test_other_metrics_have_no_report(report):
    with pytest.raises(InputError, match='test_evaluator has no Accuracy that evaluates'):
        report(metric='SingleLabelMetric')
