"""What a report says of a segmentor: pixels of each class, and where most of them are wrong."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np
import torch
from mmengine.runner import TestLoop
from PIL import Image

from ..datasets.image_file import read_image
from ..datasets.labels import IGNORED
from ..drawing.masks import legend, overlay
from ..drawing.sheet import GAP, below, enlarged, from_bgr, side_by_side
from .confusion import count_pairs, pairs_table, shown
from .mistakes import WRONG
from .parts import Matrix, Picture, Section, Table, as_cell, photograph
from .recording import Record, add_record, find_metrics

# Columns of the table: what mmseg's IoUMetric calls them.
SCORES = {'IoU': 'IoU', 'accuracy': 'Acc', 'precision': 'Precision', 'F score': 'Fscore'}


class PixelRecord(Record):
    """Counts labels by predictions in each picture, and keeps the maps of the worst.

    Args:
        worst: how many.
        ignored: the label that does not count.
    """

    def __init__(self, worst: int, ignored: int) -> None:
        super().__init__()
        self.worst, self.ignored = worst, ignored
        self.kept: list[dict] = []  # of this process, the worst first

    def process(self, data_batch: dict, data_samples: Sequence[dict]) -> None:
        for sample in data_samples:
            truth, answer = (
                sample[key]['data'].squeeze().cpu().numpy()  # (1, H, W) -> (H, W)
                for key in ('gt_sem_seg', 'pred_sem_seg')
            )
            picture = self._count(truth.astype(int), answer.astype(int))
            picture['path'] = sample['img_path']
            self.results.append(picture)
            self.kept = sorted([*self.kept, picture], key=wrong_share, reverse=True)
            for each in self.kept[self.worst :]:
                del each['maps']
            del self.kept[self.worst :]

    def _count(self, truth: np.ndarray, answer: np.ndarray) -> dict:
        classes = len(self.dataset_meta['classes'])
        known = (truth != self.ignored) & (truth < classes)
        counts = count_pairs(truth[known], answer[known], classes)
        places = np.flatnonzero(counts)  # few of classes x classes
        return {
            'places': places,
            'counts': counts.ravel()[places],
            'pixels': int(known.sum()),
            'wrong': int(known.sum() - counts.trace()),
            'maps': [_packed(np.where(known, truth, IGNORED)), _packed(answer)],
        }


def wrong_share(picture: dict) -> float:
    """Return the share of the labeled pixels that are wrong."""
    return picture['wrong'] / max(picture['pixels'], 1)


def _packed(labels: np.ndarray) -> bytes:
    return cv2.imencode('.png', labels.astype(np.uint16))[1].tobytes()


def _unpacked(content: bytes) -> np.ndarray:
    return cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_UNCHANGED)


class SegmentationReport:
    """Reads the pixels that a test predicts.

    Args:
        loop: of the test, before it runs.
        worst: how many pictures are shown.
        score: for detectors alone.

    Raises:
        InputError: no metric of the test is an ``IoUMetric``.
    """

    def __init__(self, loop: TestLoop, worst: int, score: float) -> None:
        from mmseg.evaluation import IoUMetric  # here: heavy, and only segmentors need it

        self.metric, *_ = find_metrics(loop, IoUMetric).values()
        self.meta = loop.evaluator.dataset_meta
        self.worst = worst
        self.record = PixelRecord(worst, self.metric.ignore_index)
        add_record(loop, self.record)

    def sections(self) -> Iterator[Section]:
        """Yield the sections, after the test."""
        classes, pictures = self.meta['classes'], self.record.pictures
        counts = np.zeros(len(classes) ** 2, int)
        for picture in pictures:
            counts[picture['places']] += picture['counts']
        counts = counts.reshape(len(classes), len(classes))
        matrix = Matrix(
            rows=classes,
            columns=classes,
            counts=counts,
            classes=len(classes),
            text='Pixels. Rows: what is there; columns: what was predicted.',
        )
        yield Section('Classes', [self._class_table(counts)])
        yield Section('Confusion', [pairs_table(matrix, 'pixels'), shown(matrix)])
        worst = sorted((each for each in pictures if 'maps' in each), key=wrong_share, reverse=True)
        yield Section(
            'Worst pictures',
            [self._draw(each) for each in worst[: self.worst] if each['wrong']],
            text='Those with the largest share of wrong pixels.',
        )

    def _class_table(self, counts: np.ndarray) -> Table:
        right, labels, answers = (
            torch.tensor(each) for each in (counts.diagonal(), counts.sum(1), counts.sum(0))
        )
        areas = right, labels + answers - right, answers, labels
        metrics = ['mIoU', 'mFscore']
        scores = self.metric.total_area_to_metrics(*areas, metrics, self.metric.nan_to_num)
        columns = [100 * scores[key] for key in SCORES.values()]
        rows = [
            [name, number, *map(as_cell, values)]
            for name, number, *values in zip(
                self.meta['classes'], labels.tolist(), *columns, strict=True
            )
        ]
        means = [as_cell(np.nanmean(values)) for values in columns]
        return Table(
            head=['class', 'pixels', *SCORES],
            rows=[*rows, ['mean over classes', int(labels.sum()), *means]],
            sums_up=True,
            digits=2,
            text='In percent. Accuracy: how many pixels of a class are right, its recall. A dash: '
            'no such pixels.',
        )

    def _draw(self, picture: dict) -> Picture:
        truth, answer = map(_unpacked, picture['maps'])
        image = from_bgr(read_image(picture['path']))
        palette, classes = self.meta['palette'], self.meta['classes']
        panels = [
            ('ground truth', overlay(image, truth, palette)),
            ('prediction', overlay(image, answer, palette)),
            ('wrong pixels', _draw_wrong(image, (truth != answer) & (truth != IGNORED))),
        ]
        row = side_by_side(panels)
        names = legend(np.stack([truth, answer]), classes, palette, row.width)
        title = f'{Path(picture["path"]).name}: {100 * wrong_share(picture):.1f} % wrong'
        return photograph(below(row, names, gap=GAP), title)


def _draw_wrong(image: Image.Image, wrong: np.ndarray) -> Image.Image:
    """Show wrong pixels (H, W) on a dark gray copy of an image, on which they are the brightest."""
    pixels = np.repeat(np.asarray(image.convert('L'))[..., None] // 3, 3, axis=2)  # (H, W, 3)
    pixels[wrong] = WRONG
    return enlarged(Image.fromarray(pixels))
