"""What a report says of a classifier: pictures of each class, and its most confident mistakes."""

import heapq
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from mmengine.runner import TestLoop

from ..data.loading.image_file import read_shown
from ..drawing.sheet import enlarged, from_bgr
from .page import Matrix, Section, Table, confusion_parts, count_pairs, photograph
from .recording import Record, find_metric

BEST = 5


class BestRecord(Record):
    """Keeps the best classes of each picture."""

    def process(self, data_batch: dict, data_samples: Sequence[dict]) -> None:
        for sample in data_samples:
            scores = sample['pred_score'].float().cpu()  # (C,)
            best = scores.topk(min(BEST, len(scores)))
            gt = int(sample['gt_label'])
            self.results.append(
                {
                    'path': sample.get('img_path'),
                    'place': sample.get('sample_idx'),
                    'truth': gt,
                    'score of truth': float(scores[gt]),
                    'best': best.indices.tolist(),
                    'score': float(best.values[0]),
                }
            )


class ClassificationReport:
    """Reads the classes that a test predicts; arguments and attributes as of ``Task.report``.

    Raises:
        InputError: no metric of the test is an ``Accuracy``.
    """

    chosen = None

    def __init__(self, loop: TestLoop, worst: int, score: float | None) -> None:
        from mmpretrain.evaluation import Accuracy  # here: heavy, and only classifiers need it

        find_metric(loop, Accuracy)
        self.data = loop.dataloader.dataset
        self.worst = worst
        self.classes = [str(name) for name in loop.evaluator.dataset_meta['classes']]
        self.record = BestRecord(loop)

    def sections(self) -> Iterator[Section]:
        """Yield the sections, after the test."""
        pictures = self.record.pictures
        gt = np.array([img['truth'] for img in pictures])
        best = np.array([img['best'] for img in pictures])  # (pictures, k)
        counts = count_pairs(gt, best[:, 0], len(self.classes))
        text = 'Images. Rows: the true class; columns: the class with the highest score.'
        matrix = Matrix(rows=self.classes, columns=self.classes, counts=counts, text=text)
        wrong = [img for img in pictures if img['best'][0] != img['truth']]
        yield Section('Classes', [self._class_table(gt, best)])
        yield Section('Confusion', confusion_parts(matrix, 'images'))
        worst = []
        for img in heapq.nlargest(self.worst, wrong, key=lambda img: img['score']):
            path = img['path']
            place = img['place']
            pixels = read_shown(path) if path else self.data.get_data_info(place)['img']
            name = Path(path or str(place)).name
            pred = f'{self.classes[img["best"][0]]} {img["score"]:.3f}'
            actual = f'{self.classes[img["truth"]]} {img["score of truth"]:.3f}'
            title = f'{name}: {pred}, is {actual}'
            worst.append(photograph(enlarged(from_bgr(pixels)), title))
        yield Section('Worst mistakes', worst, 'Images with the highest scores of a wrong class.')

    def _class_table(self, gt: np.ndarray, best: np.ndarray) -> Table:
        hits = gt[:, None] == best  # (pictures, k)
        rows = []
        for i, name in enumerate(self.classes):
            of_class = gt == i
            taken = best[:, 0] == i
            shares = hits[of_class, 0], hits[of_class].any(1), hits[taken, 0]
            rows.append([name, int(of_class.sum()), *map(_percent, shares)])
        shares = hits[:, 0], hits.any(1), hits[:, 0]
        return Table(
            head=['class', 'images', 'top-1', f'top-{best.shape[1]}', 'precision'],
            rows=[*rows, ['all images', len(gt), *map(_percent, shares)]],
            sums_up=True,
            digits=2,
            text=(
                'In percent. Precision: how many of the images that are predicted as a '
                'class belong to it. A dash: there are no such images.'
            ),
        )


def _percent(hits: np.ndarray) -> float:
    return float(100 * hits.mean()) if hits.size else float('nan')
