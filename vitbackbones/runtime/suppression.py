"""Suppression of overlapping boxes (NMS) as an operator of graphs, for a batch of images.

mmcv's NMS accepts one image and returns as many indices as it keeps. A graph with a dynamic batch
can have neither, so :func:`suppress` accepts a batch and returns for every box whether it stays. It
is an operator of its own for two reasons: to shift the boxes of each image, so that all share one
coordinate system, would cost digits; and ONNX has an operator that accepts a batch. A ``.pt2`` file
of a detector can be loaded once this module is imported, which also imports torchvision's
operators.
"""

from importlib import import_module
from importlib.util import find_spec

import torch
from torch import Tensor

if find_spec('torchvision'):  # classifiers and segmentors do not need it
    import_module('torchvision')  # registers its operators


@torch.library.custom_op('vitbackbones::suppress', mutates_args=())
def suppress(boxes: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
    """Return which boxes overlap no better box that stays, (N, K), as mmcv's ``nms`` decides.

    Args:
        boxes: (N, K, 4), corners x1, y1, x2, y2.
        scores: (N, K). Boxes with a score of 0 are none: they do not stay, and suppress nothing.
        iou_threshold: the largest overlap of two boxes that both stay.
    """
    threshold = torch.tensor(iou_threshold, dtype=boxes.dtype).item()  # rounded as overlaps are
    stays = torch.zeros_like(scores, dtype=torch.bool)
    for i in range(len(boxes)):
        present = scores[i].gt(0).nonzero().flatten()
        kept = torch.ops.torchvision.nms(boxes[i, present], scores[i, present], threshold)
        stays[i, present[kept]] = True
    return stays


@suppress.register_fake
def _(boxes: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
    return torch.empty_like(scores, dtype=torch.bool)
