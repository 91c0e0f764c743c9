"""What a residual branch adds its output to.

The interface that every shortcut keeps: ``shortcut(x, normed, branch) -> x``, with the residual
stream ``x``, its normalised copy that the branch read, and what the branch answered (after
stochastic depth), all (N, L, C).
"""

from torch import Tensor, nn

from .parts import SHORTCUTS, build_part, register


@register(SHORTCUTS)
class IdentityShortcut(nn.Module):
    """The usual residual connection, x + branch."""

    def __init__(self, embed_dims: int) -> None:
        super().__init__()

    def forward(self, x: Tensor, normed: Tensor, branch: Tensor) -> Tensor:
        return x + branch


def build_shortcut(config: dict, embed_dims: int, branch: str) -> nn.Module:
    """Build the shortcut of one residual branch, ``'attention'`` or ``'mlp'``.

    ``config['location']`` says which branches get it (``'both'`` where absent); the other
    gets the identity.
    """
    options = dict(config)
    location = options.pop('location', 'both')
    if location not in ('attention', 'mlp', 'both'):
        raise ValueError(f"location={location!r} is none of 'attention', 'mlp', 'both'")
    if location not in (branch, 'both'):
        return IdentityShortcut(embed_dims)
    return build_part(SHORTCUTS, options, embed_dims=embed_dims)
