"""Recursive transformer blocks (SReT, Eq. 6-10): one block's weights serve several passes.

After each pass stands a non-linear projection layer (NLL) of that pass alone, which keeps the
recursion from settling into the identity:

    x = NLL_i(T(x))    for pass i,        NLL(x) = shortcut(x, LN(x), MLP(LN(x)))

The passes share all weights of T, coefficients included, but each cuts its attention into its
own number of groups. The paper's Algorithm 1 and Table 14 describe this differently; the
published code, whose parameter counts the paper prints, is followed.
"""

from collections.abc import Sequence

from torch import Tensor, nn

from .attention import Slicing
from .block import Block, Mlp, build_shortcut


class NonLinearProjection(nn.Module):
    """A residual MLP on every token; never dropped by stochastic depth.

    Args:
        embed_dims: width of the tokens.
        ratio: hidden width in units of ``embed_dims``.
        shortcut: configuration of the shortcut (see ``layers.build_shortcut``).
        drop_rate: dropout after each layer of the MLP.
    """

    residuals = {'shortcut': 'mlp'}

    def __init__(self, embed_dims: int, ratio: float, shortcut: dict, drop_rate: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(embed_dims, eps=1e-6)
        self.mlp = Mlp(embed_dims, int(embed_dims * ratio), drop_rate)
        self.shortcut = build_shortcut(shortcut, embed_dims, 'mlp')

    def forward(self, x: Tensor) -> Tensor:
        """Map (N, L, C) to (N, L, C)."""
        n = self.norm(x)
        return self.shortcut(x, n, self.mlp(n))


class RecursiveBlock(Block):
    """A block that runs several times, each time with its own slices and NLL.

    Args:
        groups: number of attention groups of each pass; its length is the number of passes.
        permutation: how the passes after the first shuffle the tokens (see ``Slicing``).
        nll_ratio: hidden width of the NLLs in units of ``embed_dims``; 0 for none.

    The other arguments are those of :class:`~vitbackbones.layers.Block`.
    """

    residuals = Block.residuals

    def __init__(
        self,
        embed_dims: int,
        num_heads: int,
        mlp_ratio: float,
        attention: dict,
        shortcut: dict,
        groups: Sequence[int],
        permutation: str,
        nll_ratio: float,
        drop_rate: float = 0.0,
        **options,
    ) -> None:
        super().__init__(
            embed_dims, num_heads, mlp_ratio, attention, shortcut, drop_rate=drop_rate, **options
        )
        self.slicings = nn.ModuleList(
            Slicing(count, permutation if i else 'none') for i, count in enumerate(groups)
        )
        self.nlls = nn.ModuleList(
            NonLinearProjection(embed_dims, nll_ratio, shortcut, drop_rate)
            if nll_ratio
            else nn.Identity()
            for _ in groups
        )

    def forward(self, x: Tensor, size: tuple[int, int], passes: Sequence[int]) -> Tensor:
        """Run the numbered ``passes``, each with its NLL.

        Maps tokens (N, L, C) of the grid ``size`` (h, w) to (N, L, C).
        """
        for i in passes:
            x = self.nlls[i](self.single_pass(x, size, i))
        return x

    def single_pass(self, x: Tensor, size: tuple[int, int], i: int = 0) -> Tensor:
        """Run pass ``i`` without its NLL; arguments as of :meth:`forward`."""
        return super().forward(x, size, self.slicings[i])
