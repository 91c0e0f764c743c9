"""What a report says of a classifier: pictures of each class, and its most confident mistakes."""

import heapq
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from mmengine.runner import TestLoop

from ..datasets.image_file import read_image
from ..drawing.sheet import enlarged, from_bgr
from .confusion import count_pairs, pairs_table, shown
from .parts import Matrix, Picture, Section, Table, photograph
from .recording import Record, add_record, find_metrics

BEST = 5


class BestRecord(Record):
    """Keeps the best classes of each picture."""

    def process(self, data_batch: dict, data_samples: Sequence[dict]) -> None:
        for sample in data_samples:
            scores = sample['pred_score'].float().cpu()  # (C,)
            best = scores.topk(min(BEST, len(scores)))
            truth = int(sample['gt_label'])
            self.results.append(
                {
                    'path': sample.get('img_path'),
                    'place': sample.get('sample_idx'),
                    'truth': truth,
                    'best': best.indices.tolist(),
                    'score': float(best.values[0]),
                    'score of truth': float(scores[truth]),
                }
            )


class ClassificationReport:
    """Reads the classes that a test predicts.

    Args:
        loop: of the test, before it runs.
        worst: how many pictures are shown.
        score: for detectors alone.

    Raises:
        InputError: no metric of the test is an ``Accuracy``.
    """

    def __init__(self, loop: TestLoop, worst: int, score: float) -> None:
        from mmpretrain.evaluation import Accuracy  # here: heavy, and only classifiers need it

        find_metrics(loop, Accuracy)
        self.data, self.worst = loop.dataloader.dataset, worst
        self.classes = [str(name) for name in loop.evaluator.dataset_meta['classes']]
        self.record = BestRecord()
        add_record(loop, self.record)

    def sections(self) -> Iterator[Section]:
        """Yield the sections, after the test."""
        pictures, number = self.record.pictures, len(self.classes)
        truth = np.array([each['truth'] for each in pictures])
        best = np.array([each['best'] for each in pictures])  # (pictures, k)
        matrix = Matrix(
            rows=self.classes,
            columns=self.classes,
            counts=count_pairs(truth, best[:, 0], number),
            classes=number,
            text='Pictures. Rows: what they are; columns: the best class that was predicted.',
        )
        yield Section('Classes', [self._class_table(truth, best)])
        yield Section('Confusion', [pairs_table(matrix, 'pictures'), shown(matrix)])
        wrong = [each for each in pictures if each['best'][0] != each['truth']]
        worst = heapq.nlargest(self.worst, wrong, key=lambda each: each['score'])
        yield Section(
            'Worst mistakes',
            [self._draw(each) for each in worst],
            text='Those with the highest score of a wrong class.',
        )

    def _class_table(self, truth: np.ndarray, best: np.ndarray) -> Table:
        hits = truth[:, None] == best  # (pictures, k)
        first, any_of_them = hits[:, 0], hits.any(1)
        rows = []
        for i, name in enumerate([*self.classes, 'all pictures']):
            own = truth == i if i < len(self.classes) else np.ones(len(truth), bool)
            answered = best[:, 0] == i if i < len(self.classes) else own
            shares = (first[own], any_of_them[own], first[answered])
            rows.append([name, int(own.sum()), *map(_percent, shares)])
        return Table(
            head=['class', 'pictures', 'top-1', f'top-{best.shape[1]}', 'precision'],
            rows=rows,
            sums_up=True,
            digits=2,
            text='In percent. Precision: how many of the pictures that are taken for a class are '
            'of it. A dash: there are none.',
        )

    def _draw(self, picture: dict) -> Picture:
        path = picture['path']
        pixels = read_image(path) if path else self.data.get_data_info(picture['place'])['img']
        truth, answer = self.classes[picture['truth']], self.classes[picture['best'][0]]
        title = (
            f'{Path(path or str(picture["place"])).name}: {answer} {picture["score"]:.3f}, is '
            f'{truth} {picture["score of truth"]:.3f}'
        )
        return photograph(enlarged(from_bgr(pixels)), title)


def _percent(hits: np.ndarray) -> float | None:
    return float(100 * hits.mean()) if hits.size else None
