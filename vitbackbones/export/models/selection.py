"""The best boxes of every image in a graph: dense tensors in, dense tensors out.

mmdet drops boxes on the way, image by image. Here a dropped box keeps its place, with a score of 0,
so no size depends on the data and the batch may have any size. What is left at the end is equal.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ...errors import InputError
from ...layers import pad_to_multiple
from ...runtime.suppression import suppress

NO_LABEL = -1


class Found(NamedTuple):
    """Boxes (N, K, 4) as corners in pixels, scores (N, K) and labels (N, K).

    ``places`` (N, K) are those of a head with one stage, counted over its levels.
    """

    boxes: Tensor
    scores: Tensor
    labels: Tensor
    places: Tensor | None = None

    @property
    def objects(self) -> tuple[Tensor, ...]:
        """What a graph gives of boxes."""
        return self[:3]


def padded(model: nn.Module, image: Tensor) -> Tensor:
    """Return images (N, 3, H, W) as the data preprocessor of a detector pads them."""
    settings = model.data_preprocessor
    return pad_to_multiple(image, settings.pad_size_divisor, settings.pad_value)


def pick(values: Tensor, places: Tensor) -> Tensor:
    """Return the values (N, K, ...) at the places (N, M) of each image, (N, M, ...)."""
    first = torch.arange(values.shape[0], device=values.device) * values.shape[1]
    return values.flatten(0, 1)[places + first[:, None]]


def clip(boxes: Tensor, size: torch.Size) -> Tensor:
    """Return boxes (..., 4) without what lies outside of an image of this height and width."""
    height, width = size
    x1, y1, x2, y2 = boxes.unbind(-1)
    inside = [x1.clamp(0, width), y1.clamp(0, height), x2.clamp(0, width), y2.clamp(0, height)]
    return torch.stack(inside, dim=-1)


def best(found: Found, count: int) -> Found:
    """Return the ``count`` best boxes; where there are fewer, boxes of zeros with label -1."""
    boxes = F.pad(found.boxes, (0, 0, 0, count))
    scores, order = F.pad(found.scores, (0, count)).topk(count)
    labels = pick(F.pad(found.labels, (0, count)), order)
    empty = scores <= 0
    boxes = pick(boxes, order).masked_fill(empty[..., None], 0)
    places = None if found.places is None else pick(F.pad(found.places, (0, count)), order)
    return Found(boxes, scores, labels.masked_fill(empty, NO_LABEL), places)


def best_apart(found: Found, iou_threshold: float, count: int) -> Found:
    """Return the ``count`` best boxes that overlap no better one of the same label.

    Labels are told apart as in mmcv's ``batched_nms``: by shifts of the largest coordinate, which
    cost digits. So the overlaps are rounded as there.
    """
    present = found.scores > 0
    farthest = found.boxes.where(present[..., None], 0).amax((1, 2))  # (N,)
    shifts = found.labels * (farthest + 1)[:, None]
    stays = suppress(found.boxes + shifts[..., None], found.scores, iou_threshold)
    return best(found._replace(scores=found.scores.where(stays, 0)), count)


def overlap_of(settings: Mapping, key: str) -> float:
    """Return the overlap that ``settings`` of suppression, at a ``key`` of the config, allow.

    Raises:
        InputError: they ask for more than the plain suppression of each class.
    """
    more = {*settings} - {'type', 'iou_threshold', 'split_thr'}
    if settings.get('type', 'nms') != 'nms' or more:
        raise InputError(
            f"{key}: is {dict(settings)}; export supports only dict(type='nms', iou_threshold=...)"
        )
    return settings['iou_threshold']


def require_method_of(
    classes: Sequence[type[nn.Module]], part: nn.Module, method: str, key: str
) -> None:
    """Refuse a part of a model, at a ``key`` of the config, that has its own form of a method.

    What a graph computes in place of the method is what the ``classes`` of mmdet compute.

    Raises:
        InputError: the method is not that of one of the classes.
    """
    own = getattr(type(part), method, None)
    if own not in [getattr(each, method) for each in classes]:
        names = ' or '.join(each.__name__ for each in classes)
        raise InputError(
            f'{key}.type: {type(part).__name__} cannot be exported: it has its own {method}; '
            f'supported: that of {names}'
        )
