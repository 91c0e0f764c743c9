"""Deformable convolution, by torchvision's kernels.

Dai et al., "Deformable Convolutional Networks", 2017; with a mask, Zhu et al., "Deformable ConvNets
v2", 2019. Input is (N, C, H, W), ``offset`` (N, 2 D h w, H', W') in pairs y, x for D deformable
groups and a kernel of h x w, ``mask`` (N, D h w, H', W'), output (N, C', H', W').

``columns`` and ``ones`` are scratch memory of the compiled operators.
"""

from torch import Tensor

from .kernels import torchvision_kernels, widen


def deform_conv_forward(
    input: Tensor,
    weight: Tensor,
    offset: Tensor,
    output: Tensor,
    columns: Tensor,
    ones: Tensor,
    kW: int,
    kH: int,
    dW: int,
    dH: int,
    padW: int,
    padH: int,
    dilationW: int,
    dilationH: int,
    group: int,
    deformable_group: int,
    im2col_step: int,
) -> None:
    """Fill ``output`` with the convolution of ``input`` at places moved by ``offset``."""
    geometry = (dH, dW, padH, padW, dilationH, dilationW, group, deformable_group)
    output.copy_(_convolve(input, weight, offset, None, None, geometry))


def deform_conv_backward_input(
    input: Tensor,
    offset: Tensor,
    gradOutput: Tensor,
    gradInput: Tensor,
    gradOffset: Tensor,
    weight: Tensor,
    columns: Tensor,
    kW: int,
    kH: int,
    dW: int,
    dH: int,
    padW: int,
    padH: int,
    dilationW: int,
    dilationH: int,
    group: int,
    deformable_group: int,
    im2col_step: int,
) -> None:
    """Fill ``gradInput`` and ``gradOffset``.

    The kernel gives the gradient of the weight as well. ``columns`` takes it to
    :func:`deform_conv_backward_parameters`, which gets the same scratch memory.
    """
    geometry = (dH, dW, padH, padW, dilationH, dilationW, group, deformable_group)
    grads = _gradients(gradOutput, input, weight, offset, None, None, geometry)
    gradInput.copy_(grads[0])
    gradOffset.copy_(grads[2])
    columns.resize_(weight.shape).copy_(grads[1])


def deform_conv_backward_parameters(
    input: Tensor,
    offset: Tensor,
    gradOutput: Tensor,
    gradWeight: Tensor,
    columns: Tensor,
    ones: Tensor,
    kW: int,
    kH: int,
    dW: int,
    dH: int,
    padW: int,
    padH: int,
    dilationW: int,
    dilationH: int,
    group: int,
    deformable_group: int,
    scale: float,
    im2col_step: int,
) -> None:
    """Add ``scale`` times the gradient of the weight to ``gradWeight``."""
    if columns.shape != gradWeight.shape:  # the input's gradient was not asked for
        geometry = (dH, dW, padH, padW, dilationH, dilationW, group, deformable_group)
        columns = _gradients(gradOutput, input, gradWeight, offset, None, None, geometry)[1]
    gradWeight.add_(columns, alpha=scale)


def modulated_deform_conv_forward(
    input: Tensor,
    weight: Tensor,
    bias: Tensor,
    ones: Tensor,
    offset: Tensor,
    mask: Tensor,
    output: Tensor,
    columns: Tensor,
    kernel_h: int,
    kernel_w: int,
    stride_h: int,
    stride_w: int,
    pad_h: int,
    pad_w: int,
    dilation_h: int,
    dilation_w: int,
    group: int,
    deformable_group: int,
    with_bias: bool,
) -> None:
    """Fill ``output`` with the convolution at moved places, each weighted by ``mask``."""
    geometry = (stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, group, deformable_group)
    bias = bias if with_bias else None
    output.copy_(_convolve(input, weight, offset, mask, bias, geometry))


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
    kernel_h: int,
    kernel_w: int,
    stride_h: int,
    stride_w: int,
    pad_h: int,
    pad_w: int,
    dilation_h: int,
    dilation_w: int,
    group: int,
    deformable_group: int,
    with_bias: bool,
) -> None:
    """Fill the gradients of all inputs."""
    geometry = (stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, group, deformable_group)
    filled = [grad_input, grad_weight, grad_offset, grad_mask]
    if with_bias:
        filled.append(grad_bias)
    bias = bias if with_bias else None
    found = _gradients(grad_output, input, weight, offset, mask, bias, geometry)
    for each, grad in zip(filled, found, strict=False):  # without a bias the last is left
        each.copy_(grad)


def _convolve(
    input: Tensor,
    weight: Tensor,
    offset: Tensor,
    mask: Tensor | None,
    bias: Tensor | None,
    geometry: tuple[int, ...],
) -> Tensor:
    inputs = _kernel_inputs(input, weight, offset, mask, bias)
    return torchvision_kernels().deform_conv2d(*inputs, *geometry, mask is not None)


def _gradients(
    grad: Tensor,
    input: Tensor,
    weight: Tensor,
    offset: Tensor,
    mask: Tensor | None,
    bias: Tensor | None,
    geometry: tuple[int, ...],
) -> tuple[Tensor, ...]:
    """Return the gradients of input, weight, offset, mask and bias."""
    grad, *inputs = widen(grad, *_kernel_inputs(input, weight, offset, mask, bias))
    return torchvision_kernels()._deform_conv2d_backward(grad, *inputs, *geometry, mask is not None)


def _kernel_inputs(
    input: Tensor, weight: Tensor, offset: Tensor, mask: Tensor | None, bias: Tensor | None
) -> list[Tensor]:
    """Return the tensors in one type; the kernel wants a mask and a bias in any case."""
    if mask is None:
        mask = input.new_zeros((len(input), 1))
    if bias is None:
        bias = input.new_zeros(len(weight))
    return [each.contiguous() for each in widen(input, weight, offset, mask, bias)]
