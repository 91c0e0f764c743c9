"""Content-aware upsampling: Wang et al., "CARAFE", 2019.

Every pixel of the larger map is a weighted sum of the k x k pixels around its place in the smaller
one. Features are (N, C, H, W), masks, the weights, (N, G k k, s H, s W) for G groups of channels,
the output (N, C, s H, s W). The remaining tensors are scratch memory of the compiled operators.
"""

import torch
from torch import Tensor
from torch.nn.functional import unfold

from .kernels import widen


def carafe_naive_forward(
    features: Tensor,
    masks: Tensor,
    output: Tensor,
    kernel_size: int,
    group_size: int,
    scale_factor: int,
) -> None:
    """Fill ``output`` with the larger map."""
    output.copy_(_enlarge(*widen(features, masks), kernel_size, group_size, scale_factor))


def carafe_naive_backward(
    top_grad: Tensor,
    features: Tensor,
    masks: Tensor,
    bottom_grad: Tensor,
    mask_grad: Tensor,
    kernel_size: int,
    group_size: int,
    scale_factor: int,
) -> None:
    """Fill the gradients of features and masks."""
    grad, *inputs = widen(top_grad, features, masks)
    with torch.enable_grad():
        inputs = [each.detach().requires_grad_() for each in inputs]
        output = _enlarge(*inputs, kernel_size, group_size, scale_factor)
    grads = torch.autograd.grad(output, inputs, grad)
    bottom_grad.copy_(grads[0])
    mask_grad.copy_(grads[1])


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
    """Fill ``output`` with the larger map, and ``rfeatures`` for :func:`carafe_backward`."""
    rfeatures.copy_(features)
    carafe_naive_forward(features, masks, output, kernel_size, group_size, scale_factor)


def carafe_backward(
    top_grad: Tensor,
    rfeatures: Tensor,
    masks: Tensor,
    rtop_grad: Tensor,
    rbottom_grad_hs: Tensor,
    rbottom_grad: Tensor,
    rmask_grad: Tensor,
    bottom_grad: Tensor,
    mask_grad: Tensor,
    kernel_size: int,
    group_size: int,
    scale_factor: int,
) -> None:
    """Fill the gradients of features and masks."""
    sizes = (kernel_size, group_size, scale_factor)
    carafe_naive_backward(top_grad, rfeatures, masks, bottom_grad, mask_grad, *sizes)


def _enlarge(features: Tensor, masks: Tensor, kernel: int, groups: int, scale: int) -> Tensor:
    batch, channels, height, width = features.shape
    around = unfold(features, kernel, padding=kernel // 2)  # (N, C k k, H W)
    around = around.view(batch, groups, channels // groups, kernel**2, height, 1, width, 1)
    weights = masks.view(batch, groups, 1, kernel**2, height, scale, width, scale)
    enlarged = sum(
        around[:, :, :, i] * weights[:, :, :, i] for i in range(kernel**2)
    )  # (N, G, C / G, H, s, W, s)
    return enlarged.reshape(batch, channels, height * scale, width * scale)
