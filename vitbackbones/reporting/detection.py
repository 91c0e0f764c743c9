"""What a report says of a detector: for boxes, and for masks where they are evaluated."""

import heapq
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from mmengine.runner import TestLoop
from pycocotools.cocoeval import COCOeval

from ..datasets.load_image import read_image
from ..drawing.sheet import from_bgr
from ..errors import InputError
from .coco import class_names, class_table, evaluate, precisions
from .confusion import shown
from .curves import draw_curves
from .matching import Matches, confusion, count, found_table, match_all
from .mistakes import draw_mistakes
from .parts import Section, photograph

KINDS = {'bbox': 'boxes', 'segm': 'masks'}


class DetectionReport:
    """Reads what the COCO metrics of a test are based on.

    Args:
        loop: of the test, before it runs; its metrics are made to keep their detections.
        worst: how many pictures are shown.
        score: least score of a detection that counts in confusion matrix and pictures.

    Raises:
        InputError: no metric of the test is a ``CocoMetric``.
    """

    def __init__(self, loop: TestLoop, worst: int, score: float) -> None:
        from mmdet.evaluation import CocoMetric  # here: heavy, and only detectors need it

        self.loop, self.worst, self.score = loop, worst, score
        self.metrics = {
            i: metric
            for i, metric in enumerate(loop.evaluator.metrics)
            if isinstance(metric, CocoMetric) and not metric.format_only
        }
        if not self.metrics:
            raise InputError('--report: test_evaluator has no CocoMetric that evaluates')
        self.folder = tempfile.TemporaryDirectory()
        for i, metric in self.metrics.items():
            metric.outfile_prefix = metric.outfile_prefix or str(Path(self.folder.name, str(i)))

    def sections(self) -> Iterator[Section]:
        """Yield the sections of each metric and kind, after the test."""
        for i, metric in self.metrics.items():
            for kind in (kind for kind in KINDS if kind in metric.metrics):
                title = KINDS[kind]
                if len(self.metrics) > 1:
                    title = f'{title}, {metric.prefix} ({i + 1})'
                yield from self._about(title, evaluate(metric, kind), self._data_set(i))
        self.folder.cleanup()

    def _data_set(self, number: int):
        """Return the data set that a metric is about: one of several have metrics of their own."""
        from mmdet.evaluation import MultiDatasetsEvaluator  # here: heavy, as above

        data = self.loop.dataloader.dataset
        apart = isinstance(self.loop.evaluator, MultiDatasetsEvaluator)
        return data.datasets[number] if apart else data

    def _about(self, title: str, evaluation: COCOeval, data) -> Iterator[Section]:
        classes, kind = class_names(evaluation), evaluation.params.iouType
        counts = np.zeros((len(classes) + 1,) * 2, int)
        matched = _counted(match_all(evaluation, self.score), counts)
        worst = heapq.nlargest(self.worst, matched, key=_mistakes)  # keeps no more than these
        yield Section(f'Classes: {title}', [class_table(evaluation)])
        yield Section(f'Precision and recall: {title}', [_curves(evaluation)])
        yield Section(
            f'Confusion: {title}',
            [
                found_table(evaluation, counts, self.score),
                shown(confusion(evaluation, counts, self.score)),
            ],
        )
        bad = [matches for matches in worst if _mistakes(matches)]
        yield Section(
            f'Worst pictures: {title}',
            [_draw(matches, path, classes, kind) for matches, path in _paths(bad, data)],
            text=(
                'Those with the most missed and false objects, which are dashed and say what they '
                'are; an object taken for another class is both.'
            ),
        )


def _counted(pictures: Iterable[Matches], counts: np.ndarray) -> Iterator[Matches]:
    """Add each picture to ``counts`` as it goes by."""
    for matches in pictures:
        count(matches, counts)
        yield matches


def _mistakes(matches: Matches) -> int:
    return matches.missed() + matches.false()


def _curves(evaluation: COCOeval):
    thresholds = evaluation.params.iouThrs
    panels = {
        f'IoU {thresholds[0]:.2f}': precisions(evaluation, thresholds[0]),
        f'mean over IoU {thresholds[0]:.2f} to {thresholds[-1]:.2f}': precisions(evaluation, None),
    }
    return draw_curves(panels, evaluation.params.recThrs, class_names(evaluation))


def _paths(chosen: list[Matches], data) -> Iterator[tuple[Matches, str]]:
    """Yield matches with the file of their image."""
    infos = (data.get_data_info(i) for i in range(len(data)))
    paths = {info['img_id']: info['img_path'] for info in infos}
    for matches in chosen:
        yield matches, paths[matches.image]


def _draw(matches: Matches, path: str, classes: list[str], kind: str):
    title = f'{Path(path).name}: {matches.missed()} missed, {matches.false()} false'
    return photograph(draw_mistakes(from_bgr(read_image(path)), matches, classes, kind), title)
