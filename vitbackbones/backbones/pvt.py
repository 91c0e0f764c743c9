"""Pyramid vision transformer (PVT v1), and Aug-PVT.

Wang et al., "Pyramid Vision Transformer", 2021: four stages at strides 4 to 32, attention whose
keys and values are spatially reduced (Sec. 3.3). The class token joins in the last stage and only
for classification; maps come without a final norm, as in the published detection code.
LayerNorm eps is 1e-6 in the blocks and at the end, 1e-5 after patch embedding and reduction.

Aug-PVT (Tang et al., 2021, Table 2) has augmented shortcuts in every block. Its code was not
published; parameter counts determine two circulant paths around both branches.
"""

import math
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn

from ..layers import (
    Block,
    PatchEmbed,
    SpatialReduction,
    drop_path_rates,
    resize_position,
    to_map,
    trunc_normal_linears,
)
from .base import choose_arch, input_size
from .pyramid import PyramidBackbone

_WIDTHS = {
    'embed_dims': (64, 128, 320, 512),
    'num_heads': (1, 2, 5, 8),
    'mlp_ratios': (8, 8, 4, 4),
    'sr_ratios': (8, 4, 2, 1),
}
ARCHS = {
    't': {'depths': (2, 2, 2, 2), **_WIDTHS},
    's': {'depths': (3, 4, 6, 3), **_WIDTHS},
    'm': {'depths': (3, 4, 18, 3), **_WIDTHS},
    'l': {'depths': (3, 8, 27, 3), **_WIDTHS},
}


class Stage(nn.Module):
    """Patch embedding, positions and blocks of one resolution.

    Args:
        in_channels: channels of the map that comes in.
        embed_dims, num_heads, mlp_ratio, sr_ratio: widths of the stage and its key reduction.
        patch_size: how much coarser the stage is than its input.
        grid: (h, w) that the position code is made for.
        with_cls_token: whether a class token joins here.
        rates: stochastic depth of each block.
        options: further arguments of every :class:`~vitbackbones.layers.Block`.
    """

    def __init__(
        self,
        in_channels: int,
        embed_dims: int,
        num_heads: int,
        mlp_ratio: float,
        sr_ratio: int,
        patch_size: int,
        grid: tuple[int, int],
        with_cls_token: bool,
        rates: Sequence[float],
        **options,
    ) -> None:
        super().__init__()
        self.grid = grid
        self.patch_embed = PatchEmbed(in_channels, embed_dims, patch_size, norm_eps=1e-5)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, embed_dims)) if with_cls_token else None
        tokens = int(with_cls_token) + grid[0] * grid[1]
        self.pos_embed = nn.Parameter(torch.zeros(1, tokens, embed_dims))
        self.blocks = nn.ModuleList(
            Block(
                embed_dims,
                num_heads,
                mlp_ratio,
                drop_path_rate=rate,
                reduction=SpatialReduction(embed_dims, sr_ratio) if sr_ratio > 1 else None,
                **options,
            )
            for rate in rates
        )

    def embed(self, x: Tensor) -> tuple[Tensor, tuple[int, int]]:
        """Map (N, in_channels, H, W) to positioned tokens (N, [1 +] h * w, C) and (h, w)."""
        x, size = self.patch_embed(x)
        if self.cls_token is not None:
            x = torch.cat([self.cls_token.expand(len(x), -1, -1), x], 1)
        return x + resize_position(self.pos_embed, self.grid, size, 'bilinear'), size


class PVT(PyramidBackbone):
    """PVT v1 with interchangeable attention and shortcut.

    Args:
        arch: a key of ``ARCHS``, or a dict of its settings (tuples, one entry a stage), see
            :func:`~vitbackbones.backbones.base.choose_arch`.
        img_size: side of the square image (or (height, width)) that the position codes are made
            for; other sizes work, the codes are resized.
        in_channels: channels of the image.
        out_indices: stages whose map is returned, 0 to 3 (strides 4, 8, 16, 32). The vectors of
            ``out_type='cls_token'`` and ``'pooled'`` are the last stage's.
        attention, shortcut: configurations of the parts (``vitbackbones.layers``).
        qkv_bias: bias of the query, key and value projections.
        drop_rate, attn_drop_rate: dropout in the blocks.
        drop_path_rate: stochastic depth of the last block; linear from 0 at the first.
        options: arguments of :class:`~vitbackbones.backbones.base.Backbone`.

    Raises:
        ValueError: unknown ``arch``, part or ``out_type``, or an index out of range.
    """

    def __init__(
        self,
        arch: str | dict = 's',
        img_size: int | tuple[int, int] = 224,
        in_channels: int = 3,
        out_indices: int | str | Sequence[int] = (0, 1, 2, 3),
        attention: dict = {'type': 'DotProductAttention'},  # noqa: B006 (never changed)
        shortcut: dict = {'type': 'IdentityShortcut'},  # noqa: B006
        qkv_bias: bool = True,
        drop_rate: float = 0.0,
        attn_drop_rate: float = 0.0,
        drop_path_rate: float = 0.0,
        **options,
    ) -> None:
        settings = choose_arch(ARCHS, arch)
        dims, depths = settings['embed_dims'], settings['depths']
        super().__init__(dims, 4, out_indices, **options)
        sides = input_size(img_size)
        rates = iter(drop_path_rates(drop_path_rate, sum(depths)))
        attention = self.complete_part('attention', attention)
        shortcut = self.complete_part('shortcut', shortcut)
        self.stages = nn.ModuleList(
            Stage(
                dims[i - 1] if i else in_channels,
                dims[i],
                settings['num_heads'][i],
                settings['mlp_ratios'][i],
                settings['sr_ratios'][i],
                patch_size=2 if i else 4,
                grid=tuple(math.ceil(side / (4 * 2**i)) for side in sides),
                with_cls_token=self.out_type == 'cls_token' and i == len(depths) - 1,
                rates=[next(rates) for _ in range(depths[i])],
                attention=attention,
                shortcut=shortcut,
                qkv_bias=qkv_bias,
                drop_rate=drop_rate,
                attn_drop_rate=attn_drop_rate,
            )
            for i in range(len(depths))
        )
        self.norm = None if self.out_type == 'featmap' else nn.LayerNorm(dims[-1], eps=1e-6)
        self._reset_parameters()
        self.complete()

    def _reset_parameters(self) -> None:
        """Published initialisation: trunc-normal 0.02 for tokens and linear layers, biases 0."""
        trunc_normal_linears(self)
        for stage in self.stages:
            for token in (stage.pos_embed, stage.cls_token):
                if token is not None:
                    nn.init.trunc_normal_(token, std=0.02)

    def forward(self, image: Tensor) -> tuple[Tensor, ...]:
        """Map images (N, in_channels, H, W) to the maps of ``out_indices`` or to one vector."""
        x, maps = image, []
        for i, stage in enumerate(self.stages):
            tokens, size = stage.embed(x)
            for block in stage.blocks:
                tokens = self.run_block(block, tokens, size)
            if self.out_type != 'featmap' and i == len(self.stages) - 1:
                return (self._vector(tokens),)
            x = to_map(tokens, size)  # (N, C, h, w)
            if i in self.out_indices:
                maps.append(x)
        return tuple(maps)

    def fold_for_inference(self) -> None:
        """Run the last block for the class token alone where only that is returned."""
        if self.out_type == 'cls_token':
            blocks = self.stages[-1].blocks
            blocks[-1] = blocks[-1].for_first_token()

    def _vector(self, tokens: Tensor) -> Tensor:
        tokens = self.norm(tokens)
        return tokens[:, 0] if self.out_type == 'cls_token' else tokens.mean(1)

    def parts_by_stage(self) -> list[list[nn.Module | nn.Parameter]]:
        return [[self.stages[0].patch_embed], *([stage] for stage in self.stages)]

    def positions(self) -> Iterator[tuple[str, int, tuple[int, int], str]]:
        for i, stage in enumerate(self.stages):
            yield f'stages.{i}.pos_embed', int(stage.cls_token is not None), stage.grid, 'bilinear'

    def no_weight_decay(self) -> set[str]:
        """The class token and the augmented paths; the published code decays the positions."""
        names = {name for name, _ in self.named_parameters()}
        return {n for n in names if n.endswith('cls_token') or '.shortcut_' in n}


class AugPVT(PVT):
    """PVT whose shortcuts are augmented, by default by two circulant paths.

    Arguments as :class:`PVT`.
    """

    def __init__(
        self,
        arch: str | dict = 's',
        shortcut: dict = {'type': 'AugmentedShortcut', 'paths': 2, 'blocks': 4},  # noqa: B006
        **options,
    ) -> None:
        super().__init__(arch, shortcut=shortcut, **options)
