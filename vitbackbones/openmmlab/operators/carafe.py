"""CARAFE: upsampling with kernels that the features predict (Wang et al., ICCV 2019).

Each pixel of the output is a weighted sum of ``kernel_size`` x ``kernel_size`` pixels of the map
around its source, with weights of its own. Pixels outside of the map are 0. The extension keeps
copies in another layout; of these, only that of the features is filled, for the backward pass.
"""

from collections.abc import Iterator

from torch import Tensor
from torch.nn.functional import avg_pool2d, interpolate, pad

from .kernels import widen


def carafe_forward(
    features: Tensor,
    masks: Tensor,
    rfeatures: Tensor,
    routput: Tensor,
    rmasks: Tensor,
    output: Tensor,
    kernel_size: int,
    group_size: int,
    scale_factor: int,
) -> None:
    """Fill ``output``, (N, C, sH, sW).

    Args:
        features: (N, C, H, W).
        masks: (N, groups * kernel_size**2, sH, sW), the weights.
        group_size: groups of channels with weights of their own.
        scale_factor: s.
    """
    rfeatures.copy_(features)
    features, masks = widen(features, masks)
    total = features.new_zeros(output.shape)
    for tap, moved in enumerate(_moved(features, kernel_size)):
        total += _upsampled(moved, scale_factor) * _weights(masks, tap, total, group_size)
    output.copy_(total)


def carafe_backward(
    grad_output: Tensor,
    rfeatures: Tensor,
    masks: Tensor,
    rgrad_output: Tensor,
    rgrad_input_hs: Tensor,
    rgrad_input: Tensor,
    rgrad_masks: Tensor,
    grad_input: Tensor,
    grad_masks: Tensor,
    kernel_size: int,
    group_size: int,
    scale_factor: int,
) -> None:
    """Fill ``grad_input``, (N, C, H, W), and ``grad_masks`` from the gradient of the output."""
    grad, features, masks = widen(grad_output, rfeatures, masks)
    border = kernel_size // 2
    total = pad(features.new_zeros(features.shape), [border] * 4)
    height, width = features.shape[2:]
    taps = kernel_size**2
    for tap, moved in enumerate(_moved(features, kernel_size)):
        products = grad * _upsampled(moved, scale_factor)
        # (N, C, sH, sW) -> (N, groups, C / groups, sH, sW)
        grouped = products.unflatten(1, (group_size, -1))
        grad_masks[:, tap::taps] = grouped.sum(2).to(grad_masks.dtype)
        weighted = grad * _weights(masks, tap, grad, group_size)
        source = avg_pool2d(weighted, scale_factor) * scale_factor**2
        row, column = divmod(tap, kernel_size)
        total[..., row : row + height, column : column + width] += source
    grad_input.copy_(total[..., border : border + height, border : border + width])


def _moved(features: Tensor, kernel_size: int) -> Iterator[Tensor]:
    """Yield the map as each place of the kernel sees it."""
    height, width = features.shape[2:]
    padded = pad(features, [kernel_size // 2] * 4)
    for row in range(kernel_size):
        for column in range(kernel_size):
            yield padded[..., row : row + height, column : column + width]


def _upsampled(features: Tensor, scale_factor: int) -> Tensor:
    return interpolate(features, scale_factor=scale_factor, mode='nearest')


def _weights(masks: Tensor, tap: int, like: Tensor, group_size: int) -> Tensor:
    """Return the weights of a place of the kernel for each channel, (N, C, sH, sW)."""
    taps = masks.shape[1] // group_size
    return masks[:, tap::taps].repeat_interleave(like.shape[1] // group_size, 1)
