"""Pyramid vision transformer (PVT v1), and Aug-PVT.

Wang et al., "Pyramid Vision Transformer", 2021: four stages at strides 4 to 32, attention whose
keys and values are spatially reduced (Sec. 3.3). The class token joins in the last stage and only
for classification; maps come without a final norm, as in the published detection code.
LayerNorm eps is 1e-6 in the blocks and at the end, 1e-5 after patch embedding and reduction.

Aug-PVT (Tang et al., 2021, Table 2) has augmented shortcuts in every block. Its code was not
published; parameter counts determine two circulant paths around both branches.
"""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn

from ..layers.block import keep_first_token
from ..layers.drop import drop_path_rates
from ..layers.recursion import Recursion, Sweeps, block_row
from ..layers.tokens import PatchEmbed, cut_map, pad_map, resize_position
from .base import PyramidBackbone
from .shared.augmented import UNSCALED, KeepsScale
from .shared.options import RecursionOptions, choose_arch, grid_of, require_per_stage
from .shared.starting import Position, trunc_normal_linears

_WIDTHS = {
    'embed_dims': (64, 128, 320, 512),
    'num_heads': (1, 2, 5, 8),
    'mlp_ratios': (8, 8, 4, 4),
    'sr_ratios': (8, 4, 2, 1),
}


class SpatialReduction(nn.Module):
    """Merge patches of ``ratio`` x ``ratio`` tokens by a strided convolution and a LayerNorm.

    A rest of less than ``ratio`` rows or columns is left out, as in the published code; a grid
    smaller than one patch is zero-padded to one.
    """

    def __init__(self, embed_dims: int, ratio: int) -> None:
        super().__init__()
        self.ratio = ratio
        self.conv = nn.Conv2d(embed_dims, embed_dims, ratio, ratio)
        self.norm = nn.LayerNorm(embed_dims, eps=1e-5)

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        """Map (N, h * w, C) with ``size`` (h, w) to (N, h' * w', C), h' = max(h // ratio, 1)."""
        h, w = size
        x = x.transpose(1, 2).unflatten(2, (h, w))  # (N, C, h, w)
        x = pad_map(x, (0, max(self.ratio - w, 0), 0, max(self.ratio - h, 0)))
        h, w = (side // self.ratio * self.ratio for side in x.shape[2:])
        x = cut_map(x, (h, w))  # in bfloat16 oneDNN reads a rest as if it were part of a patch
        return self.norm(self.conv(x).flatten(2).transpose(1, 2))  # (N, h' * w', C)


class Stage(nn.Module):
    """Patch embedding, positions and blocks of one resolution.

    Args:
        in_channels: channels of the map that comes in.
        embed_dims, num_heads, mlp_ratio, sr_ratio: widths of the stage and its key reduction.
        patch_size: how much coarser the stage is than its input.
        grid: (h, w) that the position code is made for.
        with_cls_token: whether a class token joins here.
        rates: stochastic depth of each block.
        recursion: the passes of the blocks, ``None`` for one each.
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
        recursion: Recursion | None,
        **options,
    ) -> None:
        super().__init__()
        self.grid = grid
        self.patch_embed = PatchEmbed(in_channels, embed_dims, patch_size, norm_eps=1e-5)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, embed_dims)) if with_cls_token else None
        tokens = int(with_cls_token) + grid[0] * grid[1]
        self.pos_embed = nn.Parameter(torch.zeros(1, tokens, embed_dims))
        each = [
            {
                'drop_path_rate': rate,
                'reduction': SpatialReduction(embed_dims, sr_ratio) if sr_ratio > 1 else None,
            }
            for rate in rates
        ]
        options |= {'embed_dims': embed_dims, 'num_heads': num_heads, 'mlp_ratio': mlp_ratio}
        self.blocks = block_row(each, recursion, **options)

    def embed(self, x: Tensor) -> tuple[Tensor, tuple[int, int]]:
        """Map (N, in_channels, H, W) to positioned tokens (N, [1 +] h * w, C) and (h, w)."""
        x, size = self.patch_embed(x)
        if self.cls_token is not None:
            x = torch.cat([self.cls_token.expand(x.shape[0], -1, -1), x], 1)
        return x + resize_position(self.pos_embed, self.grid, size, 'bilinear'), size


class PVT(RecursionOptions, PyramidBackbone):
    """PVT v1 with interchangeable attention and shortcut.

    Made for ``img_size`` are the position codes.

    Args:
        options: arguments of :class:`~vitbackbones.backbones.shared.options.RecursionOptions`
            and :class:`~vitbackbones.backbones.base.PyramidBackbone`, which describe them.
    """

    archs = {
        't': {'depths': (2, 2, 2, 2), **_WIDTHS},
        's': {'depths': (3, 4, 6, 3), **_WIDTHS},
        'm': {'depths': (3, 4, 18, 3), **_WIDTHS},
        'l': {'depths': (3, 8, 27, 3), **_WIDTHS},
    }
    classifiers = {f'pvt_{arch}': {'arch': arch} for arch in archs}
    head_input = 'cls_token'
    has_cls_token = True
    undecayed = ('*cls_token', '*.shortcut*')  # the published code decays the positions

    def __init__(self, arch: str | dict = 's', **options) -> None:
        settings = choose_arch(self.archs, arch)
        require_per_stage(settings, *_WIDTHS)
        dims = settings['embed_dims']
        depths = settings['depths']
        super().__init__(dims, 4, **options)
        rates = drop_path_rates(self.drop_path_rate, sum(depths))
        self.stages = nn.ModuleList()
        for i, depth in enumerate(depths):
            first = sum(depths[:i])  # block of the stage, among all
            stage = Stage(
                dims[i - 1] if i else self.in_channels,
                dims[i],
                settings['num_heads'][i],
                settings['mlp_ratios'][i],
                settings['sr_ratios'][i],
                patch_size=2 if i else 4,
                grid=grid_of(self.grid, 2**i),
                with_cls_token=self.out_type == 'cls_token' and i == len(depths) - 1,
                rates=rates[first : first + depth],
                recursion=self.recursion,
                **self.block_options,
            )
            self.stages.append(stage)
        is_map = self.out_type == 'featmap'
        self.norm = nn.Identity() if is_map else nn.LayerNorm(dims[-1], eps=1e-6)
        trunc_normal_linears(self)
        for stage in self.stages:
            for token in (stage.pos_embed, stage.cls_token):
                if token is not None:
                    nn.init.trunc_normal_(token, std=0.02)

    def forward(self, image: Tensor) -> tuple[Tensor, ...]:
        """Map images (N, in_channels, H, W) to the maps of ``out_indices`` or to one vector."""
        # channels last, so that maps are tokens already and are never copied in between
        image = image.contiguous(memory_format=torch.channels_last)
        branches = self.run_branches(self._trunk, image)
        if self.out_type == 'featmap':
            return tuple(branches[-1])
        normed = [self.norm(tokens) for (tokens,) in branches]  # (N, [1 +] h * w, C) each
        return tuple(x[:, 0] if self.out_type == 'cls_token' else x.mean(1) for x in normed)

    def _trunk(self, x: Tensor, sweeps: Sweeps) -> list[Tensor]:
        """Return the maps of ``out_indices``, or in place of the last its tokens for a vector."""
        outputs = []
        for i, stage in enumerate(self.stages):
            tokens, size = stage.embed(x)
            tokens = self.run_row(stage.blocks, tokens, size, sweeps)
            if self.out_type != 'featmap' and i == len(self.stages) - 1:
                return [tokens]  # with the class token
            tokens = tokens[:, int(stage.cls_token is not None) :]
            x = tokens.transpose(1, 2).unflatten(2, size)  # (N, h * w, C) -> (N, C, h, w)
            if i in self.out_indices:
                outputs.append(x.contiguous())
        return outputs

    def fold_for_inference(self) -> None:
        """Run the last block for the class token alone where only that is returned."""
        if self.out_type == 'cls_token':
            keep_first_token(self.stages[-1].blocks)

    def parts_by_stage(self) -> list[list[nn.Module | nn.Parameter]]:
        """Return the first patch embedding, which is the stem, and the stages."""
        return [[self.stages[0].patch_embed], *([stage] for stage in self.stages)]

    def positions(self) -> Iterator[Position]:
        """Yield the code of every stage; they are resized bilinearly."""
        for i, stage in enumerate(self.stages):
            tokens = int(stage.cls_token is not None)
            yield Position(f'stages.{i}.pos_embed', tokens, stage.grid, 'bilinear')


class AugPVT(KeepsScale, PVT):
    """PVT whose shortcuts are augmented, by default by two circulant paths and unscaled.

    Arguments as :class:`PVT`. ``shared.augmented`` tells why, and which factor weights bring.
    """

    classifiers = {f'aug_pvt_{arch}': {'arch': arch} for arch in ('s', 'm')}
    default_parts = {**PVT.default_parts, 'shortcut': UNSCALED}
