"""What a report says of a segmentor: pixels of each class, and where most of them are wrong."""

import heapq
from collections.abc import Iterator, Sequence
from operator import itemgetter
from pathlib import Path

import numpy as np
import torch
from mmengine.runner import TestLoop
from PIL import Image

from ..data.loading import IGNORED
from ..data.loading.image_file import read_shown
from ..drawing.predictions import legend, overlay
from ..drawing.sheet import GAP, below, enlarged, from_bgr, side_by_side
from .page import Matrix, Picture, Section, Table, confusion_parts, count_pairs, photograph
from .recording import Record, find_metric

# Columns of the table: what mmseg's IoUMetric calls them.
SCORES = {'IoU': 'IoU', 'accuracy': 'Acc', 'precision': 'Precision', 'F score': 'Fscore'}
WRONG = (213, 94, 0)  # of Okabe and Ito's colors
wrong_share = itemgetter('wrong share')  # of a picture: of its labeled pixels


class PixelRecord(Record):
    """Counts labels by predictions in each picture, and keeps the maps of the ``worst``."""

    def __init__(self, loop: TestLoop, worst: int, ignored: int) -> None:
        super().__init__(loop)
        self.worst = worst
        self.ignored = ignored
        self.kept: list[dict] = []  # of this process

    def process(self, data_batch: dict, data_samples: Sequence[dict]) -> None:
        classes = len(self.dataset_meta['classes'])
        for sample in data_samples:
            gt, pred = (
                sample[key]['data'].squeeze().cpu().numpy().astype(int)  # (1, H, W) -> (H, W)
                for key in ('gt_sem_seg', 'pred_sem_seg')
            )
            known = (gt != self.ignored) & (gt < classes)
            counts = count_pairs(gt[known], pred[known], classes)
            places = np.flatnonzero(counts)  # few of classes x classes
            picture = {
                'path': sample['img_path'],
                'places': places,
                'counts': counts.ravel()[places],
                'wrong share': (counts.sum() - counts.trace()) / max(counts.sum(), 1),
                'maps': np.stack([np.where(known, gt, IGNORED), pred]).astype(np.uint16),
            }
            self.results.append(picture)
            self.kept.append(picture)
            if len(self.kept) > self.worst:
                best = min(self.kept, key=wrong_share)
                del best['maps']
                self.kept = [img for img in self.kept if img is not best]


class SegmentationReport:
    """Reads the pixels that a test predicts; arguments and attributes as of ``Task.report``.

    Raises:
        InputError: no metric of the test is an ``IoUMetric``.
    """

    chosen = None

    def __init__(self, loop: TestLoop, worst: int, score: float | None) -> None:
        from mmseg.evaluation import IoUMetric  # here: heavy, and only segmentors need it

        self.metric = find_metric(loop, IoUMetric)
        self.meta = loop.evaluator.dataset_meta
        self.worst = worst
        self.record = PixelRecord(loop, worst, self.metric.ignore_index)

    def sections(self) -> Iterator[Section]:
        """Yield the sections, after the test."""
        classes = self.meta['classes']
        pictures = self.record.pictures
        counts = np.zeros((len(classes), len(classes)), int)
        for picture in pictures:
            counts.ravel()[picture['places']] += picture['counts']
        text = 'Pixels. Rows: ground truth; columns: predictions.'
        matrix = Matrix(rows=classes, columns=classes, counts=counts, text=text)
        wrong = [img for img in pictures if 'maps' in img and wrong_share(img)]
        worst = heapq.nlargest(self.worst, wrong, key=wrong_share)
        order = 'Images with the largest fraction of wrong pixels.'
        yield Section('Classes', [self._class_table(counts)])
        yield Section('Confusion', confusion_parts(matrix, 'pixels'))
        yield Section('Worst images', [self._draw(img) for img in worst], order)

    def _class_table(self, counts: np.ndarray) -> Table:
        right, labels, preds = map(torch.tensor, (counts.diagonal(), counts.sum(1), counts.sum(0)))
        areas = right, labels + preds - right, preds, labels
        metrics = ['mIoU', 'mFscore']
        scores = self.metric.total_area_to_metrics(*areas, metrics, self.metric.nan_to_num)
        columns = [100 * scores[key] for key in SCORES.values()]
        named = zip(self.meta['classes'], labels.tolist(), *columns, strict=True)
        rows = [[name, number, *map(float, values)] for name, number, *values in named]
        means = [float(np.nanmean(values)) for values in columns]
        return Table(
            head=['class', 'pixels', *SCORES],
            rows=[*rows, ['mean over classes', int(labels.sum()), *means]],
            sums_up=True,
            digits=2,
            text=(
                'In percent. Accuracy: how many pixels of a class are predicted correctly, '
                'which is its recall. A dash: there are no such pixels.'
            ),
        )

    def _draw(self, picture: dict) -> Picture:
        gt, pred = picture['maps']
        image = from_bgr(read_shown(picture['path']))
        palette = self.meta['palette']
        # on a dark gray copy of the image, wrong pixels are the brightest
        wrong = np.repeat(np.asarray(image.convert('L'))[..., None] // 3, 3, axis=2)  # (H, W, 3)
        wrong[(gt != pred) & (gt != IGNORED)] = WRONG
        panels = [
            ('ground truth', overlay(image, gt, palette)),
            ('prediction', overlay(image, pred, palette)),
            ('wrong pixels', enlarged(Image.fromarray(wrong))),
        ]
        row = side_by_side(panels)
        names = legend(picture['maps'], self.meta['classes'], palette, row.width)
        title = f'{Path(picture["path"]).name}: {100 * wrong_share(picture):.1f} % wrong'
        return photograph(below(row, names, gap=GAP), title)
