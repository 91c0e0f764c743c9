"""Folding what is constant at inference, and leaving out what is not needed there.

* A BatchNorm right after a convolution goes into the convolution's weights.
* A factor of a residual branch (SReT's learned coefficient, Aug-ViT's 3/4) goes into the branch's
  last linear layer; the identity's factor stays in the one addition that is left.
* Activations and residual sums are written over memory that nobody reads again.
* Where only the class token is returned, the last block answers for that token alone.

Only what is exact (up to rounding) is folded, and only what the parts declare (``layers.parts``);
every other part stays as it is. The affine part of a LayerNorm could go into the linear layers
after it, but that makes the norm slower, not faster.
"""

from copy import deepcopy

import torch
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from .parts import declared


@torch.no_grad()
def fuse_for_inference(model: nn.Module) -> nn.Module:
    """Return a copy of ``model`` in eval mode with the same outputs and fewer operations.

    The copy cannot be trained further or loaded into.
    """
    model = deepcopy(model).eval()  # a BatchNorm can be folded in eval mode only
    for module in list(model.modules()):
        if isinstance(module, nn.Sequential):
            _fold_norms(module)
        if hasattr(module, 'fold_for_inference'):
            module.fold_for_inference()
        for shortcut, branch in (declared(module, 'residuals') or {}).items():
            _fold_shortcut(module, shortcut, getattr(module, branch))
    return model.requires_grad_(False).eval()


def _fold_norms(layers: nn.Sequential) -> None:
    for i in range(1, len(layers)):
        if isinstance(layers[i - 1], nn.Conv2d) and isinstance(layers[i], nn.BatchNorm2d):
            layers[i - 1] = fuse_conv_bn_eval(layers[i - 1], layers[i])
            layers[i] = nn.Identity()


def _fold_shortcut(module: nn.Module, shortcut: str, branch: nn.Module) -> None:
    """Fold a shortcut into the branch that it closes, where both say how."""
    last = declared(branch, 'last_linear')
    fold_into = declared(getattr(module, shortcut), 'fold_into')
    # a subclass, such as one with a parametrized weight or an adapter, may not keep the factor
    if type(last) is nn.Linear and fold_into is not None:
        setattr(module, shortcut, fold_into(last))


def keep_first_token(blocks: nn.ModuleList) -> None:
    """Let the last of ``blocks`` answer for the first token alone, if it has such a form."""
    if hasattr(blocks[-1], 'for_first_token'):
        blocks[-1] = blocks[-1].for_first_token()


def scale_linear(layer: nn.Linear, factor: float | Tensor) -> None:
    """Multiply what ``layer`` answers by ``factor``, in its parameters."""
    layer.weight.mul_(factor)
    if layer.bias is not None:
        layer.bias.mul_(factor)


class ScaledIdentity(nn.Module):
    """The shortcut scale * x + branch with a constant ``scale``; overwrites ``branch``."""

    def __init__(self, scale: float) -> None:
        super().__init__()
        self.scale = scale

    def forward(self, x: Tensor, normed: Tensor, branch: Tensor) -> Tensor:
        """Map the stream, its normalized copy and the branch, all (N, L, C), to (N, L, C)."""
        return branch.add_(x, alpha=self.scale)


class InPlaceGELU(nn.Module):
    """The exact GELU, written over its input."""

    def forward(self, x: Tensor) -> Tensor:
        """Map any shape to itself."""
        return torch.ops.aten.gelu_(x)
