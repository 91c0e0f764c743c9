"""Scores of classes and precision over recall, read out of pycocotools' own evaluation.

mmdet's ``CocoMetric`` prints the mean over classes and drops the rest. Its evaluation is run once
more, with its own annotations, detections and settings, so the mean over the classes of a table
here is what it printed.
"""

import contextlib
import io

import numpy as np
from mmengine.fileio import load
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from .parts import Table, as_cell

# Columns of a table: what is averaged, at which IoU (None: at all), for objects of which size.
SCORES = {
    'AP': ('precision', None, 'all'),
    'AP50': ('precision', 0.5, 'all'),
    'AP75': ('precision', 0.75, 'all'),
    'AP small': ('precision', None, 'small'),
    'AP medium': ('precision', None, 'medium'),
    'AP large': ('precision', None, 'large'),
    'AR': ('recall', None, 'all'),
}
# COCO's own limit of detections in a picture, for AP and AR; mmdet's other scores take the largest.
MOST = 100


def evaluate(metric, kind: str) -> COCOeval:
    """Repeat the evaluation of an mmdet ``CocoMetric`` and keep all of it.

    Args:
        metric: one that was evaluated, and kept its files (``outfile_prefix``).
        kind: ``'bbox'`` or ``'segm'``.
    """
    found = load(f'{metric.outfile_prefix}.{kind}.json')
    if kind == 'segm':
        for each in found:
            del each['bbox']  # as mmdet does: the size of an object is then that of its mask
    with contextlib.redirect_stdout(io.StringIO()):
        evaluation = COCOeval(metric._coco_api, _results(metric._coco_api, found), kind)
        evaluation.params.catIds = metric.cat_ids
        evaluation.params.imgIds = metric.img_ids
        evaluation.params.maxDets = list(metric.proposal_nums)
        evaluation.params.iouThrs = metric.iou_thrs
        evaluation.evaluate()
        evaluation.accumulate()
    return evaluation


def _results(truth: COCO, found: list[dict]) -> COCO:
    """Return detections as pycocotools does, which fails where there are none."""
    if found:
        return truth.loadRes(found)
    nothing = COCO()
    nothing.dataset = {**truth.dataset, 'annotations': []}
    nothing.createIndex()
    return nothing


def class_names(evaluation: COCOeval) -> list[str]:
    """Return the names of the classes, in the order of the evaluation's arrays."""
    return [evaluation.cocoGt.cats[number]['name'] for number in evaluation.params.catIds]


# ------------------------------------------------------------------------ scores


def scores(evaluation: COCOeval, name: str) -> np.ndarray:
    """Return a score, by its name in :data:`SCORES`, of each class (C,); NaN without objects."""
    quantity, threshold, size = SCORES[name]
    params = evaluation.params
    values = evaluation.eval[quantity]  # (IoU, [recall,] class, size, most)
    values = values[..., params.areaRngLbl.index(size), _limit(params, name)]
    if threshold is not None:
        values = values[np.isclose(params.iouThrs, threshold)]
    return _means(values)


def _limit(params, name: str) -> int:
    if name in ('AP', 'AR') and MOST in params.maxDets:
        return params.maxDets.index(MOST)
    return -1


def _means(values: np.ndarray) -> np.ndarray:
    """Average (..., C) over all but classes; pycocotools writes -1 where there is nothing."""
    values = values.reshape(-1, values.shape[-1])  # (samples, C)
    return np.where((values < 0).all(0), np.nan, values.mean(0))


def count_objects(evaluation: COCOeval) -> list[int]:
    """Return the number of objects of each class (C,), those that COCO ignores left out."""
    params = evaluation.params
    shape = len(params.catIds), len(params.areaRng), len(params.imgIds)
    counts = [
        0 if one is None else int((one['gtIgnore'] == 0).sum()) for one in evaluation.evalImgs
    ]
    return np.reshape(counts, shape)[:, params.areaRngLbl.index('all')].sum(1).tolist()


def class_table(evaluation: COCOeval) -> Table:
    """Return the scores of each class, and their means over the classes that have objects."""
    columns = {name: scores(evaluation, name) for name in SCORES}
    counts = count_objects(evaluation)
    rows = [
        [name, count, *(as_cell(values[i]) for values in columns.values())]
        for i, (name, count) in enumerate(zip(class_names(evaluation), counts, strict=True))
    ]
    means = [as_cell(mean(values)) for values in columns.values()]
    return Table(
        head=['class', 'objects', *columns],
        rows=[*rows, ['mean over classes', sum(counts), *means]],
        sums_up=True,
        text=(
            'AP: the mean over IoU thresholds 0.50 to 0.95; AP50 and AP75: at one. AP and AR: at '
            f'most {MOST} detections in a picture. Small: below 32 x 32 pixels, large: from '
            '96 x 96. A dash: there are no such objects; the summary has -1 there.'
        ),
    )


def mean(values: np.ndarray) -> float:
    """Return the mean of what is a number, NaN if nothing is."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else float('nan')


# ------------------------------------------------------------------------ curves


def precisions(evaluation: COCOeval, threshold: float | None) -> np.ndarray:
    """Return precision over recall (C, recalls) at an IoU, or on average over all (None).

    A row is NaN where a class has no objects.
    """
    params = evaluation.params
    values = evaluation.eval['precision'][..., params.areaRngLbl.index('all'), _limit(params, 'AP')]
    if threshold is not None:
        values = values[np.isclose(params.iouThrs, threshold)]
    recalls, classes = values.shape[1:]
    return _means(values.reshape(len(values), recalls * classes)).reshape(recalls, classes).T
