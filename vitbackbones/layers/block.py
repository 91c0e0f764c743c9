"""The pre-norm transformer block with interchangeable attention and shortcuts.

n = LN(x);  x = shortcut_attn(x, n, drop_path(attn(n)))
n = LN(x);  x = shortcut_mlp(x, n, drop_path(mlp(n)))
"""

from torch import Tensor, nn

from .attention import DotProductAttention
from .augmented_shortcut import AugmentedShortcut
from .drop_path import DropPath
from .mean_shift import MeanShiftAttention
from .mlp import Mlp
from .parts import ATTENTIONS, build_part
from .shortcut import CoefficientShortcut, IdentityShortcut, build_shortcut
from .sliced_attention import Slicing

WITH_CONTEXT = {DotProductAttention, MeanShiftAttention}  # can ask for fewer tokens than they read
PER_TOKEN = {IdentityShortcut, CoefficientShortcut, AugmentedShortcut}  # act on each token alone


class Block(nn.Module):
    """One block; maps tokens to tokens.

    Args:
        embed_dims: width of the tokens.
        num_heads: heads of the attention.
        mlp_ratio: hidden width of the MLP in units of ``embed_dims``.
        attention: configuration of the attention (see ``layers.parts``).
        shortcut: configuration of the two shortcuts (see ``layers.shortcut``).
        qkv_bias: bias in the attention's projections of its input.
        proj_bias: bias in its projection of its output.
        drop_rate: dropout on the outputs of attention and MLP.
        attn_drop_rate: dropout on the attention weights.
        drop_path_rate: stochastic depth of both branches.
        norm_eps: epsilon of the LayerNorms.
        reduction: module that makes the attention's context from the normalised tokens and
            their grid; ``None`` for self-attention.
        mlp: class of the MLP.
    """

    residuals = {'shortcut_attn': 'attn', 'shortcut_mlp': 'mlp'}  # see layers.fuse

    def __init__(
        self,
        embed_dims: int,
        num_heads: int,
        mlp_ratio: float,
        attention: dict,
        shortcut: dict,
        qkv_bias: bool = True,
        drop_rate: float = 0.0,
        attn_drop_rate: float = 0.0,
        drop_path_rate: float = 0.0,
        norm_eps: float = 1e-6,
        reduction: nn.Module | None = None,
        mlp: type[nn.Module] = Mlp,
        proj_bias: bool = True,
    ) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(embed_dims, eps=norm_eps)
        self.reduction = reduction
        self.attn = build_part(
            ATTENTIONS,
            attention,
            embed_dims=embed_dims,
            num_heads=num_heads,
            qkv_bias=qkv_bias,
            cross=reduction is not None,
            attn_drop_rate=attn_drop_rate,
            drop_rate=drop_rate,
            proj_bias=proj_bias,
        )
        self.norm2 = nn.LayerNorm(embed_dims, eps=norm_eps)
        self.mlp = mlp(embed_dims, int(embed_dims * mlp_ratio), drop_rate)
        self.shortcut_attn = build_shortcut(shortcut, embed_dims, 'attention')
        self.shortcut_mlp = build_shortcut(shortcut, embed_dims, 'mlp')
        self.drop_path = DropPath(drop_path_rate)

    def forward(self, x: Tensor, size: tuple[int, int], slicing: Slicing | None = None) -> Tensor:
        """Map tokens (N, L, C) to (N, L, C).

        ``size`` (h, w) is the grid of the last h * w tokens. With a ``slicing`` the attention acts
        within its slices.
        """
        n = self.norm1(x)
        attended = self.attend(n, size) if slicing is None else slicing(self.attn, n)
        x = self.shortcut_attn(x, n, self.drop_path(attended))
        n = self.norm2(x)
        return self.shortcut_mlp(x, n, self.drop_path(self.mlp(n)))

    def attend(self, n: Tensor, size: tuple[int, int]) -> Tensor:
        """Apply the attention to normalised tokens (N, L, C); returns (N, L, C)."""
        return self.attn(n, None if self.reduction is None else self.reduction(n, size))

    def for_first_token(self) -> nn.Module:
        """Return a block that answers for the first token alone; itself if it has no such form."""
        plain = type(self) is Block and self.reduction is None and type(self.mlp) is Mlp
        shortcuts = {type(self.shortcut_attn), type(self.shortcut_mlp)}
        known = type(self.attn) in WITH_CONTEXT and shortcuts <= PER_TOKEN
        return FirstTokenBlock(self) if plain and known else self


class FirstTokenBlock(nn.Module):
    """A block's answer for the first token (the class token), at inference.

    All tokens are keys and values, but one asks, so the rest is done for one token.
    """

    def __init__(self, block: Block) -> None:
        super().__init__()
        self.block = block

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        """Map tokens (N, L, C) to (N, 1, C); arguments as of the block."""
        block, n = self.block, self.block.norm1(x)
        first = n[:, :1]
        x = block.shortcut_attn(x[:, :1], first, block.attn(first, n))
        n = block.norm2(x)
        return block.shortcut_mlp(x, n, block.mlp(n))
