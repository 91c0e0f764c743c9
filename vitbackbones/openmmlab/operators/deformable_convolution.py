"""Deformable convolution by torchvision's kernels.

Dai et al., "Deformable Convolutional Networks", 2017; with a mask, Zhu et al., "Deformable ConvNets
v2", 2019. Input is (N, C, H, W), ``offset`` (N, 2 D h w, H', W') in pairs y, x for D deformable
groups and a kernel of h x w, ``mask`` (N, D h w, H', W'), output (N, C', H', W').

``columns`` and ``ones`` are scratch memory of the compiled operators. Strides, paddings, dilations
and groups come by keyword, which mmcv spells in two ways.
"""

from torch import Tensor

from .kernels import torchvision_kernels, widen

GROUPS = ('group', 'deformable_group')
PLAIN = ('dH', 'dW', 'padH', 'padW', 'dilationH', 'dilationW', *GROUPS)
MODULATED = ('stride_h', 'stride_w', 'pad_h', 'pad_w', 'dilation_h', 'dilation_w', *GROUPS)


def deform_conv_forward(
    input: Tensor, weight: Tensor, offset: Tensor, output: Tensor, *scratch: Tensor, **options: int
) -> None:
    """Fill ``output`` with the convolution of ``input`` at places moved by ``offset``."""
    output.copy_(torchvision_kernels().deform_conv2d(*_arguments(options, input, weight, offset)))


def deform_conv_backward_input(
    input: Tensor,
    offset: Tensor,
    grad_output: Tensor,
    grad_input: Tensor,
    grad_offset: Tensor,
    weight: Tensor,
    columns: Tensor,
    **options: int,
) -> None:
    """Fill ``grad_input`` and ``grad_offset``.

    The kernel gives the gradient of the weight as well. ``columns`` takes it to
    :func:`deform_conv_backward_parameters`, which gets the same scratch memory.
    """
    kernel = torchvision_kernels()._deform_conv2d_backward
    grads = kernel(*_arguments(options, grad_output, input, weight, offset))
    grad_input.copy_(grads[0])
    columns.resize_(weight.shape).copy_(grads[1])
    grad_offset.copy_(grads[2])


def deform_conv_backward_parameters(
    input: Tensor,
    offset: Tensor,
    grad_output: Tensor,
    grad_weight: Tensor,
    columns: Tensor,
    ones: Tensor,
    scale: float,
    **options: int,
) -> None:
    """Add ``scale`` times the gradient of the weight to ``grad_weight``."""
    if columns.shape != grad_weight.shape:  # the input's gradient was not asked for
        kernel = torchvision_kernels()._deform_conv2d_backward
        columns = kernel(*_arguments(options, grad_output, input, grad_weight, offset))[1]
    grad_weight.add_(columns, alpha=scale)


def modulated_deform_conv_forward(
    input: Tensor,
    weight: Tensor,
    bias: Tensor,
    ones: Tensor,
    offset: Tensor,
    mask: Tensor,
    output: Tensor,
    columns: Tensor,
    with_bias: bool,
    **options: int,
) -> None:
    """Fill ``output`` with the convolution at moved places, each weighted by ``mask``."""
    bias = bias if with_bias else None
    offset, mask = (_as_read(maps, output) for maps in (offset, mask))
    arguments = _arguments(options, input, weight, offset, mask=mask, bias=bias)
    output.copy_(torchvision_kernels().deform_conv2d(*arguments))


def modulated_deform_conv_backward(
    input: Tensor,
    weight: Tensor,
    bias: Tensor,
    ones: Tensor,
    offset: Tensor,
    mask: Tensor,
    columns: Tensor,
    grad_input: Tensor,
    grad_weight: Tensor,
    grad_bias: Tensor,
    grad_offset: Tensor,
    grad_mask: Tensor,
    grad_output: Tensor,
    with_bias: bool,
    **options: int,
) -> None:
    """Fill the gradients of all inputs; without a bias ``grad_bias`` is empty."""
    offset, mask = (_as_read(maps, grad_output) for maps in (offset, mask))
    arguments = _arguments(options, grad_output, input, weight, offset, mask=mask)
    grads = torchvision_kernels()._deform_conv2d_backward(*arguments)
    grad_input.copy_(grads[0])
    grad_weight.copy_(grads[1])
    _write(grads[2], grad_offset)
    _write(grads[3], grad_mask)
    if with_bias:
        grad_bias.copy_(grads[4])


def _as_read(maps: Tensor, output: Tensor) -> Tensor:
    """Return offsets or masks as the extension reads them, of the size of the output.

    mmdet's DyHead gives larger maps at some levels. The extension reads the first numbers of each
    image as if they had the size of the output, and published weights are trained with that.
    """
    size = output.shape[2:]
    if maps.shape[2:] == size:
        return maps
    channels = maps.shape[1]
    # (N, K, H, W) -> (N, K * H * W), of which K * h * w -> (N, K, h, w)
    return maps.flatten(1)[:, : channels * size.numel()].unflatten(1, (channels, *size))


def _write(grad: Tensor, target: Tensor) -> None:
    """Write the gradient of maps to where they were read; the rest of ``target`` is 0."""
    numbers = grad.new_zeros(target.shape).flatten(1)
    numbers[:, : grad[0].numel()] = grad.flatten(1)
    target.copy_(numbers.view_as(target))


def _arguments(
    options: dict[str, int],
    *tensors: Tensor,
    mask: Tensor | None = None,
    bias: Tensor | None = None,
) -> list[Tensor | int]:
    """Return what a kernel takes: tensors of one type, the geometry, and whether there is a mask.

    ``tensors`` end in input, weight and offset. The kernels want a mask and a bias in any case.
    """
    input, weight, _ = tensors[-3:]
    modulated = mask is not None
    if mask is None:
        mask = input.new_zeros(len(input), 1)
    if bias is None:
        bias = weight.new_zeros(len(weight))
    geometry = [options[key] for key in (MODULATED if modulated else PLAIN)]
    return [*widen(*tensors, mask, bias), *geometry, modulated]
