"""mmcv's operators without its compiled extension, on torchvision's kernels and plain torch.

``mmcv.ops`` calls ``mmcv._ext``, which is compiled for one pair of torch and CUDA. Where it is not
installed, :class:`Operators` takes its place. The functions have the extension's signatures, so
that mmcv's own modules and gradients stay in use. They run on every device and in every floating
type, computing in float32 at least.
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

from . import deformable_convolution, regions, suppression


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


_DEFORM_CONV = "torchvision's `deform_conv2d`"
_ROI_ALIGN = "average: torchvision's `roi_align`; maximum: torch"
_ROI_POOL = "torchvision's `roi_pool`, a bin at a time; gradient: torch"

OPERATORS = {
    'bbox_overlaps': Operator(suppression.bbox_overlaps, 'torch'),
    'nms': Operator(suppression.nms, "torchvision's `nms`"),
    'nms_match': Operator(suppression.nms_match, 'numpy, on the CPU, as in mmcv'),
    'softnms': Operator(suppression.softnms, 'numpy, on the CPU, as in mmcv'),
    'roi_align_forward': Operator(regions.roi_align_forward, _ROI_ALIGN),
    'roi_align_backward': Operator(regions.roi_align_backward, _ROI_ALIGN),
    'roi_pool_forward': Operator(regions.roi_pool_forward, _ROI_POOL),
    'roi_pool_backward': Operator(regions.roi_pool_backward, _ROI_POOL),
    'deform_conv_forward': Operator(deformable_convolution.deform_conv_forward, _DEFORM_CONV),
    'deform_conv_backward_input': Operator(
        deformable_convolution.deform_conv_backward_input, _DEFORM_CONV
    ),
    'deform_conv_backward_parameters': Operator(
        deformable_convolution.deform_conv_backward_parameters, _DEFORM_CONV
    ),
    'modulated_deform_conv_forward': Operator(
        deformable_convolution.modulated_deform_conv_forward, _DEFORM_CONV
    ),
    'modulated_deform_conv_backward': Operator(
        deformable_convolution.modulated_deform_conv_backward, _DEFORM_CONV
    ),
}


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
                f'installed. vitbackbones stands in for {", ".join(OPERATORS)}, and not for this '
                'one; install mmcv with its operators.'
            )

        return missing
