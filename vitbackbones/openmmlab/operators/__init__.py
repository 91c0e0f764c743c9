"""mmcv's operators without its compiled extension, on torchvision's kernels and plain torch.

``mmcv.ops`` calls ``mmcv._ext``, which is compiled for one pair of torch and CUDA. Where it is not
installed, :class:`Operators` takes its place. It has what the configs of this package and of the
toolboxes call, with the extension's signatures, so that mmcv's own modules and gradients stay in
use. The functions run on every device and in every floating type, computing in
float32 at least.
"""

from types import ModuleType

from . import (
    carafe,
    deformable_attention,
    deformable_convolution,
    focal_loss,
    kernels,
    masked_convolution,
    psa_mask,
    soft_suppression,
)

_SERVED = (
    kernels.nms,
    kernels.roi_align_forward,
    kernels.roi_align_backward,
    focal_loss.sigmoid_focal_loss_forward,
    focal_loss.sigmoid_focal_loss_backward,
    deformable_convolution.deform_conv_forward,
    deformable_convolution.deform_conv_backward_input,
    deformable_convolution.deform_conv_backward_parameters,
    deformable_convolution.modulated_deform_conv_forward,
    deformable_convolution.modulated_deform_conv_backward,
    deformable_attention.ms_deform_attn_forward,
    deformable_attention.ms_deform_attn_backward,
    soft_suppression.softnms,
    soft_suppression.nms_match,
    masked_convolution.masked_im2col_forward,
    masked_convolution.masked_col2im_forward,
    carafe.carafe_forward,
    carafe.carafe_backward,
    psa_mask.psamask_forward,
    psa_mask.psamask_backward,
)
OPERATORS = {function.__name__: function for function in _SERVED}


class Operators(ModuleType):
    """Stands in for ``mmcv._ext``. An operator that is not served says so when it is called."""

    def __getattr__(self, name: str):
        if name.startswith('__'):
            raise AttributeError(name)
        if name in OPERATORS:
            return OPERATORS[name]

        def missing(*args, **kwargs):
            raise ImportError(
                f'mmcv operator {name!r} requires the compiled mmcv extension, which is not '
                f'installed. vitbackbones replaces only {", ".join(OPERATORS)}. Install mmcv '
                'with its operators.'
            )

        return missing
