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

SERVED = {
    kernels: 'nms roi_align_forward roi_align_backward',
    focal_loss: 'sigmoid_focal_loss_forward sigmoid_focal_loss_backward',
    deformable_convolution: (
        'deform_conv_forward deform_conv_backward_input deform_conv_backward_parameters '
        'modulated_deform_conv_forward modulated_deform_conv_backward'
    ),
    deformable_attention: 'ms_deform_attn_forward ms_deform_attn_backward',
    soft_suppression: 'softnms nms_match',
    masked_convolution: 'masked_im2col_forward masked_col2im_forward',
    carafe: 'carafe_forward carafe_backward',
    psa_mask: 'psamask_forward psamask_backward',
}
OPERATORS = {
    name: getattr(module, name) for module, names in SERVED.items() for name in names.split()
}


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
