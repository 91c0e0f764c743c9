"""What a report says of a detector: for boxes, and for masks where they are evaluated."""

import heapq
import tempfile
from collections.abc import Iterator
from pathlib import Path

from mmengine.runner import TestLoop

from ...data.loading.image_file import read_image
from ...inference.drawing.sheet import from_bgr
from .coco import IOU, class_names, class_table, count_matches, evaluate, match, precisions
from .elements import Matrix, Picture, Section, confusion_parts, photograph
from .mistakes import count_mistakes, draw_mistakes
from .precision_recall import draw_curves
from .recording import find_metrics

KINDS = {'bbox': 'boxes', 'segm': 'masks'}
PANELS = {'AP50': 'IoU 0.50', 'AP': 'mean over IoU thresholds'}
COUNTED = (
    'Rows: what is there; columns: what was found. Detections with a score of at least {score:g}, '
    f'from the highest to the lowest, each take the free object that they overlap most (IoU at '
    f'least {IOU}). Objects that nothing takes are in the last column; detections that take no '
    'object are in the last row. Those in crowd regions are left out.'
)
WORST = (
    'Those with the most missed and false objects, which have thick orange outlines and say what '
    'they are; an object taken for another class is both.'
)


class DetectionReport:
    """Reads what the COCO metrics of a test are based on, which are made to keep their detections.

    The arguments are those of ``Task.report``.

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
        from mmdet.evaluation import MultiDatasetsEvaluator  # here: heavy, as above

        for i, metric in self.metrics.items():
            data = self.loop.dataloader.dataset
            if isinstance(self.loop.evaluator, MultiDatasetsEvaluator):  # each has its metric
                data = data.datasets[i]
            for kind, title in KINDS.items():
                if kind in metric.metrics:
                    if len(self.metrics) > 1:
                        title = f'{title}, {metric.prefix} ({i + 1})'
                    yield from self._about(title, metric, kind, data)
        self.folder.cleanup()

    def _about(self, title: str, metric, kind: str, data) -> Iterator[Section]:
        evaluation, pairs = evaluate(metric, kind), match(metric, kind, self.score)
        names = class_names(evaluation)
        counts = count_matches(pairs, [*names])
        sides = {'rows': [*names.values(), '(nothing)'], 'columns': [*names.values(), '(missed)']}
        matrix = Matrix(**sides, counts=counts, text=COUNTED.format(score=self.score))
        panels = {text: precisions(evaluation, name) for name, text in PANELS.items()}
        curves = draw_curves(panels, evaluation.params.recThrs, [*names.values()])
        worst = [*self._draw_worst(pairs, names, kind, data)]
        yield Section(f'Classes: {title}', [class_table(evaluation, counts, self.score)])
        yield Section(f'Precision and recall: {title}', [curves])
        yield Section(f'Confusion: {title}', confusion_parts(matrix, 'objects'))
        yield Section(f'Worst pictures: {title}', worst, WORST)

    def _draw_worst(self, pairs: dict, names: dict[int, str], kind: str, data) -> Iterator[Picture]:
        """Draw the worst pictures that the model has seen; the data set may be a part of all."""
        infos = (data.get_data_info(i) for i in range(len(data)))
        paths = {info['img_id']: info['img_path'] for info in infos}
        mistakes = {image: count_mistakes(pairs.get(image, ())) for image in paths}
        for image in heapq.nlargest(self.worst, mistakes, key=lambda image: sum(mistakes[image])):
            missed, false = mistakes[image]
            if missed or false:
                picture = from_bgr(read_image(paths[image]))
                drawn = draw_mistakes(picture, pairs[image], names, kind)
                title = f'{Path(paths[image]).name}: {missed} missed, {false} false'
                yield photograph(drawn, title)
