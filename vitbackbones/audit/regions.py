"""Regions of masks that a model, which has not seen them, takes for another class."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np
from mmseg.evaluation import IoUMetric

from ..data.own.pool import Pool
from ..utils.files import write_file
from . import Suspicion

THICK, THINNEST = 0.02, 3  # of the long side, and pixels
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
    least = max(thick / 4, THINNEST / 2)  # borders are less deep
    for pair in np.unique(pairs[pairs > 0]).tolist():
        label, other = divmod(pair - 1, classes)
        depth = cv2.distanceTransform((pairs == pair).astype(np.uint8), cv2.DIST_L2, 3)
        if depth.max() < least:
            continue
        count, parts = _parts(pairs == pair)
        wholes = [_parts(each)[1] for each in (known & (given == label), answer == other)]
        for inside in (parts == number for number in range(1, count)):
            deep, area = depth[inside].max(), inside.sum()
            if deep < least:
                continue
            shares = [float(area / np.isin(each, each[inside]).sum()) for each in wholes]
            mask = inside.astype(np.uint8)
            outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
            yield {
                'label': label,
                'other': other,
                'value': float(margin[inside].mean() * min(deep / thick, 1) * max(shares) ** 0.5),
                'shares': shares,
                'size': float(inside.mean()),
                'box': list(cv2.boundingRect(mask)),
                'outlines': [each.ravel().tolist() for each in outlines if len(each) > 2],
            }


def _parts(mask: np.ndarray) -> tuple[int, np.ndarray]:
    return cv2.connectedComponents(mask.astype(np.uint8), connectivity=4)


def of_masks(pool: Pool, files: Sequence[Path]) -> list[Suspicion]:
    """Return what is likely to be wrong in a pool of masks, the likeliest first.

    ``files`` are those of the folds, as :class:`DoubtfulRegions` writes them. A small region, and
    one where models take this class for that other one in many places, are less likely.
    """
    listed, regions = [], [each for file in files for each in json.loads(file.read_bytes())]
    common = Counter((each['label'], each['other']) for each in regions)
    for each in regions:
        rarity = each['size'] / common[each['label'], each['other']]
        likelihood = each['value'] ** (1 / 6) * rarity ** (1 / 12)
        label, other = pool.classes[each['label']], pool.classes[each['other']]
        of_label, of_other = each['shares']
        kind, reason = 'mask', f'a part of the {label} looks like {other}'
        if of_label >= WHOLE:
            kind, reason = 'class', f'labeled {label}, but looks like {other}'
        elif of_other >= WHOLE:
            kind, reason = 'missing', f'looks like {other}, but is labeled {label}'
        place = (likelihood, int(Path(each['path']).stem), kind, None, tuple(each['box']))
        outlines = tuple(map(tuple, each['outlines']))
        listed.append(Suspicion(*place, each['other'], reason, outlines))
    return sorted(listed, key=lambda each: -each.likelihood)
