"""What a report says of a detector: for boxes, and for masks where they are evaluated."""

import heapq
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np
from mmengine.runner import TestLoop
from pycocotools.cocoeval import COCOeval

from ..datasets.image_file import read_image
from ..drawing.sheet import from_bgr
from .coco import class_names, class_table, evaluate, precisions
from .confusion import shown
from .curves import draw_curves
from .matching import Matches, confusion, count, found_table, match_all
from .mistakes import draw_mistakes
from .parts import Picture, Section, photograph
from .recording import find_metrics

KINDS = {'bbox': 'boxes', 'segm': 'masks'}
WORST = (
    'Those with the most missed and false objects, which are dashed and say what they are; an '
    'object taken for another class is both.'
)


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
        self.metrics = find_metrics(loop, CocoMetric)
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
        infos = (data.get_data_info(i) for i in range(len(data)))
        paths = {info['img_id']: info['img_path'] for info in infos}
        counts, worst = self._match(evaluation, paths)
        yield Section(f'Classes: {title}', [class_table(evaluation)])
        yield Section(f'Precision and recall: {title}', [_curves(evaluation)])
        found = found_table(evaluation, counts, self.score)
        matrix = shown(confusion(evaluation, counts, self.score))
        yield Section(f'Confusion: {title}', [found, matrix])
        drawn = [_draw(matches, paths[matches.image], evaluation) for matches in worst]
        yield Section(f'Worst pictures: {title}', drawn, WORST)

    def _match(self, evaluation: COCOeval, paths: Collection) -> tuple[np.ndarray, list[Matches]]:
        """Return the counts of a confusion matrix, and the worst pictures.

        Pictures that are annotated but not in ``paths``, as the data set is a part, count as in
        COCO; the model has not seen them, so they are not among the worst.
        """
        classes = len(evaluation.params.catIds)
        counts = np.zeros((classes + 1, classes + 1), int)
        worst: list[Matches] = []
        for matches in match_all(evaluation, self.score):
            count(matches, counts)
            if matches.image in paths and _mistakes(matches):
                worst = heapq.nlargest(self.worst, [*worst, matches], key=_mistakes)
        return counts, worst


def _mistakes(matches: Matches) -> int:
    return matches.missed() + matches.false()


def _curves(evaluation: COCOeval) -> Picture:
    thresholds = evaluation.params.iouThrs
    panels = {
        f'IoU {thresholds[0]:.2f}': precisions(evaluation, thresholds[0]),
        f'mean over IoU {thresholds[0]:.2f} to {thresholds[-1]:.2f}': precisions(evaluation, None),
    }
    return draw_curves(panels, evaluation.params.recThrs, class_names(evaluation))


def _draw(matches: Matches, path: str, evaluation: COCOeval) -> Picture:
    title = f'{Path(path).name}: {matches.missed()} missed, {matches.false()} false'
    image, kind = from_bgr(read_image(path)), evaluation.params.iouType
    return photograph(draw_mistakes(image, matches, class_names(evaluation), kind), title)
