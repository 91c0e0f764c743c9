"""Scores of classes, precision over recall and matches, as pycocotools computes them.

mmdet's ``CocoMetric`` prints the mean over classes and drops the rest. Its evaluation is run once
more, with its own annotations, detections and settings, so the mean over the classes of a table
here is what it printed.
"""

import contextlib
import io
from typing import NamedTuple

import numpy as np
from mmengine.fileio import load
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from .elements import Table, count_pairs

# Columns of a table: at which IoU precision is taken (None: the mean over all), for which objects.
PRECISIONS = {
    'AP': (None, 'all'),
    'AP50': (0.5, 'all'),
    'AP75': (0.75, 'all'),
    'AP small': (None, 'small'),
    'AP medium': (None, 'medium'),
    'AP large': (None, 'large'),
}
# COCO's own limit of detections in a picture, for AP and AR; mmdet's other scores take the largest.
MOST = 100
IOU = 0.5
WHOLE = {'areaRng': [[0, 1e10]], 'areaRngLbl': ['all']}  # objects of any size, as settings


class Pair(NamedTuple):
    """An annotated object and the detection that takes it; None for what has no partner."""

    gt: dict | None
    pred: dict | None


def evaluate(metric, kind: str, score: float = 0.0, **settings) -> COCOeval:
    """Repeat the evaluation of an mmdet ``CocoMetric`` and keep all of it.

    Args:
        metric: one that was evaluated, and kept its files (``outfile_prefix``).
        kind: ``'bbox'`` or ``'segm'``.
        score: least score of a detection.
        settings: pycocotools' own parameters, in place of the metric's.
    """
    preds = load(f'{metric.outfile_prefix}.{kind}.json')
    preds = [pred for pred in preds if pred['score'] >= score]
    if kind == 'segm':
        for pred in preds:
            del pred['bbox']  # as mmdet does: the size of an object is then that of its mask
    with contextlib.redirect_stdout(io.StringIO()):
        results = metric._coco_api.loadRes(preds) if preds else COCO()
        evaluation = COCOeval(metric._coco_api, results, kind)
        given = {'catIds': metric.cat_ids, 'imgIds': metric.img_ids, 'iouThrs': metric.iou_thrs}
        given['maxDets'] = list(metric.proposal_nums)
        vars(evaluation.params).update(given | settings)
        evaluation.evaluate()
        evaluation.accumulate()
    return evaluation


def class_names(evaluation: COCOeval) -> dict[int, str]:
    """Return the names of the classes by their ids, in the order of the evaluation's arrays."""
    return {number: evaluation.cocoGt.cats[number]['name'] for number in evaluation.params.catIds}


def precisions(evaluation: COCOeval, name: str) -> np.ndarray:
    """Return the precision of a column of :data:`PRECISIONS` over recall (C, recalls).

    A row is NaN where a class has no objects.
    """
    threshold, size = PRECISIONS[name]
    params = evaluation.params
    limit = _limit(evaluation) if name == 'AP' else -1
    # (IoU, recall, class, size, most) -> (IoU, recall, class)
    values = evaluation.eval['precision'][..., params.areaRngLbl.index(size), limit]
    if threshold is not None:
        values = values[np.isclose(params.iouThrs, threshold)]
    return _or_nan(values.mean(0).T)


def _limit(evaluation: COCOeval) -> int:
    most = evaluation.params.maxDets
    return most.index(MOST) if MOST in most else -1


def _or_nan(values: np.ndarray) -> np.ndarray:
    return np.where(values < 0, np.nan, values)  # pycocotools writes -1 where there is nothing


def class_table(evaluation: COCOeval, counts: np.ndarray, score: float) -> Table:
    """Return what is known of each class, and the means over the classes that have objects.

    ``counts`` are those of :func:`count_matches`, from a ``score`` on.
    """
    columns = {name: precisions(evaluation, name).mean(1) for name in PRECISIONS}
    size = evaluation.params.areaRngLbl.index('all')
    columns['AR'] = _or_nan(evaluation.eval['recall'][..., size, _limit(evaluation)].mean(0))
    right = counts.diagonal()
    objects = counts.sum(1)
    for name, whole in (('recall', objects), ('precision', counts.sum(0))):
        columns[name] = np.where(whole, right / np.maximum(whole, 1), np.nan)[:-1]
    values = np.stack([*columns.values()], axis=1)  # (C, columns)
    names = class_names(evaluation).values()
    rows = [
        [name, int(number), *of_class.tolist()]
        for name, number, of_class in zip(names, objects[:-1], values, strict=True)
    ]
    means = map(mean_of_known, columns.values())
    return Table(
        head=['class', 'objects', *columns],
        rows=[*rows, ['mean over classes', int(objects[:-1].sum()), *means]],
        sums_up=True,
        text=(
            'AP: the mean over IoU thresholds 0.50 to 0.95; AP50 and AP75: at one threshold. AP '
            f'and AR: at most {MOST} detections per image. Small: below 32 x 32 pixels; large: '
            'at least 96 x 96. Recall (the fraction of objects that are detected) and precision '
            '(the fraction of detections that are correct) are at a score of at least '
            f'{score:g}. A dash: there are no such objects.'
        ),
    )


def mean_of_known(values: np.ndarray) -> float:
    """Return the mean of what is a number, NaN if nothing is."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else float('nan')


def match(metric, kind: str, score: float) -> dict[int | str, list[Pair]]:
    """Return pairs of an object and a detection, by the id of their picture.

    They are pycocotools' own matches where classes do not count: detections of at least ``score``
    take, from the highest score to the lowest, the free object that they overlap most. What has no
    partner is paired with None. What pycocotools ignores, as in crowds, is left out.
    """
    evaluation = evaluate(metric, kind, score, useCats=0, iouThrs=[IOU], **WHOLE)
    gts = evaluation.cocoGt.anns
    preds = evaluation.cocoDt.anns
    pairs: dict[int | str, list[Pair]] = {}
    for img in filter(None, evaluation.evalImgs):  # None: neither objects nor detections
        of_image = pairs[img['image_id']] = []
        partners = img['gtMatches'][0]  # 0 for what is missed
        for gt_id, pred_id, ignored in zip(img['gtIds'], partners, img['gtIgnore'], strict=True):
            if not ignored:
                of_image.append(Pair(gts[gt_id], preds.get(pred_id)))
        for pred_id, ignored in zip(img['dtIds'], img['dtIgnore'][0], strict=True):
            if pred_id not in partners and not ignored:
                of_image.append(Pair(None, preds[pred_id]))
    return pairs


def count_matches(pairs: dict[int | str, list[Pair]], categories: list[int]) -> np.ndarray:
    """Count pairs by class (C + 1, C + 1).

    Rows are the classes of objects, the last: nothing is there. Columns are the classes of
    detections, the last: missed.
    """
    places = {category: i for i, category in enumerate(categories)}
    of_pairs = np.array(
        [
            [places[ann['category_id']] if ann else len(places) for ann in pair]
            for of_image in pairs.values()
            for pair in of_image
        ],
        int,
    ).reshape(-1, 2)
    return count_pairs(*of_pairs.T, len(places) + 1)
