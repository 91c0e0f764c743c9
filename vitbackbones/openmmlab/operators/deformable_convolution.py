"""Deformable convolution, by torchvision's kernels.

Dai et al., "Deformable Convolutional Networks", 2017; with a mask, Zhu et al., "Deformable ConvNets
v2", 2019. Input is (N, C, H, W), ``offset`` (N, 2 D h w, H', W') in pairs y, x for D deformable
groups and a kernel of h x w, ``mask`` (N, D h w, H', W'), output (N, C', H', W').

``columns`` and ``ones`` are scratch memory of the compiled operators. Strides, paddings, dilations
and groups come by keyword, which mmcv spells in two ways.
"""

from torch import Tensor

from .kernels import torchvision_kernels, widen

GROUPS = ('group', 'deformable_group')
GEOMETRY = ('dH', 'dW', 'padH', 'padW', 'dilationH', 'dilationW', *GROUPS)
MODULATED = ('stride_h', 'stride_w', 'pad_h', 'pad_w', 'dilation_h', 'dilation_w', *GROUPS)


def deform_conv_forward(
    input: Tensor,
    weight: Tensor,
    offset: Tensor,
    output: Tensor,
    columns: Tensor,
    ones: Tensor,
    **options: int,
) -> None:
    """Fill ``output`` with the convolution of ``input`` at places moved by ``offset``."""
    geometry = [options[key] for key in GEOMETRY]
    output.copy_(_convolve(input, weight, offset, None, None, geometry))


def deform_conv_backward_input(
    input: Tensor,
    offset: Tensor,
    gradOutput: Tensor,
    gradInput: Tensor,
    gradOffset: Tensor,
    weight: Tensor,
    columns: Tensor,
    **options: int,
) -> None:
    """Fill ``gradInput`` and ``gradOffset``.

    The kernel gives the gradient of the weight as well. ``columns`` takes it to
    :func:`deform_conv_backward_parameters`, which gets the same scratch memory.
    """
    geometry = [options[key] for key in GEOMETRY]
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
    scale: float,
    **options: int,
) -> None:
    """Add ``scale`` times the gradient of the weight to ``gradWeight``."""
    if columns.shape != gradWeight.shape:  # the input's gradient was not asked for
        geometry = [options[key] for key in GEOMETRY]
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
    with_bias: bool,
    **options: int,
) -> None:
    """Fill ``output`` with the convolution at moved places, each weighted by ``mask``."""
    geometry = [options[key] for key in MODULATED]
    output.copy_(_convolve(input, weight, offset, mask, bias if with_bias else None, geometry))


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
    """Fill the gradients of all inputs."""
    geometry = [options[key] for key in MODULATED]
    given = bias if with_bias else None
    grads = _gradients(grad_output, input, weight, offset, mask, given, geometry)
    grad_input.copy_(grads[0])
    grad_weight.copy_(grads[1])
    grad_offset.copy_(grads[2])
    grad_mask.copy_(grads[3])
    if with_bias:
        grad_bias.copy_(grads[4])


def _convolve(
    input: Tensor,
    weight: Tensor,
    offset: Tensor,
    mask: Tensor | None,
    bias: Tensor | None,
    geometry: list[int],
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
    geometry: list[int],
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
