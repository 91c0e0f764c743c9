"""The report of a segmentor: the numbers are mmseg's, the pictures those with most wrong pixels."""

from math import nan
from types import SimpleNamespace

import cv2
import numpy as np
import pytest
import torch
from mmengine.evaluator import Evaluator

from vitbackbones.errors import InputError
from vitbackbones.reports import segmentation
from vitbackbones.reports.segmentation import WRONG, SegmentationReport

pytestmark = pytest.mark.compat
META = {
    'classes': ('road', 'tree', 'sign'),
    'palette': [[128, 64, 128], [107, 142, 35], [220, 220, 0]],
}
IGNORED = 255


def maps():
    """Three pictures of 4 x 4: all right, three pixels wrong, all wrong; a row is ignored."""
    truth = np.zeros((3, 4, 4), np.uint8)
    truth[:, :2] = 1
    truth[:, 3] = IGNORED
    answer = np.where(truth == IGNORED, 2, truth)
    answer[1, 0, :3] = 2
    answer[2] = 1 - np.minimum(answer[2], 1)
    return truth, answer


@pytest.fixture
def report(tmp_path):
    def run(worst=2, **settings):
        from mmseg.evaluation import IoUMetric

        settings = {'iou_metrics': ['mIoU', 'mFscore'], **settings}
        loop = SimpleNamespace(evaluator=Evaluator([IoUMetric(**settings)]))
        loop.evaluator.dataset_meta = META
        made = SegmentationReport(loop, worst, 0.3)
        for i, (truth, answer) in enumerate(zip(*maps(), strict=True)):
            path = str(tmp_path / f'{i}.png')
            cv2.imwrite(path, np.full((4, 4, 3), 90, np.uint8))
            named = {'gt_sem_seg': truth, 'pred_sem_seg': answer.astype(int)}
            data = {key: {'data': torch.from_numpy(each)[None]} for key, each in named.items()}
            loop.evaluator.process([{'img_path': path, **data}])
        metrics = loop.evaluator.evaluate(3)
        return metrics, {each.title: each for each in made.sections()}

    return run


def test_means_over_classes_are_what_mmseg_prints(report):
    metrics, sections = report()
    (table,) = sections['Classes'].parts
    names = ('mIoU', 'mAcc', 'mPrecision', 'mFscore')
    assert table.rows[-1][2:] == pytest.approx([metrics[name] for name in names], abs=6e-3)
    pixels = dict(row[:2] for row in table.rows)
    assert pixels == {'road': 12, 'tree': 24, 'sign': 0, 'mean over classes': 36}


def test_scores_and_pixels_without_ignored_ones_by_hand(report):
    _, sections = report()
    (table,) = sections['Classes'].parts
    assert table.head == ['class', 'pixels', 'IoU', 'accuracy', 'precision', 'F score']
    road, tree, sign = (row[2:] for row in table.rows[:3])
    # of 12 pixels of road 8 are right, and 8 of trees are taken for road
    assert road == pytest.approx([100 * 8 / 20, 100 * 8 / 12, 100 * 8 / 16, 100 * 16 / 28])
    assert tree[0] == pytest.approx(100 * 13 / 28)
    # no sign is there, but three pixels are taken for one
    assert sign == pytest.approx([0, nan, 0, nan], nan_ok=True)
    pairs, matrix = sections['Confusion'].parts
    assert matrix.counts.tolist() == [[8, 4, 0], [8, 13, 3], [0, 0, 0]]
    assert pairs.rows[0] == ['tree', 'road', 8, pytest.approx(100 * 8 / 24)]


def test_the_worst_come_first_and_right_ones_not_at_all(report):
    pictures = report(worst=2)[1]['Worst images'].parts
    assert [each.title for each in pictures] == ['2.png: 100.0 % wrong', '1.png: 25.0 % wrong']
    assert len(report(worst=1)[1]['Worst images'].parts) == 1
    assert len(report(worst=16)[1]['Worst images'].parts) == 2


def test_results_that_are_only_written_have_no_report(report, tmp_path):
    with pytest.raises(InputError, match='no IoUMetric that evaluates'):
        report(format_only=True, output_dir=str(tmp_path))


def test_wrong_pixels_that_count_are_marked(report, monkeypatch):
    drawn = []
    beside = segmentation.side_by_side
    monkeypatch.setattr(
        segmentation, 'side_by_side', lambda panels: drawn.append(dict(panels)) or beside(panels)
    )
    report(worst=2)
    titles = ['ground truth', 'prediction', 'wrong pixels']
    assert [list(panels) for panels in drawn] == [titles, titles]
    wrong = np.asarray(drawn[1]['wrong pixels'].resize((4, 4), 0))
    marked = (np.abs(wrong.astype(int) - WRONG) < 30).all(-1)
    assert marked.tolist() == [[True] * 3 + [False], *[[False] * 4] * 3]
    assert np.abs(wrong[2, 2].astype(int) - 90 // 3).max() <= 1
    (table,) = report()[1]['Classes'].parts
    assert (table.sums_up, table.digits) == (True, 2)
