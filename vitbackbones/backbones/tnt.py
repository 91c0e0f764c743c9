"""Transformer in Transformer (Han et al., 2021).

Every 16 x 16 patch of the image is both one patch token ("sentence") and a set of 4 x 4 pixel
tokens ("words"). In every block the pixels of a patch attend to each other, their new values are
projected and added to the patch's token, and then the patch tokens attend to each other
(Sec. 2.2). The published weights differ from the first version of the paper: the first patch
tokens come from the pixels, not from zeros, and two LayerNorms surround the projection.

Two forms of the network are in circulation, with different weights:

* stem: cut the image into patches and convolve each alone, zeros around it (``'unfold'``, the
  authors' code); or convolve the image and cut then (``'conv'``, timm <= 1.0.15, mmpretrain);
* projection in the blocks: LayerNorm over all pixels of a patch, linear without bias, LayerNorm
  (``'patch'``, the authors'); or LayerNorm of every pixel, linear with bias (``'pixel'``).

All LayerNorms have eps 1e-5.
"""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn

from ..errors import OptionError
from ..layers import (
    Block,
    Dropout,
    ExcitedMlp,
    Mlp,
    drop_path_rates,
    pad_to_multiple,
    trunc_normal_linears,
)
from .base import choose_arch
from .plain import PlainBackbone

ARCHS = {
    'ti': {'embed_dims': 192, 'depth': 12, 'num_heads': 3, 'inner_dims': 12, 'inner_heads': 2},
    's': {'embed_dims': 384, 'depth': 12, 'num_heads': 6, 'inner_dims': 24, 'inner_heads': 4},
    'b': {'embed_dims': 640, 'depth': 12, 'num_heads': 10, 'inner_dims': 40, 'inner_heads': 4},
}
_PIXEL = 4  # side of a pixel token in pixels of the image


def cut_patches(x: Tensor, size: tuple[int, int]) -> Tensor:
    """Cut a map (N, C, h * p, w * q) into the patches (N * h * w, C, p, q) of a grid (h, w)."""
    x = x.unflatten(3, (size[1], -1)).unflatten(2, (size[0], -1))  # (N, C, h, p, w, q)
    return x.permute(0, 2, 4, 1, 3, 5).flatten(0, 2)


class PixelEmbed(nn.Module):
    """Image to the pixel tokens of every patch, by a 7 x 7 convolution of stride 4.

    Args:
        in_channels: channels of the image.
        inner_dims: width c of the pixel tokens.
        patch_size: side of a patch in pixels, a multiple of 4.
        stem: ``'unfold'`` (cut, then convolve) or ``'conv'`` (convolve, then cut).
    """

    def __init__(self, in_channels: int, inner_dims: int, patch_size: int, stem: str) -> None:
        super().__init__()
        if stem not in ('unfold', 'conv'):
            raise OptionError(f"stem={stem!r} is neither 'unfold' nor 'conv'")
        if patch_size % _PIXEL:
            raise OptionError(f'patch_size={patch_size} is no multiple of {_PIXEL}')
        self.patch_size = patch_size
        self.stem = stem
        self.proj = nn.Conv2d(in_channels, inner_dims, 7, stride=_PIXEL, padding=3)

    def forward(self, image: Tensor) -> tuple[Tensor, tuple[int, int]]:
        """Map (N, in_channels, H, W) to pixels (N * h * w, c, p, p) and (h, w), rounded up."""
        x = pad_to_multiple(image, self.patch_size)
        size = (x.shape[2] // self.patch_size, x.shape[3] // self.patch_size)
        if self.stem == 'unfold':
            return self.proj(cut_patches(x, size)), size
        return cut_patches(self.proj(x), size), size


class PixelProjection(nn.Module):
    """All pixel tokens of a patch to one patch token.

    Args:
        pixels: number of pixel tokens of a patch.
        inner_dims: width of a pixel token.
        embed_dims: width of a patch token.
        bias: bias of the linear layer.
        form: ``'patch'`` or ``'pixel'``, see the module's description.
    """

    def __init__(
        self, pixels: int, inner_dims: int, embed_dims: int, bias: bool, form: str = 'patch'
    ) -> None:
        super().__init__()
        self.form = form
        width = pixels * inner_dims
        self.norm1 = nn.LayerNorm(width if form == 'patch' else inner_dims, eps=1e-5)
        self.proj = nn.Linear(width, embed_dims, bias=bias)
        self.norm2 = nn.LayerNorm(embed_dims, eps=1e-5) if form == 'patch' else nn.Identity()

    def forward(self, pixels: Tensor, batch: int) -> Tensor:
        """Map pixels (N * n, p * p, c) of N = ``batch`` images to (N, n, embed_dims)."""
        if self.form == 'pixel':
            pixels = self.norm1(pixels)
        x = pixels.reshape(batch, -1, self.proj.in_features)  # (N, n, p * p * c)
        if self.form == 'patch':
            x = self.norm1(x)
        return self.norm2(self.proj(x))


class TNTBlock(nn.Module):
    """Pixels attend within their patch, are added to the patch tokens, and these attend.

    Args:
        side: pixel tokens along a side of a patch.
        inner: arguments of the :class:`~vitbackbones.layers.Block` on the pixels; ``None`` for a
            block on the patch tokens alone.
        outer: arguments of the block on the patch tokens.
        projection: ``'patch'`` or ``'pixel'``, see the module's description.
        common: arguments of both blocks.
    """

    def __init__(
        self, side: int, inner: dict | None, outer: dict, projection: str, **common
    ) -> None:
        super().__init__()
        self.side = side
        self.inner = self.to_patch = None
        if inner is not None:
            self.inner = Block(**inner, **common)
            widths = (side * side, inner['embed_dims'], outer['embed_dims'])
            self.to_patch = PixelProjection(*widths, bias=projection == 'pixel', form=projection)
        self.outer = Block(**outer, **common)

    def forward(self, pixels: Tensor, x: Tensor, size: tuple[int, int]) -> tuple[Tensor, Tensor]:
        """Map pixels (N * n, p * p, c) and tokens (N, 1 + n, C) to new ones; ``size`` is (h, w)."""
        if self.inner is not None:
            # a sample of the inner block's stochastic depth is a patch, as published
            pixels = self.inner(pixels, (self.side, self.side))
            x = torch.cat([x[:, :1], x[:, 1:] + self.to_patch(pixels, len(x))], 1)
        return pixels, self.outer(x, size)

    def for_first_token(self) -> nn.Module:
        """Let the outer block answer for the first token alone."""
        self.outer = self.outer.for_first_token()
        return self


class TNT(PlainBackbone):
    """TNT with interchangeable attentions and shortcuts on both levels.

    Args:
        arch: a key of ``ARCHS``, or a dict of its settings, see
            :func:`~vitbackbones.backbones.base.choose_arch`.
        img_size: side of the square image (or (height, width)) that the patches' position code
            is made for; other sizes work, the code is resized.
        patch_size: side of a patch in pixels, a multiple of 4.
        in_channels: channels of the image.
        out_indices: blocks whose output is returned; the last one's has the final LayerNorm.
        pool: average the output maps over ``pool`` x ``pool``, so that stride 16 becomes 32.
        stem: ``'unfold'`` or ``'conv'``, see the module's description.
        projection: ``'patch'`` or ``'pixel'``, likewise.
        inner_blocks: indices of the blocks that have an inner block; by default all have
            (otherwise a TNT-S-1 ... TNT-S-4 of the paper's Table 5).
        se: gate the output of the outer MLPs by squeeze-and-excitation.
        attention, shortcut: configurations of the outer blocks' parts (``vitbackbones.layers``).
        inner_attention, inner_shortcut: the same of the inner blocks.
        mlp_ratio: hidden width of the MLPs in units of their tokens' width.
        qkv_bias: bias of the query, key and value projections.
        final_norm: whether there is the final LayerNorm; SETR's heads have their own.
        drop_rate, attn_drop_rate: dropout in the blocks and on the positions.
        drop_path_rate: stochastic depth of the last block; linear from 0 at the first.
        options: arguments of :class:`~vitbackbones.backbones.base.Backbone`.

    Raises:
        OptionError: unknown ``arch``, part, ``stem``, ``projection`` or ``out_type``, an index out
            of range, or a ``patch_size`` that is no multiple of 4.
    """

    def __init__(
        self,
        arch: str | dict = 's',
        img_size: int | tuple[int, int] = 224,
        patch_size: int = 16,
        in_channels: int = 3,
        out_indices: int | str | Sequence[int] = -1,
        pool: int = 1,
        stem: str = 'unfold',
        projection: str = 'patch',
        inner_blocks: Sequence[int] | None = None,
        se: bool = False,
        attention: dict = {'type': 'DotProductAttention'},  # noqa: B006 (never changed)
        shortcut: dict = {'type': 'IdentityShortcut'},  # noqa: B006
        inner_attention: dict = {'type': 'DotProductAttention'},  # noqa: B006
        inner_shortcut: dict = {'type': 'IdentityShortcut'},  # noqa: B006
        mlp_ratio: float = 4.0,
        qkv_bias: bool = False,
        final_norm: bool = True,
        drop_rate: float = 0.0,
        attn_drop_rate: float = 0.0,
        drop_path_rate: float = 0.0,
        **options,
    ) -> None:
        settings = choose_arch(ARCHS, arch)
        dims, depth, inner_dims = (settings[k] for k in ('embed_dims', 'depth', 'inner_dims'))
        super().__init__(dims, depth, img_size, patch_size, out_indices, pool, **options)
        if projection not in ('patch', 'pixel'):
            raise OptionError(f"projection={projection!r} is neither 'patch' nor 'pixel'")
        with_inner = range(depth) if inner_blocks is None else inner_blocks
        if any(not 0 <= i < depth for i in with_inner):
            raise OptionError(f'inner_blocks={inner_blocks}: each must be in [0, {depth})')

        side = patch_size // _PIXEL
        self.pixel_embed = PixelEmbed(in_channels, inner_dims, patch_size, stem)
        self.pixel_pos = nn.Parameter(torch.zeros(1, inner_dims, side, side))
        self.to_patch = PixelProjection(side * side, inner_dims, dims, bias=True)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, dims))
        self.patch_pos = nn.Parameter(torch.zeros(1, 1 + self.grid[0] * self.grid[1], dims))
        self.pos_drop = Dropout(drop_rate)
        inner = {
            'embed_dims': inner_dims,
            'num_heads': settings['inner_heads'],
            'attention': self.complete_part('inner_attention', inner_attention),
            'shortcut': self.complete_part('inner_shortcut', inner_shortcut),
        }
        outer = {
            'embed_dims': dims,
            'num_heads': settings['num_heads'],
            'attention': self.complete_part('attention', attention),
            'shortcut': self.complete_part('shortcut', shortcut),
            'mlp': ExcitedMlp if se else Mlp,
        }
        self.blocks = nn.ModuleList(
            TNTBlock(
                side,
                inner if i in with_inner else None,
                outer,
                projection,
                mlp_ratio=mlp_ratio,
                qkv_bias=qkv_bias,
                drop_rate=drop_rate,
                attn_drop_rate=attn_drop_rate,
                drop_path_rate=rate,
                norm_eps=1e-5,
            )
            for i, rate in enumerate(drop_path_rates(drop_path_rate, depth))
        )
        self.norm = nn.LayerNorm(dims, eps=1e-5) if final_norm else nn.Identity()
        self._reset_parameters()
        self.complete()

    def _reset_parameters(self) -> None:
        """Published initialisation: trunc-normal 0.02 for tokens and linear layers, biases 0."""
        for token in (self.cls_token, self.patch_pos, self.pixel_pos):
            nn.init.trunc_normal_(token, std=0.02)
        trunc_normal_linears(self)

    def forward(self, image: Tensor) -> tuple[Tensor, ...]:
        """Map images (N, in_channels, H, W) to one map or vector per entry of ``out_indices``."""
        pixels, size = self.pixel_embed(image)
        pixels = (pixels + self.pixel_pos).flatten(2).transpose(1, 2)  # (N * h * w, p * p, c)
        x = self.with_position(self.to_patch(pixels, len(image)), self.patch_pos, size)
        outputs = []
        for i, block in enumerate(self.blocks):
            pixels, x = self.run_block(block, pixels, x, size)
            if i in self.out_indices:
                outputs.append(self.read_out(x, i, size))
        return tuple(outputs)

    def stem_parts(self) -> list[nn.Module | Tensor | None]:
        stem = [self.pixel_embed, self.pixel_pos, self.to_patch]
        return [*stem, self.cls_token, self.patch_pos, self.pos_drop]

    def positions(self) -> Iterator[tuple[str, int, tuple[int, int], str]]:
        yield 'patch_pos', 1, self.grid, 'bicubic'

    def no_weight_decay(self) -> set[str]:
        """Tokens, both positions and augmented paths."""
        kept = ('cls_token', 'patch_pos', 'pixel_pos')
        return {n for n, _ in self.named_parameters() if n in kept or '.shortcut_' in n}
