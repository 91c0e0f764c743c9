"""Heads with anchors or points at every place, in a graph: RetinaNet, RTMDet, and a first stage.

The head's own layers, anchors and coder are used. What mmdet does with their answers for one image
after the other is done for all at once. The graph itself pads images, as it cuts boxes to what was
there before it suppresses some.
"""

from collections.abc import Sequence

import torch
from mmengine.config import ConfigDict
from torch import Tensor, nn

from .base import Exportable
from .selection import Found, best_apart, clip, overlap_of, padded, pick


class ExportableDenseDetector(Exportable):
    """A detector with one head, as a graph has it.

    ``forward`` takes images (N, 3, H, W) and returns the ``max_per_img`` best objects.

    Args:
        model: mmdet's ``SingleStageDetector``, whose head gives logits and boxes of each level.
    """

    outputs = ('boxes', 'scores', 'labels')

    def __init__(self, model: nn.Module) -> None:
        super().__init__(model)
        self.settings = model.bbox_head.test_cfg
        self.iou_threshold = overlap_of(self.settings.nms, 'model.test_cfg.nms')

    def forward(self, image: Tensor) -> tuple[Tensor, ...]:
        """Return boxes (N, M, 4), scores (N, M) and labels (N, M) of images (N, 3, H, W)."""
        maps = self.model.extract_feat(padded(self.model, image))
        head = self.model.bbox_head
        found = joined(levels(head, self.settings, *head(maps), image.shape[2:]))
        return best_apart(found, self.iou_threshold, self.settings.max_per_img).objects


def levels(
    head: nn.Module,
    settings: ConfigDict,
    logits: Sequence[Tensor],
    codes: Sequence[Tensor],
    size: torch.Size,
) -> list[Found]:
    """Return the ``nms_pre`` best boxes of each level; those to be dropped have a score of 0.

    mmdet's head has logits (N, A C, h, w) and box codes (N, A 4, h, w) for each level; ``settings``
    are its ``test_cfg``.
    """
    sizes = [level.shape[2:] for level in logits]
    priors = head.prior_generator.grid_priors(sizes, logits[0].dtype, logits[0].device)
    least = settings.get('min_bbox_size', -1)
    first = 0  # place of a level
    found = []
    for scores, of_boxes, anchors in zip(logits, codes, priors, strict=True):
        scores = rows(scores, head.cls_out_channels)  # (N, h w A, C)
        scores = scores.sigmoid() if head.use_sigmoid_cls else scores.softmax(-1)[..., :-1]
        classes = scores.shape[2]
        scores = scores.where(scores > settings.get('score_thr', 0), 0).flatten(1)  # (N, h w A C)
        scores, best = scores.topk(torch.sym_min(settings.nms_pre, scores.shape[1]))
        places = best // classes
        labels = best % classes
        chosen = pick(rows(of_boxes, 4), places)  # (N, K, 4)
        boxes = head.bbox_coder.decode(anchors[places].flatten(0, 1), chosen.flatten(0, 1))
        boxes = boxes.view(chosen.shape)
        if head.bbox_coder.clip_border:
            boxes = clip(boxes, size)
        if least >= 0:
            large = (boxes[..., 2:] - boxes[..., :2] > least).all(-1)
            scores = scores.where(large, 0)
        found.append(Found(boxes, scores, labels, first + places))
        first += len(anchors)
    return found


def joined(parts: list[Found]) -> Found:
    """Return the boxes of all levels together."""
    return Found(*(torch.cat(each, dim=1) for each in zip(*parts, strict=True)))


def rows(maps: Tensor, width: int) -> Tensor:
    """Return maps (N, A width, h, w) as (N, h w A, width)."""
    return maps.permute(0, 2, 3, 1).reshape(maps.shape[0], -1, width)
