"""Folding what is constant at inference, and leaving out what is not needed there.

* A BatchNorm right after a convolution goes into the convolution's weights.
* A factor of a residual branch (SReT's learned coefficient, Aug-ViT's 3/4) goes into the branch's
  last linear layer; the identity's factor stays in the one addition that is left.
* Activations and residual sums are written over memory that nobody reads again.
* Where only the class token is returned, the last block answers for that token alone.

Only what is exact (up to rounding) is folded; every other part stays as it is. The affine part of
a LayerNorm could go into the linear layers after it, but that makes the norm slower, not faster.
"""

from copy import deepcopy

import torch
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from .attention import DotProductAttention
from .mean_shift import MeanShiftAttention
from .mlp import Mlp
from .sliced_attention import SlicedAttention

# Branches that end in a linear layer, whose answer is memory of their own, and the layer's name.
# A subclass may do more after it, so exact types are listed; a part of one's own is entered like
# these.
LAST_LINEAR: dict[type[nn.Module], str] = {
    DotProductAttention: 'proj',
    SlicedAttention: 'proj',
    MeanShiftAttention: 'proj',
    Mlp: 'fc2',
}


@torch.no_grad()
def fuse_for_inference(model: nn.Module) -> nn.Module:
    """Return a copy of ``model`` in eval mode with the same outputs and fewer operations.

    A module says which branch each of its shortcuts closes by ``residuals``, a dict of attribute
    names ``{shortcut: branch}``, and folds what else it can in its ``fold_for_inference()``. The
    copy cannot be trained further or loaded into.
    """
    model = deepcopy(model).eval()  # a BatchNorm can be folded in eval mode only
    for module in list(model.modules()):
        if isinstance(module, nn.Sequential):
            _fold_norms(module)
        if hasattr(module, 'fold_for_inference'):
            module.fold_for_inference()
        for shortcut, branch in getattr(module, 'residuals', {}).items():
            _fold_shortcut(module, shortcut, getattr(module, branch))
    return model.requires_grad_(False).eval()


def _fold_norms(layers: nn.Sequential) -> None:
    for i in range(1, len(layers)):
        if isinstance(layers[i - 1], nn.Conv2d) and isinstance(layers[i], nn.BatchNorm2d):
            layers[i - 1] = fuse_conv_bn_eval(layers[i - 1], layers[i])
            layers[i] = nn.Identity()


def _fold_shortcut(module: nn.Module, shortcut: str, branch: nn.Module) -> None:
    part, last = getattr(module, shortcut), _last_linear(branch)
    if last is not None and hasattr(part, 'fold_into'):
        setattr(module, shortcut, part.fold_into(last))


def _last_linear(branch: nn.Module) -> nn.Linear | None:
    if getattr(branch, 'tied', None) is not None or getattr(branch, 'probe', None) == 'residual':
        return None  # mean shift: the last matrix is another's too, or the probe comes after it
    return getattr(branch, LAST_LINEAR[type(branch)]) if type(branch) in LAST_LINEAR else None
