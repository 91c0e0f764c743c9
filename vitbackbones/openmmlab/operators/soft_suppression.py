"""Suppression of boxes that lowers scores, or that tells which boxes belong together.

Boxes are corners x1, y1, x2, y2. Everything is on the CPU in float32, as in mmcv.
"""

import torch
from torch import Tensor

LINEAR, GAUSSIAN = 1, 2  # method; 0 drops boxes, as plain suppression does


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
    """Return the indices of kept boxes, and fill ``dets``, (N, 5), with them and their new scores.

    Bodla et al., "Soft-NMS", ICCV 2017. The best box lowers the scores of all boxes behind it, and
    so on. The order of equal scores is that of mmcv, which moves the last box to the place of a
    dropped one.

    Args:
        boxes: (N, 4).
        scores: (N,).
        iou_threshold: of :data:`LINEAR` and plain suppression.
        sigma: of :data:`GAUSSIAN`.
        min_score: boxes below it are dropped.
        offset: is added to widths and heights.
    """
    left = torch.cat([boxes, scores[:, None]], dim=1)  # (N, 5)
    order = torch.arange(len(left))
    first = 0
    while first < len(left):
        best = first + int(left[first:, 4].argmax())  # the first of several
        swapped = torch.tensor([best, first])
        left[[first, best]] = left[swapped]
        order[[first, best]] = order[swapped]
        dets[first] = left[first]
        first += 1
        overlap = _overlaps(left[first - 1], left[first:], offset)
        if method == GAUSSIAN:
            weight = (-(overlap * overlap) / sigma).exp()
        else:
            lowered = 1 - overlap if method == LINEAR else torch.zeros_like(overlap)
            weight = torch.where(overlap >= iou_threshold, lowered, 1)
        left[first:, 4] *= weight
        kept = torch.cat([torch.arange(first), first + _kept(~(left[first:, 4] < min_score))])
        left = left[kept]
        order = order[kept]
    return order


def _kept(keeps: Tensor) -> Tensor:
    """Return the places of what stays; the last of it takes the place of the first that goes."""
    count = int(keeps.sum())
    places = torch.arange(count)
    behind = count + keeps[count:].nonzero().flatten()
    places[~keeps[:count]] = behind.flip(0)
    return places


def nms_match(dets: Tensor, iou_threshold: float) -> list[list[int]]:
    """Return groups of boxes: each kept one, and those that it suppresses.

    Args:
        dets: (N, 5), boxes with scores.
        iou_threshold: from this overlap on a box is suppressed.
    """
    order = dets[:, 4].sort(descending=True)[1]
    groups = []
    while len(order):
        best, others = order[0], order[1:]
        matched = _overlaps(dets[best], dets[others], 0) >= iou_threshold
        groups.append([int(best), *others[matched].tolist()])
        order = others[~matched]
    return groups


def _overlaps(box: Tensor, others: Tensor, offset: int) -> Tensor:
    """Return the IoU of a box, (5,), with others, (M, 5)."""
    start = torch.maximum(box[:2], others[:, :2])
    end = torch.minimum(box[2:4], others[:, 2:4])
    width, height = (end - start + offset).clamp(min=0).unbind(1)
    inter = width * height
    return inter / (_area(box, offset) + _area(others, offset) - inter)


def _area(boxes: Tensor, offset: int) -> Tensor:
    return (boxes[..., 2] - boxes[..., 0] + offset) * (boxes[..., 3] - boxes[..., 1] + offset)
