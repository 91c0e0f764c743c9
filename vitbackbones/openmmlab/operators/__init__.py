"""mmcv's operators without its compiled extension, on torchvision's kernels and plain torch.

``mmcv.ops`` calls ``mmcv._ext``, which is compiled for one pair of torch and CUDA. Where it is not
installed, :class:`Operators` takes its place. The functions have the extension's signatures, so
that mmcv's own modules and gradients stay in use. They run on every device and in every floating
type, computing in float32 at least.
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

from . import deformable_attention, deformable_convolution, focal_loss, regions, suppression


@dataclass(frozen=True)
class Operator:
    """How an operator is served.

    Attributes:
        function: takes what the extension's takes.
        kernel: what computes it.
        limits: where it differs from the extension's.
    """

    function: Callable
    kernel: str
    limits: str = ''


_NMS = "torchvision's `nms`"
_LOOP = 'numpy, on the CPU as in mmcv'
_ROI_ALIGN = "average: torchvision's `roi_align`; maximum: torch"
_CONVOLUTION = "torchvision's `deform_conv2d`"
_ATTENTION = "torch's embedding bags"

_SORTED = 'equal scores come as in mmcv: in the order of an unstable sort'
_NEGATIVE = 'a region of negative size gives 0, as on CUDA; mmcv refuses it on a CPU'
_LOGARITHM = 'logarithms go below -87, where those of mmcv end'

_SERVED = (
    Operator(suppression.bbox_overlaps, 'torch'),
    Operator(suppression.nms, _NMS, _SORTED),
    Operator(suppression.nms_match, _LOOP, _SORTED),
    Operator(suppression.softnms, _LOOP),
    Operator(regions.roi_align_forward, _ROI_ALIGN, _NEGATIVE),
    Operator(regions.roi_align_backward, _ROI_ALIGN),
    Operator(focal_loss.sigmoid_focal_loss_forward, 'torch', _LOGARITHM),
    Operator(focal_loss.sigmoid_focal_loss_backward, 'torch', _LOGARITHM),
    Operator(deformable_convolution.deform_conv_forward, _CONVOLUTION),
    Operator(deformable_convolution.deform_conv_backward_input, _CONVOLUTION),
    Operator(deformable_convolution.deform_conv_backward_parameters, _CONVOLUTION),
    Operator(deformable_convolution.modulated_deform_conv_forward, _CONVOLUTION),
    Operator(deformable_convolution.modulated_deform_conv_backward, _CONVOLUTION),
    Operator(deformable_attention.ms_deform_attn_forward, _ATTENTION),
    Operator(deformable_attention.ms_deform_attn_backward, _ATTENTION),
)
OPERATORS = {operator.function.__name__: operator for operator in _SERVED}


class Operators(ModuleType):
    """Stands in for ``mmcv._ext``. An operator that is not served says so when it is called."""

    def __getattr__(self, name: str):
        if name.startswith('__'):
            raise AttributeError(name)
        if name in OPERATORS:
            return OPERATORS[name].function

        def missing(*args, **kwargs):
            raise ImportError(
                f'mmcv operator {name!r} needs the compiled mmcv extension, which is not '
                f'installed. vitbackbones stands in for {", ".join(OPERATORS)} alone. Install mmcv '
                'with its operators.'
            )

        return missing
