"""Suppression of boxes that overlap a better one.

Boxes are (N, 4) corners x1, y1, x2, y2. ``offset`` is added to every width and height: 1 for
coordinates of the first and last pixel, 0 for edges.
"""

import numpy as np
import torch
from torch import Tensor

from .kernels import torchvision_kernels, widen

NAIVE, LINEAR, GAUSSIAN = range(3)  # the methods of soft suppression


def nms(boxes: Tensor, scores: Tensor, iou_threshold: float, offset: int) -> Tensor:
    """Return the indices of the kept boxes, by falling score.

    A box is dropped if its overlap with a kept one is larger than ``iou_threshold``.
    """
    boxes, scores = widen(boxes, scores)
    order = _falling(scores)
    boxes = torch.cat([boxes[:, :2], boxes[:, 2:] + offset], dim=1)[order]
    threshold = torch.tensor(iou_threshold, dtype=boxes.dtype).item()  # rounded as overlaps are
    # the kernel sorts stably, so equal scores keep the order
    return order[torchvision_kernels().nms(boxes, torch.zeros_like(scores), threshold)]


def _falling(scores: Tensor) -> Tensor:
    """Return the order by falling score; equal ones come as torch's unstable sort has them.

    mmcv sorts so. Which of two boxes with one score is kept depends on it.
    """
    return scores.contiguous().sort(0, descending=True)[1]


def nms_match(dets: Tensor, iou_threshold: float) -> list[list[int]]:
    """Return one group for each kept box: its index and those of the boxes that it drops.

    Args:
        dets: (N, 5), boxes and scores.
        iou_threshold: a box with this overlap or a larger one is dropped.
    """
    (dets,) = widen(dets)
    rest = _falling(dets[:, 4]).numpy()
    boxes = dets[:, :4].numpy()
    threshold = boxes.dtype.type(iou_threshold)
    groups = []
    while len(rest):
        first, rest = rest[0], rest[1:]
        dropped = _overlaps(boxes[first], boxes[rest], offset=0) >= threshold
        groups.append([int(first), *rest[dropped].tolist()])
        rest = rest[~dropped]
    return groups


def softnms(
    boxes: Tensor,
    scores: Tensor,
    dets: Tensor,
    iou_threshold: float,
    sigma: float,
    min_score: float,
    method: int,
    offset: int,
) -> Tensor:
    """Lower the scores of boxes that overlap a better one; return the indices of those left.

    Bodla et al., "Soft-NMS", 2017. In turn the best box is taken, and with overlap o the scores of
    the others are multiplied by 0 or 1 - o where o reaches ``iou_threshold`` (:data:`NAIVE`,
    :data:`LINEAR`), or by exp(-o^2 / sigma) (:data:`GAUSSIAN`).

    Args:
        dets: (N, 5), filled with the boxes left and their new scores, in the order of the indices.
        min_score: boxes with a lower score are dropped.
    """
    boxes, scores = (each.numpy() for each in widen(boxes, scores))
    scores, order = scores.copy(), np.arange(len(scores))
    number = np.dtype(scores.dtype).type  # thresholds are rounded as the overlaps are
    i, left = 0, len(scores)
    while i < left:
        waiting = scores[order[i:left]]
        if not np.isnan(waiting[0]):  # of a box without area
            best = i + np.nanargmax(waiting)
            order[[i, best]] = order[[best, i]]
        others = order[i + 1 : left]
        overlaps = _overlaps(boxes[order[i]], boxes[others], offset)
        decay = _decay(overlaps, number(iou_threshold), number(sigma), method)
        scores[others] *= decay.astype(number)
        left = i + 1 + _fill_gaps(others, ~(scores[others] < number(min_score)))
        i += 1
    kept = torch.from_numpy(order[:left])
    dets[:left, :4] = torch.from_numpy(boxes)[kept]
    dets[:left, 4] = torch.from_numpy(scores)[kept]
    return kept


def _decay(overlaps: np.ndarray, iou_threshold: float, sigma: float, method: int) -> np.ndarray:
    """Return what the scores of boxes with these overlaps are multiplied by."""
    if method == GAUSSIAN:
        exponents = -(overlaps * overlaps) / sigma
        return np.exp(exponents, dtype=np.float64)  # rounded once, as C does
    lowered = 1 - overlaps if method == LINEAR else np.zeros_like(overlaps)
    return np.where(overlaps >= iou_threshold, lowered, 1)


def _fill_gaps(order: np.ndarray, stays: np.ndarray) -> int:
    """Move what stays to the front, in place, and return how much that is.

    The last ones fill the first gaps, as in mmcv: it decides which of two equal scores comes first.
    """
    count = int(stays.sum())
    gaps = np.flatnonzero(~stays[:count])
    last = count + np.flatnonzero(stays[count:])[::-1]
    order[gaps] = order[last]
    return count


def _overlaps(box: np.ndarray, boxes: np.ndarray, offset: int) -> np.ndarray:
    """Return intersection over union of a box, (4,), with others, (N, 4): (N,)."""
    sides = np.minimum(box[2:], boxes[:, 2:]) - np.maximum(box[:2], boxes[:, :2]) + offset
    intersection = sides.clip(min=0).prod(axis=1)
    area = (box[2:] - box[:2] + offset).prod()
    areas = (boxes[:, 2:] - boxes[:, :2] + offset).prod(axis=1)
    with np.errstate(divide='ignore', invalid='ignore'):  # boxes without an area
        return intersection / (area + areas - intersection)


def bbox_overlaps(
    bboxes1: Tensor, bboxes2: Tensor, ious: Tensor, mode: int, aligned: bool, offset: int
) -> None:
    """Fill ``ious`` with overlaps: intersection over union, or over the first box's area.

    Args:
        bboxes1: (M, 4).
        bboxes2: (N, 4).
        ious: (M, N), or (M,) for pairs.
        mode: 0 for union, 1 for the first box.
        aligned: whether the boxes are pairs, M = N.
    """
    first, second = widen(bboxes1, bboxes2)
    if not aligned:
        first, second = first[:, None], second[None]  # (M, 1, 4), (1, N, 4)
    x1, y1, x2, y2 = first.unbind(-1)
    left, top, right, bottom = second.unbind(-1)
    width = torch.minimum(x2, right) - torch.maximum(x1, left) + offset
    height = torch.minimum(y2, bottom) - torch.maximum(y1, top) + offset
    intersection = width.clamp_(min=0) * height.clamp_(min=0)
    base = (x2 - x1 + offset) * (y2 - y1 + offset)
    if mode == 0:
        base = base + (right - left + offset) * (bottom - top + offset) - intersection
    ious.copy_(intersection / base)
