"""Regions of masks that a model, which has not seen them, takes for another class."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np
import torch
from mmseg.evaluation import IoUMetric

from ..data.own.pool import Pool
from ..utils.files import write_file
from .suspicion import Suspicion

THICK = 0.02  # depth of a region that counts in full, as a share of the image's long side
THINNEST = 3  # pixels, at least that
WHOLE = 0.6  # of an object's pixels, by which it is wrong as a whole


class DoubtfulRegions(IoUMetric):
    """mmseg's metric, which also writes the regions where labels are unlikely.

    Args:
        found: the file to write, without ``.json``.
        settings: as of the base class.
    """

    def __init__(self, found: str, **settings) -> None:
        super().__init__(**settings)
        self.found = found
        self.regions = []

    def process(self, data_batch: dict, data_samples: Sequence[dict]) -> None:
        super().process(data_batch, data_samples)
        for sample in data_samples:
            logits = sample['seg_logits']['data']  # (classes, H, W)
            # a head of one channel gives the probability of the second of two classes
            scores = logits.softmax(0) if len(logits) > 1 else torch.cat([1 - logits, logits])
            gt = sample['gt_sem_seg']['data'].squeeze().cpu().numpy().astype(int)  # (H, W)
            for region in doubtful(gt, scores.cpu().numpy(), self.ignore_index):
                self.regions.append({'path': sample['img_path'], **region})

    def compute_metrics(self, results: list) -> dict:
        write_file(f'{self.found}.json', json.dumps(self.regions).encode())
        self.regions = []
        return super().compute_metrics(results)


def doubtful(gt: np.ndarray, scores: np.ndarray, ignored: int) -> Iterator[dict]:
    """Yield the regions of labels (H, W) to which scores (classes, H, W) give one other class.

    ``value`` of each, from 0 to 1, is how much likelier the other class is, in the mean over its
    pixels, less where the region is thin, or a small part of both objects.
    """
    classes = len(scores)
    pred = scores.argmax(0)
    known = (gt != ignored) & (gt < classes)
    gt = np.where(known, gt, 0)
    margin = scores.max(0) - np.take_along_axis(scores, gt[None], 0)[0]
    # number of the pair of classes, from 1; 0 where label and prediction agree
    pairs = np.where(known & (gt != pred), gt * classes + pred + 1, 0)
    thick = max(THICK * max(gt.shape), THINNEST)
    least = max(thick / 4, THINNEST / 2)  # borders are less deep
    for pair in np.unique(pairs[pairs > 0]).tolist():
        label, other = divmod(pair - 1, classes)
        depth = cv2.distanceTransform((pairs == pair).astype(np.uint8), cv2.DIST_L2, 3)
        if depth.max() < least:
            continue
        parts = _parts(pairs == pair)
        gt_objects = _parts(known & (gt == label))
        pred_objects = _parts(pred == other)
        # those that are deep enough, as there may be many thousands of others
        for number in np.unique(parts[depth >= least]).tolist():
            inside = parts == number
            deepest = depth[inside].max()
            shares = [_share(inside, gt_objects), _share(inside, pred_objects)]
            surety = margin[inside].mean() * min(deepest / thick, 1)
            mask = inside.astype(np.uint8)
            outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
            yield {
                'label': label,
                'other': other,
                'value': float(surety * max(shares) ** 0.5),
                'shares': shares,
                'size': float(inside.mean()),
                'box': list(cv2.boundingRect(mask)),
                'outlines': [outline.ravel().tolist() for outline in outlines if len(outline) > 2],
            }


def _share(inside: np.ndarray, objects: np.ndarray) -> float:
    """Return the share of a region (H, W) in the numbered objects (H, W) that it touches."""
    return float(inside.sum() / np.isin(objects, objects[inside]).sum())


def _parts(mask: np.ndarray) -> np.ndarray:
    """Return the numbers of the connected parts of a mask (H, W), from 1; 0 outside."""
    return cv2.connectedComponents(mask.astype(np.uint8), connectivity=4)[1]


def of_masks(pool: Pool, files: Sequence[Path]) -> list[Suspicion]:
    """Return what is likely to be wrong in a pool of masks, the likeliest first.

    ``files`` are those of the folds, as :class:`DoubtfulRegions` writes them. A small region, and
    one where models take this class for that other one in many places, are less likely.
    """
    regions = [region for file in files for region in json.loads(file.read_bytes())]
    common = Counter((region['label'], region['other']) for region in regions)
    listed = []
    for region in regions:
        rarity = region['size'] / common[region['label'], region['other']]
        fault, reason = _fault(region, pool.classes)
        suspicion = Suspicion(
            likelihood=region['value'] ** (1 / 6) * rarity ** (1 / 12),
            image=int(Path(region['path']).stem),
            fault=fault,
            label_id=None,
            box=tuple(region['box']),
            category=region['other'],
            reason=reason,
            outlines=tuple(map(tuple, region['outlines'])),
        )
        listed.append(suspicion)
    return sorted(listed, key=lambda suspicion: -suspicion.likelihood)


def _fault(region: dict, classes: Sequence[str]) -> tuple[str, str]:
    """Return the kind of fault of a region, and the reason in words."""
    label = classes[region['label']]
    other = classes[region['other']]
    share_of_gt, share_of_pred = region['shares']
    if share_of_gt >= WHOLE:
        return 'class', f'labeled {label}, but looks like {other}'
    if share_of_pred >= WHOLE:
        return 'missing', f'looks like {other}, but is labeled {label}'
    return 'mask', f'a part of the {label} looks like {other}'
