"""MLP-Mixer, and the recursive MLP-Mixer of the SReT paper.

Tolstikhin et al., "MLP-Mixer", 2021: in every layer one MLP mixes the tokens of each channel and
another the channels of each token, both pre-norm and residual. Keys are timm's, so its weights
load as they are.

Token mixing has one weight per position of a fixed grid. For other grids its weights are read as
maps over the image and interpolated: the rows of the first layer, which sum over the positions
(so they are rescaled to keep the sum), and the columns of the second, which give each position
its answer. The features thus keep the resolution of the image.

Shen et al., "Sliced Recursive Transformer", 2022, Eq. 7 and Fig. 6: every layer runs twice in a
row, optionally with learned residual coefficients, without projections in between. No code was
published.
"""

import math

import torch
from torch import Tensor, nn

from ..errors import OptionError
from ..layers.block import Mlp, build_shortcut
from ..layers.drop import drop_path_rates, make_drop_path
from ..layers.recursion import Recursion, Recursive, block_row
from ..layers.tokens import UNKNOWN, Origin, PatchEmbed, is_of_size, resize_map, stored_grid
from .base import PlainBackbone
from .shared.options import BlockOptions, choose_arch

Grid = tuple[int, int]


def resize_mixing(fc1: Tensor, fc2: Tensor, bias: Tensor, old: Grid, new: Grid) -> list[Tensor]:
    """Interpolate the weights of a token-mixing MLP from one grid of L tokens to another of M.

    Args:
        fc1: (hidden, L) weight of the first layer.
        fc2: (L, hidden) weight of the second layer.
        bias: (L,) bias of the second layer.
        old, new: (h, w) of both grids.

    Returns:
        The three for the new grid: (hidden, M), (M, hidden), (M,).
    """
    if is_of_size(old, new):
        return [fc1, fc2, bias]
    maps = torch.cat([fc1, fc2.t(), bias[None]]).unflatten(1, tuple(old))  # (2 hidden + 1, h, w)
    maps = resize_map(maps[None], new)[0].flatten(1)  # (2 hidden + 1, M)
    hidden = len(fc1)
    shrink = math.prod(old) / math.prod(new)
    return [maps[:hidden] * shrink, maps[hidden:-1].t(), maps[-1]]


class TokenMixing(Mlp):
    """An MLP over the tokens of each channel, for any grid.

    Args:
        grid: (h, w) that the weights are made for.
        hidden_dims: width between the two layers.
        drop_rate: dropout after each layer.
    """

    def __init__(self, grid: Grid, hidden_dims: int, drop_rate: float) -> None:
        super().__init__(math.prod(grid), hidden_dims, drop_rate)
        self.grid = grid

    def forward(self, x: Tensor, size: Grid) -> Tensor:
        """Map tokens (N, h * w, C) of the grid ``size`` (h, w) to (N, h * w, C)."""
        fc1, fc2, bias = resize_mixing(
            self.fc1.weight, self.fc2.weight, self.fc2.bias, self.grid, size
        )
        x = self.drop(self.act(_mix(fc1, x, self.fc1.bias)))  # (N, hidden, C)
        return self.drop(_mix(fc2, x, bias))


def _mix(weight: Tensor, x: Tensor, bias: Tensor) -> Tensor:
    """Apply a linear map (M, L) to the tokens of (N, L, C), returns (N, M, C).

    Without a transpose, because gradients of a LayerNorm that arrive transposed break graphs of
    torch.compile: it expects the answer transposed too, and the kernel writes rows.
    """
    return torch.baddbmm(bias[:, None], weight.expand(x.shape[0], -1, -1), x)


class MixerBlock(nn.Module):
    """Token mixing and channel mixing, each with its LayerNorm and shortcut."""

    def __init__(
        self,
        embed_dims: int,
        grid: Grid,
        token_dims: int,
        mlp_ratio: float,
        shortcut: dict,
        drop_rate: float,
        drop_path_rate: float,
    ) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(embed_dims, eps=1e-6)
        self.mlp_tokens = TokenMixing(grid, token_dims, drop_rate)
        self.norm2 = nn.LayerNorm(embed_dims, eps=1e-6)
        self.mlp_channels = Mlp(embed_dims, int(embed_dims * mlp_ratio), drop_rate)
        self.shortcut_tokens = build_shortcut(shortcut, embed_dims, 'attention')
        self.shortcut_channels = build_shortcut(shortcut, embed_dims, 'mlp')
        self.drop_path = make_drop_path(drop_path_rate)

    def forward(self, x: Tensor, size: Grid) -> Tensor:
        """Map tokens (N, h * w, C) of the grid ``size`` (h, w) to (N, h * w, C)."""
        n = self.norm1(x)
        x = self.shortcut_tokens(x, n, self.drop_path(self.mlp_tokens(n, size)))
        n = self.norm2(x)
        return self.shortcut_channels(x, n, self.drop_path(self.mlp_channels(n)))


class RecursiveMixerBlock(Recursive, MixerBlock):  # type: ignore[misc]
    """A layer that runs several times; arguments as of both."""


class Mixer(BlockOptions, PlainBackbone):
    """MLP-Mixer with interchangeable shortcut and any number of passes through each layer.

    Made for ``img_size`` are the token-mixing weights. The shortcuts' location ``'attention'``
    means token mixing, and ``mlp_ratio`` the channel mixing.

    Args:
        passes: how often each block runs in a row; by default once, twice in the recursive form.
        options: arguments of :class:`~vitbackbones.backbones.shared.options.BlockOptions`
            and :class:`~vitbackbones.backbones.base.PlainBackbone`, which describe them.
    """

    archs = {
        's16': {'embed_dims': 512, 'depth': 8, 'patch_size': 16, 'token_dims': 256},
        'b16': {'embed_dims': 768, 'depth': 12, 'patch_size': 16, 'token_dims': 384},
    }
    classifiers = {'mixer_b16': {'arch': 'b16'}}
    undecayed = ('*.shortcut_*',)
    default_passes = 1

    def __init__(
        self, arch: str | dict = 'b16', passes: int | None = None, mlp_ratio: float = 4.0, **options
    ) -> None:
        settings = choose_arch(self.archs, arch)
        dims, depth, patch_size = (settings[k] for k in ('embed_dims', 'depth', 'patch_size'))
        super().__init__(dims, depth, patch_size, **options)
        recursion = Recursion(passes=self.default_passes if passes is None else passes)
        self.recursion = recursion if recursion.passes > 1 else None

        self.stem = PatchEmbed(self.in_channels, dims, patch_size)
        self.blocks = block_row(
            [{'drop_path_rate': rate} for rate in drop_path_rates(self.drop_path_rate, depth)],
            self.recursion,
            MixerBlock,
            RecursiveMixerBlock,
            embed_dims=dims,
            grid=self.grid,
            token_dims=settings['token_dims'],
            mlp_ratio=mlp_ratio,
            **self.block_options,
        )
        self.norm = nn.LayerNorm(dims, eps=1e-6)
        for layer in self.modules():  # as in timm; the stem, a convolution, keeps torch's
            if isinstance(layer, nn.Linear):
                nn.init.xavier_uniform_(layer.weight)
                nn.init.zeros_(layer.bias)

    def embed(self, image: Tensor) -> tuple[Tensor, tuple[int, int]]:
        """Map images (N, in_channels, H, W) to tokens (N, h * w, C) and (h, w)."""
        x, size = self.stem(image)
        return x.contiguous(), size

    def adapt_state_dict(
        self, state: dict[str, Tensor], prefix: str = '', origin: Origin = UNKNOWN
    ) -> dict[str, Tensor]:
        """Return ``state`` with the token-mixing weights interpolated to this model's grid.

        Raises:
            OptionError: weights of another grid that is not square.
        """
        state = super().adapt_state_dict(state, prefix, origin)
        for i in range(len(self.blocks)):
            mixing = f'{prefix}blocks.{i}.mlp_tokens.'
            keys = [mixing + name for name in ('fc1.weight', 'fc2.weight', 'fc2.bias')]
            if all(key in state for key in keys):
                fc1, fc2, bias = (state[key] for key in keys)
                old = stored_grid(len(bias), self.grid, origin)
                if old is None:
                    raise OptionError(
                        f'token mixing over {len(bias)} positions: these do not form a square grid'
                    )
                state.update(zip(keys, resize_mixing(fc1, fc2, bias, old, self.grid), strict=True))
        return state


class RecursiveMixer(Mixer):
    """Mixer whose layers run twice, with learned residual coefficients.

    ``shortcut=dict(type='IdentityShortcut')`` is the paper's variant without coefficients.
    Arguments as :class:`Mixer`.
    """

    classifiers = {'recursive_mixer_b16': {'arch': 'b16'}}
    default_parts = {'shortcut': {'type': 'CoefficientShortcut'}}
    default_passes = 2
