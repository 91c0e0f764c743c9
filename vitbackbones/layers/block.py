"""The pre-norm transformer block, its MLP, and what a residual branch adds its output to.

    n = LN(x);  x = shortcut_attn(x, n, drop_path(attn(n)))
    n = LN(x);  x = shortcut_mlp(x, n, drop_path(mlp(n)))

Attention and shortcuts are interchangeable, see ``layers.parts``. The usual shortcut adds; SReT
(Shen et al., "Sliced Recursive Transformer", ECCV 2022, Eq. 9-10) learns a coefficient of the
stream and one of the branch.
"""

import torch
from torch import Tensor, nn

from ..errors import OptionError
from .attention import SlicedAttention, Slicing
from .drop import make_drop_path, make_dropout
from .parts import ATTENTIONS, SHORTCUTS, build_part, register, require_choice, supports
from .windows import Windows


class Mlp(nn.Module):
    """fc2(GELU(fc1(x))) on every token, with the exact (erf) GELU.

    Args:
        embed_dims: width of the tokens.
        hidden_dims: width between the two layers.
        drop_rate: dropout after each layer.
    """

    supports = {'first_token'}

    def __init__(self, embed_dims: int, hidden_dims: int, drop_rate: float = 0.0) -> None:
        super().__init__()
        self.fc1 = nn.Linear(embed_dims, hidden_dims)
        self.act = nn.GELU()
        self.fc2 = nn.Linear(hidden_dims, embed_dims)
        self.drop = make_dropout(drop_rate)

    def forward(self, x: Tensor) -> Tensor:
        """Map (..., embed_dims) to (..., embed_dims)."""
        x = self.drop(self.act(self.fc1(x)))
        return self.drop(self.fc2(x))


@register(SHORTCUTS)
class IdentityShortcut(nn.Module):
    """The usual residual connection, x + branch."""

    supports = {'first_token'}

    def __init__(self, embed_dims: int) -> None:
        super().__init__()

    def forward(self, x: Tensor, normed: Tensor, branch: Tensor) -> Tensor:
        """Map the stream, its normalized copy and the branch, all (N, L, C), to (N, L, C)."""
        return x + branch


@register(SHORTCUTS)
class NoShortcut(IdentityShortcut):
    """No connection around the branch: its output alone (Aug-ViT, Table 1)."""

    supports = {'first_token'}

    def forward(self, x: Tensor, normed: Tensor, branch: Tensor) -> Tensor:
        """Map the stream, its normalized copy and the branch, all (N, L, C), to (N, L, C)."""
        return branch


@register(SHORTCUTS)
class CoefficientShortcut(nn.Module):
    """Learnable residual coefficients (SReT, Eq. 9-10), one scalar each, unconstrained, from 1.

        c_identity * x + c_branch * branch

    Args:
        embed_dims: width of the tokens, not used.
        coefficients: which of the two are learned, ``'identity'``, ``'branch'`` or ``'both'``
            (the three variants of SReT's Table 13); the other is 1.

    Raises:
        OptionError: ``coefficients`` is something else.
    """

    supports = {'first_token'}

    def __init__(self, embed_dims: int, coefficients: str = 'both') -> None:
        super().__init__()
        require_choice('coefficients', coefficients, ('identity', 'branch', 'both'))
        self.identity = nn.Parameter(torch.ones(1)) if coefficients != 'branch' else None
        self.branch = nn.Parameter(torch.ones(1)) if coefficients != 'identity' else None

    def forward(self, x: Tensor, normed: Tensor, branch: Tensor) -> Tensor:
        """Map the stream, its normalized copy and the branch, all (N, L, C), to (N, L, C)."""
        if self.identity is not None:
            x = x * self.identity
        return x + branch if self.branch is None else torch.addcmul(x, branch, self.branch)


def build_shortcut(config: dict, embed_dims: int, branch: str) -> nn.Module:
    """Build the shortcut of one residual branch, ``'attention'`` or ``'mlp'``.

    ``config['location']`` says which branches get it, one of them or ``'both'``, the default; the
    other gets the identity.

    Raises:
        OptionError: ``config['location']`` is something else.
    """
    options = dict(config)
    location = options.pop('location', 'both')
    require_choice('location', location, ('attention', 'mlp', 'both'))
    if location not in (branch, 'both'):
        return IdentityShortcut(embed_dims)
    return build_part(SHORTCUTS, options, embed_dims=embed_dims)


# what an attention is built with, beside its widths and dropout, unless the host says otherwise
ATTENTION_OPTIONS = {'qkv_bias': True, 'proj_bias': True, 'attn_drop_rate': 0.0}


class Block(nn.Module):
    """One block; maps tokens to tokens.

    Args:
        embed_dims: width of the tokens.
        num_heads: heads of the attention.
        mlp_ratio: hidden width of the MLP in units of ``embed_dims``.
        attention: configuration of the attention (see ``layers.parts``).
        shortcut: configuration of the two shortcuts (see :func:`build_shortcut`).
        drop_rate: dropout on the outputs of attention and MLP.
        drop_path_rate: stochastic depth of both branches.
        norm_eps: epsilon of the LayerNorms.
        reduction: module that makes the attention's context from the normalized tokens and
            their grid; ``None`` for self-attention.
        mlp: class of the MLP.
        window_size: attend in windows of at most so many tokens along a side (:class:`Windows`);
            ``None`` for global attention.
        options: further arguments of the attention: ``qkv_bias`` and ``proj_bias``, the biases of
            the projections of its input and its output, ``attn_drop_rate``, dropout on its
            weights, and any of its own.

    Raises:
        OptionError: windows of an attention that cuts the tokens into slices.
    """

    supports = {'first_token'}  # where its parts do

    def __init__(
        self,
        embed_dims: int,
        num_heads: int,
        mlp_ratio: float,
        attention: dict,
        shortcut: dict,
        *,
        drop_rate: float = 0.0,
        drop_path_rate: float = 0.0,
        norm_eps: float = 1e-6,
        reduction: nn.Module | None = None,
        mlp: type[nn.Module] = Mlp,
        window_size: int | None = None,
        **options,
    ) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(embed_dims, eps=norm_eps)
        self.reduction = reduction
        self.attn = build_part(
            ATTENTIONS,
            attention,
            embed_dims=embed_dims,
            num_heads=num_heads,
            cross=reduction is not None,
            drop_rate=drop_rate,
            **{**ATTENTION_OPTIONS, **options},
        )
        self.windows = None if window_size is None else Windows(window_size)
        if self.windows is not None and isinstance(self.attn, SlicedAttention):
            raise OptionError(
                f'window_size={window_size}: {type(self.attn).__name__} already splits the '
                'tokens into slices. Windows require attention over all input tokens'
            )
        self.norm2 = nn.LayerNorm(embed_dims, eps=norm_eps)
        self.mlp = mlp(embed_dims, int(embed_dims * mlp_ratio), drop_rate)
        self.shortcut_attn = build_shortcut(shortcut, embed_dims, 'attention')
        self.shortcut_mlp = build_shortcut(shortcut, embed_dims, 'mlp')
        self.drop_path = make_drop_path(drop_path_rate)

    def forward(
        self,
        x: Tensor,
        size: tuple[int, int],
        slicing: Slicing | None = None,
        bias: Tensor | None = None,
    ) -> Tensor:
        """Map tokens (N, L, C) to (N, L, C).

        ``size`` (h, w) is the grid of the last h * w tokens. With a ``slicing`` the attention acts
        within its slices. A ``bias`` is added to the scores of an attention among all tokens,
        broadcast to (N, heads, L, L).
        """
        n = self.norm1(x)
        if bias is not None:
            attended = self.attn(n, None, bias)
        elif slicing is None:
            attended = self.attend(n, size)
        else:
            attended = slicing(self.attn, n, n.shape[1] - size[0] * size[1])
        x = self.shortcut_attn(x, n, self.drop_path(attended))
        n = self.norm2(x)
        return self.shortcut_mlp(x, n, self.drop_path(self.mlp(n)))

    def attend(self, n: Tensor, size: tuple[int, int]) -> Tensor:
        """Apply the attention to normalized tokens (N, L, C); returns (N, L, C)."""
        if self.windows is not None:
            return self.windows(self.attn, n, n.shape[1] - size[0] * size[1], size)
        return self.attn(n, None if self.reduction is None else self.reduction(n, size))

    def for_first_token(self) -> nn.Module:
        """Return a block that answers for the first token alone; itself if it has no such form."""
        parts = (self, self.attn, self.mlp, self.shortcut_attn, self.shortcut_mlp)
        able = all(supports(part, 'first_token') for part in parts)
        others_asked = self.reduction is not None or self.windows is not None
        return FirstTokenBlock(self) if able and not others_asked else self


class FirstTokenBlock(nn.Module):
    """A block's answer for the first token (the class token), at inference.

    All tokens are keys and values, but one asks, so the rest is done for one token.
    """

    def __init__(self, block: Block) -> None:
        super().__init__()
        self.block = block

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        """Map tokens (N, L, C) to (N, 1, C); arguments as of the block."""
        block = self.block
        n = self.block.norm1(x)
        first = n[:, :1]
        x = block.shortcut_attn(x[:, :1], first, block.attn(first, n))
        n = block.norm2(x)
        return block.shortcut_mlp(x, n, block.mlp(n))


def keep_first_token(blocks: nn.ModuleList) -> None:
    """Let the last of ``blocks`` answer for the first token alone, if it has such a form."""
    shorten = getattr(blocks[-1], 'for_first_token', None)
    if shorten is not None:
        blocks[-1] = shorten()
