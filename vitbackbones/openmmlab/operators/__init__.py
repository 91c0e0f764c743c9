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
_ROI_POOL = "torchvision's `roi_pool`, each bin as a region; gradient: torch"
_CONVOLUTION = "torchvision's `deform_conv2d`"
_ATTENTION = "torch's embedding bags"

_SORTED = 'equal scores come as in mmcv: in the order of an unstable sort'
_NEGATIVE = 'a region of negative size gives 0, as on CUDA; mmcv refuses it on a CPU'
_EMPTY_POOL = 'a region of no size has no gradient; in mmcv its first pixel has one'
_LOGARITHM = 'logarithms go below -87, where those of mmcv end'

OPERATORS = {
    'bbox_overlaps': Operator(suppression.bbox_overlaps, 'torch'),
    'nms': Operator(suppression.nms, _NMS, _SORTED),
    'nms_match': Operator(suppression.nms_match, _LOOP, _SORTED),
    'softnms': Operator(suppression.softnms, _LOOP),
    'roi_align_forward': Operator(regions.roi_align_forward, _ROI_ALIGN, _NEGATIVE),
    'roi_align_backward': Operator(regions.roi_align_backward, _ROI_ALIGN),
    'roi_pool_forward': Operator(regions.roi_pool_forward, _ROI_POOL),
    'roi_pool_backward': Operator(regions.roi_pool_backward, _ROI_POOL, _EMPTY_POOL),
    'sigmoid_focal_loss_forward': Operator(
        focal_loss.sigmoid_focal_loss_forward, 'torch', _LOGARITHM
    ),
    'sigmoid_focal_loss_backward': Operator(
        focal_loss.sigmoid_focal_loss_backward, 'torch', _LOGARITHM
    ),
    'softmax_focal_loss_forward': Operator(focal_loss.softmax_focal_loss_forward, 'torch'),
    'softmax_focal_loss_backward': Operator(focal_loss.softmax_focal_loss_backward, 'torch'),
    'deform_conv_forward': Operator(deformable_convolution.deform_conv_forward, _CONVOLUTION),
    'deform_conv_backward_input': Operator(
        deformable_convolution.deform_conv_backward_input, _CONVOLUTION
    ),
    'deform_conv_backward_parameters': Operator(
        deformable_convolution.deform_conv_backward_parameters, _CONVOLUTION
    ),
    'modulated_deform_conv_forward': Operator(
        deformable_convolution.modulated_deform_conv_forward, _CONVOLUTION
    ),
    'modulated_deform_conv_backward': Operator(
        deformable_convolution.modulated_deform_conv_backward, _CONVOLUTION
    ),
    'ms_deform_attn_forward': Operator(deformable_attention.ms_deform_attn_forward, _ATTENTION),
    'ms_deform_attn_backward': Operator(deformable_attention.ms_deform_attn_backward, _ATTENTION),
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
