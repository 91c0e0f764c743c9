"""Features of regions: RoIs are (R, 5), the image's index in the batch and x1, y1, x2, y2.

``spatial_scale`` leads from the image's pixels to those of the feature map.
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from .kernels import torchvision_kernels, widen

MAX = 0  # pool_mode; 1 is the average
NO_SAMPLE = -1  # the place of the maximum in a bin without samples
NO_MAXIMUM = -1e4  # its value, as in mmcv
CHUNK = 2**24  # samples that are held at a time


def roi_align_forward(
    input: Tensor,
    rois: Tensor,
    output: Tensor,
    argmax_y: Tensor,
    argmax_x: Tensor,
    aligned_height: int,
    aligned_width: int,
    spatial_scale: float,
    sampling_ratio: int,
    pool_mode: int,
    aligned: bool,
) -> None:
    """Fill ``output`` with the average or maximum over bilinear samples in each bin of a region.

    He et al., "Mask R-CNN", 2017.

    Args:
        input: (N, C, H, W).
        rois: (R, 5).
        output: (R, C, aligned_height, aligned_width).
        argmax_y: for the maximum, as ``output``: filled with the sample's place in the map.
        argmax_x: as ``argmax_y``.
        sampling_ratio: samples along each side of a bin; 0: about one per pixel of the map.
        pool_mode: :data:`MAX`, or 1 for the average.
        aligned: whether pixels have their values in their centers.

    Raises:
        ValueError: on a CPU, a region is not finite or not in the batch.
    """
    input, rois = widen(input, rois)
    _check(rois, len(input))
    size = (aligned_height, aligned_width)
    if pool_mode == MAX:
        filled = (output, argmax_y, argmax_x)
        for each, empty in zip(filled, (NO_MAXIMUM, NO_SAMPLE, NO_SAMPLE), strict=True):
            each.fill_(empty)
        channels_last = input.permute(0, 2, 3, 1).contiguous()  # a pixel is read at once
        for which, y, x in _samples(input, rois, size, spatial_scale, sampling_ratio, aligned):
            maxima = _maxima(channels_last, rois[which, 0], y, x)
            for each, found in zip(filled, maxima, strict=True):
                each[which] = found.to(each.dtype)
        return
    kernel = torchvision_kernels().roi_align
    output.copy_(kernel(input, rois, spatial_scale, *size, sampling_ratio, aligned))


def roi_align_backward(
    grad_output: Tensor,
    rois: Tensor,
    argmax_y: Tensor,
    argmax_x: Tensor,
    grad_input: Tensor,
    aligned_height: int,
    aligned_width: int,
    spatial_scale: float,
    sampling_ratio: int,
    pool_mode: int,
    aligned: bool,
) -> None:
    """Fill ``grad_input``, (N, C, H, W), from ``grad_output``, (R, C, h, w)."""
    grad_output, rois = widen(grad_output, rois)
    if pool_mode == MAX:
        grad_input.copy_(_grad_of_maxima(grad_output, rois, argmax_y, argmax_x, grad_input.shape))
        return
    kernel = torchvision_kernels()._roi_align_backward
    size = (aligned_height, aligned_width, *grad_input.shape)
    grad_input.copy_(kernel(grad_output, rois, spatial_scale, *size, sampling_ratio, aligned))


def _samples(
    input: Tensor,
    rois: Tensor,
    size: tuple[int, int],
    scale: float,
    sampling_ratio: int,
    aligned: bool,
) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Yield regions with equal numbers of samples: which, and y (r, h, m) and x (r, w, n) of them.

    A bin has m x n samples; h and w are ``size``.
    """
    corners = rois[:, [2, 1, 4, 3]] * scale - (0.5 if aligned else 0)  # y1, x1, y2, x2
    starts, sides = corners[:, :2], corners[:, 2:] - corners[:, :2]  # (R, 2)
    if not aligned:
        sides = sides.clamp(min=1)
    bins = sides / sides.new_tensor(size)
    counts = (
        bins.ceil().clamp(min=0) if sampling_ratio <= 0 else torch.full_like(bins, sampling_ratio)
    )
    for count in counts.unique(dim=0).long().tolist():
        if 0 in count:
            continue
        alike = (counts == counts.new_tensor(count)).all(1).nonzero().flatten()
        held = CHUNK // (input.shape[1] * size[0] * size[1] * count[0] * count[1])
        for which in alike.split(max(1, held)):
            places = (
                start[:, None, None]
                + torch.arange(length, device=rois.device)[:, None] * bin_[:, None, None]
                + (torch.arange(n, device=rois.device) + 0.5) * bin_[:, None, None] / n
                for start, bin_, length, n in zip(
                    starts[which].T, bins[which].T, size, count, strict=True
                )
            )
            yield which, *places


def _maxima(input: Tensor, image: Tensor, y: Tensor, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the largest sample of each bin of (N, H, W, C), and its y and x: (r, C, h, w)."""
    image = image.long()[:, None, None]
    samples = 0
    for row, row_weight in _neighbors(y.flatten(1), input.shape[1]):
        for column, column_weight in _neighbors(x.flatten(1), input.shape[2]):
            weight = row_weight[:, :, None] * column_weight[:, None]  # (r, h m, w n)
            pixels = input[image, row[:, :, None], column[:, None]]  # (r, h m, w n, C)
            samples = samples + pixels * weight[..., None]
    m, n = y.shape[2], x.shape[2]
    samples = samples.unflatten(2, (-1, n)).unflatten(1, (-1, m))  # (r, h, m, w, n, C)
    values, place = samples.permute(0, 5, 1, 3, 2, 4).flatten(4).max(-1)  # over m n
    y = y[:, None, :, None].expand(*place.shape, m).gather(4, (place // n)[..., None])
    x = x[:, None, None].expand(*place.shape, n).gather(4, (place % n)[..., None])
    return values, y[..., 0], x[..., 0]


def _grad_of_maxima(grad: Tensor, rois: Tensor, y: Tensor, x: Tensor, shape: torch.Size) -> Tensor:
    """Return the gradient of the map, of ``shape``, from that of the maxima at y and x."""
    image = rois[:, 0].long()[:, None, None, None]
    channel = torch.arange(shape[1], device=grad.device)[:, None, None]
    grad = grad * (y != NO_SAMPLE)
    y, x = widen(y, x)
    grad_input = grad.new_zeros(shape)
    for row, row_weight in _neighbors(y, shape[2]):
        for column, column_weight in _neighbors(x, shape[3]):
            place = (image, channel, row, column)
            grad_input.index_put_(place, grad * (row_weight * column_weight), accumulate=True)
    return grad_input


def _neighbors(place: Tensor, length: int) -> list[tuple[Tensor, Tensor]]:
    """Return index and weight of the two pixels, of ``length``, beside places along one side."""
    inside = (place >= -1) & (place <= length)
    place = place.clamp(0, length - 1)
    low = place.floor()
    part = place - low
    low = low.long()
    return [(low, (1 - part) * inside), ((low + 1).clamp(max=length - 1), part * inside)]


def _check(rois: Tensor, images: int) -> None:
    """Raise a ValueError where a kernel would read outside of its memory, on a CPU."""
    if not rois.is_cpu or not len(rois):
        return
    if not rois.isfinite().all():
        raise ValueError('RoIs hold NaN or infinite numbers: the model that proposed them diverged')
    first, last = rois[:, 0].aminmax()
    if first < 0 or last >= images:
        raise ValueError(f'RoIs name images {first:g} to {last:g} of a batch of {images}')
