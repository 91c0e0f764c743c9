"""Suppression of boxes and features of regions by torchvision's kernels."""

from functools import reduce
from typing import Any

import torch
from torch import Tensor

AVERAGE = 1  # pool_mode; 0 is the maximum
# Options of RoIAlign, in the order of torchvision's kernels.
BINS = ('spatial_scale', 'aligned_height', 'aligned_width', 'sampling_ratio', 'aligned')


def torchvision_kernels():
    """Return ``torch.ops.torchvision``, imported at the first call: it takes time."""
    import torchvision  # noqa: F401 (registers them)

    return torch.ops.torchvision


def widen(*tensors: Tensor) -> list[Tensor]:
    """Return the tensors in the type that holds all of them, at least float32.

    In half precision a coordinate near 1000 has steps of 1/2 or, in bfloat16, of 4. torchvision
    widens under autocast for the same reason, and its kernels take one type for all inputs.
    """
    common = reduce(torch.promote_types, (each.dtype for each in tensors), torch.float32)
    return [each.to(common) for each in tensors]


def nms(boxes: Tensor, scores: Tensor, iou_threshold: float, offset: int) -> Tensor:
    """Return the indices of the kept boxes, by falling score.

    A box is dropped if its overlap with a kept one is larger than ``iou_threshold``. Equal scores
    come as torch's unstable sort has them, which mmcv uses: which of two boxes is kept depends on
    it.

    Args:
        boxes: (N, 4), corners x1, y1, x2, y2.
        scores: (N,).
        offset: what is added to every width and height: 1 for coordinates of the first and last
            pixel, 0 for edges.
    """
    boxes, scores = widen(boxes, scores)
    order = scores.contiguous().sort(0, descending=True)[1]
    boxes = torch.cat([boxes[:, :2], boxes[:, 2:] + offset], dim=1)[order]
    threshold = torch.tensor(iou_threshold, dtype=boxes.dtype).item()  # rounded as overlaps are
    # the kernel sorts stably, so equal scores keep the order
    return order[torchvision_kernels().nms(boxes, torch.zeros_like(scores), threshold)]


def roi_align_forward(
    input: Tensor, rois: Tensor, output: Tensor, *argmax: Tensor, pool_mode: int, **bins: Any
) -> None:
    """Fill ``output`` with the average of bilinear samples in each bin of a region.

    He et al., "Mask R-CNN", 2017. ``argmax`` belongs to the maximum.

    Args:
        input: (N, C, H, W).
        rois: (R, 5), the image's index in the batch and x1, y1, x2, y2.
        output: (R, C, aligned_height, aligned_width).
        pool_mode: :data:`AVERAGE`.
        bins: what :data:`BINS` lists. ``spatial_scale`` leads from the image's pixels to those of
            the map. ``sampling_ratio`` is the samples along each side of a bin; 0: about one per
            pixel of the map. ``aligned``: whether pixels have their values in their centers.

    Raises:
        ImportError: ``pool_mode`` asks for the maximum.
        ValueError: on a CPU, a region is not finite or not in the batch.
    """
    if pool_mode != AVERAGE:
        raise ImportError("RoIAlign(pool_mode='max') requires the compiled mmcv extension")
    input, rois = widen(input, rois)
    if rois.is_cpu and len(rois):  # where the kernel would read outside of its memory
        if not rois.isfinite().all():
            raise ValueError(
                'RoIs contain NaN or infinite values: the model that proposed them diverged'
            )
        first, last = rois[:, 0].aminmax()
        if first < 0 or last >= len(input):
            raise ValueError(
                f'RoIs refer to images {first:g} to {last:g}, but the batch has {len(input)}'
            )
    output.copy_(torchvision_kernels().roi_align(input, rois, *(bins[key] for key in BINS)))


def roi_align_backward(
    grad_output: Tensor,
    rois: Tensor,
    argmax_y: Tensor,
    argmax_x: Tensor,
    grad_input: Tensor,
    **bins: Any,
) -> None:
    """Fill ``grad_input``, (N, C, H, W), from ``grad_output``, (R, C, h, w)."""
    grad_output, rois = widen(grad_output, rois)
    scale, height, width, *sampling = (bins[key] for key in BINS)
    kernel = torchvision_kernels()._roi_align_backward
    sizes = (height, width, *grad_input.shape)
    grad_input.copy_(kernel(grad_output, rois, scale, *sizes, *sampling))
