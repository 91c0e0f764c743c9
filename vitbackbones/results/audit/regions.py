"""Regions of masks that a model, which has not seen them, takes for another class."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np
from mmseg.evaluation import IoUMetric

from ...data.own.pool import Pool
from ...utils.files import write_file
from .suspicion import Suspicion

THICK = 0.02  # of the long side, from the middle of a region to its edge; borders are thinner
THINNEST = 3  # pixels, likewise
WHOLE = 0.6  # of an object's pixels, by which it is wrong as a whole


class DoubtfulRegions(IoUMetric):
    """mmseg's metric, which also writes the regions where labels are unlikely.

    Args:
        found: the file to write, without ``.json``.
        settings: as of the base class.
    """

    def __init__(self, found: str, **settings) -> None:
        super().__init__(**settings)
        self.found, self.regions = found, []

    def process(self, data_batch: dict, data_samples: Sequence[dict]) -> None:
        super().process(data_batch, data_samples)
        for sample in data_samples:
            scores = sample['seg_logits']['data'].softmax(0).cpu().numpy()  # (classes, H, W)
            given = sample['gt_sem_seg']['data'].squeeze().cpu().numpy().astype(int)  # (H, W)
            for region in doubtful(given, scores, self.ignore_index):
                self.regions.append({'path': sample['img_path'], **region})

    def compute_metrics(self, results: list) -> dict:
        write_file(f'{self.found}.json', json.dumps(self.regions).encode())
        self.regions = []
        return super().compute_metrics(results)


def doubtful(given: np.ndarray, scores: np.ndarray, ignored: int) -> Iterator[dict]:
    """Yield the regions of labels (H, W) to which scores (classes, H, W) give one other class.

    ``value`` of each, from 0 to 1, is how much likelier the other class is, in the mean over its
    pixels, less where the region is thin, or a small part of both objects.
    """
    answer, classes = scores.argmax(0), len(scores)
    known = (given != ignored) & (given < classes)
    given = np.where(known, given, 0)
    margin = scores.max(0) - np.take_along_axis(scores, given[None], 0)[0]
    pairs = np.where(known & (given != answer), given * classes + answer + 1, 0)
    thick = max(THICK * max(given.shape), THINNEST)
    for pair in np.unique(pairs[pairs > 0]):
        label, other = divmod(int(pair) - 1, classes)
        mask = (pairs == pair).astype(np.uint8)
        depth = cv2.distanceTransform(mask, cv2.DIST_L2, 3)
        count, parts, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4)
        if depth.max() < thick / 2:
            continue
        wholes = [
            cv2.connectedComponents(each.astype(np.uint8))[1]
            for each in (known & (given == label), answer == other)
        ]
        for number in range(1, count):
            x, y, width, height, area = stats[number].tolist()
            inside = parts == number
            deep = depth[inside].max()
            if deep < thick / 2:
                continue
            shares = [float(area / np.isin(each, np.unique(each[inside])).sum()) for each in wholes]
            outlines, _ = cv2.findContours(
                inside.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE
            )
            value = float(margin[inside].mean()) * min(deep / thick, 1) * max(shares) ** 0.5
            yield {
                'label': label,
                'other': other,
                'value': value,
                'shares': shares,
                'box': [x, y, x + width, y + height],
                'outlines': [each.ravel().tolist() for each in outlines if len(each) > 2],
            }


def of_masks(pool: Pool, found: Sequence[Path]) -> list[Suspicion]:
    """Return what is likely to be wrong in a pool of masks, the likeliest first.

    ``found`` are the files of the folds, as :class:`DoubtfulRegions` writes them.
    """
    listed = []
    for file in found:
        for each in json.loads(file.read_bytes()):
            label, other = pool.classes[each['label']], pool.classes[each['other']]
            of_label, of_other = each['shares']
            if of_label >= WHOLE:
                kind, text = 'class', f'labeled {label}, but looks like {other}'
            elif of_other >= WHOLE:
                kind, text = 'missing', f'{other} found, but labeled {label}'
            else:
                kind, text = 'mask', f'a part of the {label} looks like {other}'
            row, outlines = int(Path(each['path']).stem), tuple(map(tuple, each['outlines']))
            box, reason = tuple(each['box']), f'{text} (by {each["value"]:.2f})'
            listed.append(
                Suspicion(row, kind, each['value'], None, box, each['other'], reason, outlines)
            )
    return sorted(listed, key=lambda each: -each.likelihood)
