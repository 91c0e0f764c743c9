"""What a residual branch adds its output to.

The interface that every shortcut keeps: ``shortcut(x, normed, branch) -> x``, with the residual
stream ``x``, its normalised copy that the branch read, and what the branch answered (after
stochastic depth), all (N, L, C).

One that can give a factor of the branch to the branch's last linear layer says so by
``fold_into(last) -> shortcut``, which returns what is left to do at inference (``layers.fuse``).
"""

import torch
from torch import Tensor, nn

from ..errors import OptionError
from .parts import SHORTCUTS, build_part, register


@register(SHORTCUTS)
class IdentityShortcut(nn.Module):
    """The usual residual connection, x + branch."""

    def __init__(self, embed_dims: int) -> None:
        super().__init__()

    def forward(self, x: Tensor, normed: Tensor, branch: Tensor) -> Tensor:
        """Map the stream, its normalised copy and the branch, all (N, L, C), to (N, L, C)."""
        return x + branch

    def fold_into(self, last: nn.Linear) -> nn.Module:
        """There is no factor; what remains needs no new memory."""
        return ScaledIdentity(1.0)


@register(SHORTCUTS)
class CoefficientShortcut(nn.Module):
    """Learnable residual coefficients (SReT, Eq. 9-10), one scalar each, unconstrained, from 1.

        c_identity * x + c_branch * branch

    Args:
        embed_dims: width of the tokens, not used.
        coefficients: which of the two are learned, ``'identity'``, ``'branch'`` or ``'both'``
            (the three variants of SReT's Table 13); the other is 1.
    """

    def __init__(self, embed_dims: int, coefficients: str = 'both') -> None:
        super().__init__()
        if coefficients not in ('identity', 'branch', 'both'):
            raise OptionError(
                f"coefficients={coefficients!r} is none of 'identity', 'branch', 'both'"
            )
        self.identity = nn.Parameter(torch.ones(1)) if coefficients != 'branch' else None
        self.branch = nn.Parameter(torch.ones(1)) if coefficients != 'identity' else None

    def forward(self, x: Tensor, normed: Tensor, branch: Tensor) -> Tensor:
        if self.identity is not None:
            x = x * self.identity
        return x + branch if self.branch is None else torch.addcmul(x, branch, self.branch)

    def fold_into(self, last: nn.Linear) -> nn.Module:
        """Multiply the branch's coefficient into its ``last`` layer; return what then remains."""
        if self.branch is not None:
            scale_linear(last, self.branch)
        return ScaledIdentity(1.0 if self.identity is None else self.identity.item())


class ScaledIdentity(nn.Module):
    """scale * x + branch with a constant ``scale``, for inference: overwrites ``branch``."""

    def __init__(self, scale: float) -> None:
        super().__init__()
        self.scale = scale

    def forward(self, x: Tensor, normed: Tensor, branch: Tensor) -> Tensor:
        return branch.add_(x, alpha=self.scale)


def scale_linear(layer: nn.Linear, factor: float | Tensor) -> None:
    """Multiply what ``layer`` answers by ``factor``, in its parameters."""
    layer.weight.mul_(factor)
    if layer.bias is not None:
        layer.bias.mul_(factor)


def build_shortcut(config: dict, embed_dims: int, branch: str) -> nn.Module:
    """Build the shortcut of one residual branch, ``'attention'`` or ``'mlp'``.

    ``config['location']`` says which branches get it (``'both'`` where absent); the other
    gets the identity.
    """
    options = dict(config)
    location = options.pop('location', 'both')
    if location not in ('attention', 'mlp', 'both'):
        raise OptionError(f"location={location!r} is none of 'attention', 'mlp', 'both'")
    if location not in (branch, 'both'):
        return IdentityShortcut(embed_dims)
    return build_part(SHORTCUTS, options, embed_dims=embed_dims)
