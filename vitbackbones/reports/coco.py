"""Scores of classes, precision over recall and matches, as pycocotools computes them.

mmdet's ``CocoMetric`` prints the mean over classes and drops the rest. Here the curves that it has
computed are kept, and evaluations at one IoU, with its own annotations and detections, say which
detection takes which object.
"""

import contextlib
import gc
import io
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from mmengine.fileio import load

from ..data.checks.coco_file import many_objects
from ..openmmlab.runs import told_of_evaluations
from ..utils.grouping import by_key
from .page import Table, count_pairs

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


class Curves(NamedTuple):
    """What an evaluation of COCO has found: its ``eval``, ``params`` and annotations."""

    eval: dict
    params: Any
    cocoGt: Any


class Pair(NamedTuple):
    """An annotated object and the detection that takes it; None for what has no partner."""

    gt: dict | None
    pred: dict | None


def keep_curves(metric) -> dict[str, Curves]:
    """Let an mmdet ``CocoMetric`` keep its curves when it is evaluated.

    Returns:
        What it will keep, by ``'bbox'`` or ``'segm'``: nothing but curves, as the matches of a
        large set fill the memory.
    """
    kept: dict[str, Curves] = {}
    compute = metric.compute_metrics

    def keep(evaluation, annotations, kind):
        summarize = evaluation.summarize

        def summarize_and_keep():
            summarize()
            if evaluation.params.useCats:  # those of proposals have no classes
                kept[kind] = Curves(evaluation.eval, evaluation.params, annotations)

        evaluation.summarize = summarize_and_keep

    def compute_and_keep(results):
        with told_of_evaluations(keep):
            return compute(results)

    metric.compute_metrics = compute_and_keep
    return kept


def evaluate(metric, kind: str, score: float = 0.0, **settings):
    """Repeat the evaluation of an mmdet ``CocoMetric`` and keep all of it.

    Args:
        metric: one that was evaluated, and kept its files (``outfile_prefix``).
        kind: ``'bbox'`` or ``'segm'``.
        score: least score of a detection.
        settings: pycocotools' own parameters, in place of the metric's.
    """
    from mmdet.evaluation.metrics import coco_metric

    gc.collect()  # an earlier evaluation, whose objects refer to each other
    with contextlib.redirect_stdout(io.StringIO()), many_objects():
        preds = load(f'{metric.outfile_prefix}.{kind}.json')
        preds = [pred for pred in preds if pred['score'] >= score]
        if kind == 'segm':
            for pred in preds:
                del pred['bbox']  # as mmdet does: the size of an object is then that of its mask
        results = metric._coco_api.loadRes(preds)
        evaluation = coco_metric.COCOeval(metric._coco_api, results, kind)
        given = {'catIds': metric.cat_ids, 'imgIds': metric.img_ids, 'iouThrs': metric.iou_thrs}
        given['maxDets'] = list(metric.proposal_nums)
        vars(evaluation.params).update(given | settings)
        evaluation.evaluate()
        evaluation.accumulate()
    return evaluation


class Group(NamedTuple):
    """Detections of a picture, best first; of one category, or of all (-1)."""

    image: int | str
    category: int
    preds: list[dict]


def looked_at(evaluation) -> Iterator[Group]:
    """Yield the detections that an evaluation has looked at, one category after the other."""
    params = evaluation._paramsEval  # accumulating without categories changes the others
    groups = by_key(evaluation.cocoDt.anns.values(), itemgetter('category_id', 'image_id'))
    for category in params.catIds if params.useCats else [-1]:
        for image in params.imgIds:
            several = params.catIds if category == -1 else [category]
            preds = [pred for each in several for pred in groups.get((each, image), ())]
            preds.sort(key=lambda pred: -pred['score'])
            if preds:
                yield Group(image, category, preds[: params.maxDets[-1]])


def matches(evaluation) -> dict[int, int]:
    """Return the object that each detection takes at the first IoU, by their ids."""
    if 'matched' in evaluation.eval:  # of faster-coco-eval
        return {
            int(pred): int(gt) for pred, gt in (k.split('_') for k in evaluation.eval['matched'])
        }
    found = {}
    for img in filter(None, evaluation.evalImgs):  # None: neither objects nor detections
        pairs = zip(img['dtIds'], img['dtMatches'][0].astype(int).tolist(), strict=True)
        found.update((pred, gt) for pred, gt in pairs if gt)  # 0: it takes none
    return found


def class_names(evaluation: Curves) -> dict[int, str]:
    """Return the names of the classes by their ids, in the order of the evaluation's arrays."""
    return {number: evaluation.cocoGt.cats[number]['name'] for number in evaluation.params.catIds}


def precisions(evaluation: Curves, name: str) -> np.ndarray:
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


def _limit(evaluation: Curves) -> int:
    most = evaluation.params.maxDets
    return most.index(MOST) if MOST in most else -1


def _or_nan(values: np.ndarray) -> np.ndarray:
    return np.where(values < 0, np.nan, values)  # pycocotools writes -1 where there is nothing


def class_table(evaluation: Curves, counts: np.ndarray, score: float) -> Table:
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
    taken = matches(evaluation)
    takers = {gt: evaluation.cocoDt.anns[pred] for pred, gt in taken.items()}
    categories = {*evaluation._paramsEval.catIds}
    pairs: dict[int | str, list[Pair]] = defaultdict(list)
    for image in evaluation.params.imgIds:
        for gt in evaluation.cocoGt.imgToAnns[image]:
            if gt['category_id'] in categories and not gt.get('iscrowd'):
                pairs[image].append(Pair(gt, takers.get(gt['id'])))
    for image, _, preds in looked_at(evaluation):
        pairs[image] += [Pair(None, pred) for pred in preds if pred['id'] not in taken]
    return pairs


def count_matches(pairs: dict[int | str, list[Pair]], categories: list[int]) -> np.ndarray:
    """Count pairs by class (C + 1, C + 1).

    Rows are the classes of objects, the last: nothing is there. Columns are the classes of
    detections, the last: missed.
    """
    places = {category: i for i, category in enumerate(categories)}
    rows = [
        [places[ann['category_id']] if ann else len(places) for ann in pair]
        for pair in chain.from_iterable(pairs.values())
    ]
    return count_pairs(*np.array(rows, int).reshape(-1, 2).T, len(places) + 1)
