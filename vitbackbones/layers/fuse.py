"""Folding what is constant at inference into the linear layers before it.

* A BatchNorm right after a convolution goes into the convolution's weights.
* A learned coefficient of a residual branch (SReT) goes into the branch's last linear layer; the
  identity's coefficient stays, as a factor of the one addition that is left.

Only what is exact (up to rounding) is folded; every other part stays as it is.
"""

from copy import deepcopy

import torch
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from .attention import DotProductAttention
from .mlp import Mlp
from .shortcut import CoefficientShortcut
from .sliced_attention import SlicedAttention

# Branches that end in a linear layer, and its name. A subclass may do more after it, so exact
# types are listed; a part of one's own is entered like these.
LAST_LINEAR: dict[type[nn.Module], str] = {
    DotProductAttention: 'proj',
    SlicedAttention: 'proj',
    Mlp: 'fc2',
}


@torch.no_grad()
def fuse_for_inference(model: nn.Module) -> nn.Module:
    """Return a copy of ``model`` in eval mode with the same outputs and fewer operations.

    A module says which branch each of its shortcuts closes by ``residuals``, a dict of attribute
    names ``{shortcut: branch}``. The copy cannot be trained further or loaded into.
    """
    model = deepcopy(model).eval()  # a BatchNorm can be folded in eval mode only
    for module in list(model.modules()):
        if isinstance(module, nn.Sequential):
            _fold_norms(module)
        for shortcut, branch in getattr(module, 'residuals', {}).items():
            _fold_coefficients(module, shortcut, getattr(module, branch))
    return model.requires_grad_(False).eval()


def _fold_norms(layers: nn.Sequential) -> None:
    for i in range(1, len(layers)):
        if isinstance(layers[i - 1], nn.Conv2d) and isinstance(layers[i], nn.BatchNorm2d):
            layers[i - 1] = fuse_conv_bn_eval(layers[i - 1], layers[i])
            layers[i] = nn.Identity()


def _fold_coefficients(module: nn.Module, shortcut: str, branch: nn.Module) -> None:
    part = getattr(module, shortcut)
    if isinstance(part, CoefficientShortcut) and type(branch) in LAST_LINEAR:
        setattr(module, shortcut, part.fold_into(getattr(branch, LAST_LINEAR[type(branch)])))
