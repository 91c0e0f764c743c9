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

``projection='plain', init='zeros'`` is the first version's network: Eq. 8 there is linear with
bias, without a LayerNorm, the first patch tokens are zeros, and so is the class token at first.

All LayerNorms have eps 1e-5.

With squeeze-and-excitation (Hu et al., 2018) the channels of an outer MLP's output t are gated by
its mean token t_, with a tanh, so that the gate can also turn a channel's sign:
t + t * tanh(W2 relu(W1 LN(t_))).
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..errors import OptionError
from ..layers.block import Block, Mlp
from ..layers.drop import make_dropout
from ..layers.parts import require_choice, require_size
from ..layers.recursion import Recursion, Sweeps, block_row
from ..layers.tokens import pad_to_multiple
from .base import PlainBackbone
from .shared.joining import JointBlock, Unfinished
from .shared.options import UNCHANGED, WindowOptions, choose_arch
from .shared.starting import Position, trunc_normal_linears


def cut_patches(x: Tensor, size: tuple[int, int]) -> Tensor:
    """Cut a map (N, C, h * p, w * q) into the patches (N * h * w, C, p, q) of a grid (h, w)."""
    x = x.unflatten(3, (size[1], -1)).unflatten(2, (size[0], -1))  # (N, C, h, p, w, q)
    return x.permute(0, 2, 4, 1, 3, 5).flatten(0, 2)


class PixelEmbed(nn.Module):
    """Image to the pixel tokens of every patch, by a 7 x 7 convolution of stride ``pixels``.

    As in the published code the kernel is 7 x 7 whatever the stride is.

    Args:
        in_channels: channels of the image.
        inner_dims: width c of the pixel tokens.
        patch_size: side of a patch in pixels of the image, a multiple of ``pixels``.
        stem: ``'unfold'`` (cut, then convolve) or ``'conv'`` (convolve, then cut).
        pixels: side of a pixel token in pixels of the image.

    Raises:
        OptionError: unknown ``stem``, ``pixels`` below 1, or a ``patch_size`` that is not a
            multiple of it.
    """

    def __init__(
        self, in_channels: int, inner_dims: int, patch_size: int, stem: str, pixels: int
    ) -> None:
        super().__init__()
        require_choice('stem', stem, ('unfold', 'conv'))
        require_size('pixels', pixels)
        if patch_size % pixels:
            raise OptionError(f'patch_size={patch_size} is not a multiple of pixels={pixels}')
        self.patch_size = patch_size
        self.stem = stem
        self.proj = nn.Conv2d(in_channels, inner_dims, 7, stride=pixels, padding=3)

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
        form: ``'patch'``, ``'pixel'`` or ``'plain'``, see the module's description.
    """

    def __init__(
        self, pixels: int, inner_dims: int, embed_dims: int, bias: bool, form: str = 'patch'
    ) -> None:
        super().__init__()
        self.form = form
        width = pixels * inner_dims
        normed = {'patch': width, 'pixel': inner_dims}
        self.norm1 = nn.Identity() if form == 'plain' else nn.LayerNorm(normed[form], eps=1e-5)
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
        projection: ``'patch'``, ``'pixel'`` or ``'plain'``, see the module's description.
        recursion: the passes of the block on the patch tokens, ``None`` for one; the pixels have
            their turn before the first.
        window_size: of the block on the patch tokens, ``None`` for global attention.
        common: arguments of both blocks.
    """

    def __init__(
        self,
        side: int,
        inner: dict | None,
        outer: dict,
        projection: str,
        recursion: Recursion | None = None,
        window_size: int | None = None,
        **common,
    ) -> None:
        super().__init__()
        self.side = side
        self.inner: Block | None = None
        self.to_patch: Any = None
        self.outer: Any
        if inner is not None:
            self.inner = Block(**inner, **common)
            widths = (side * side, inner['embed_dims'], outer['embed_dims'])
            self.to_patch = PixelProjection(*widths, bias=projection != 'patch', form=projection)
        (self.outer,) = block_row([{**outer, **common, 'window_size': window_size}], recursion)

    def forward(
        self, tokens: tuple[Tensor, Tensor], size: tuple[int, int], *turn, **biased
    ) -> tuple[Tensor, Tensor]:
        """Map pixels (N * n, p * p, c) and patch tokens (N, 1 + n, C) to new ones.

        ``size`` (h, w) is the grid; ``turn`` are further arguments of a recursive outer block, and
        ``biased`` may hold the ``bias`` of the outer block. More tokens may precede the n.
        """
        pixels, x = tokens
        starts = not turn or 0 in turn[0]
        if self.inner is not None and starts:
            # a sample of the inner block's stochastic depth is a patch, as published
            pixels = self.inner(pixels, (self.side, self.side))
            patches = self.to_patch(pixels, x.shape[0])
            # nothing for the class token; slices of x would be copied back by their gradients
            x = x + torch.cat([torch.zeros_like(x[:, : -patches.shape[1]]), patches], 1)
        return pixels, self.outer(x, size, *turn, **biased)

    def for_first_token(self) -> nn.Module:
        """Let the outer block answer for the first token alone."""
        self.outer = self.outer.for_first_token()
        return self


def without_pixels(blocks: list[JointBlock], pixels: Tensor) -> list[JointBlock]:
    """Return blocks as functions of the patch tokens; each hands its pixels on to the next one."""
    held = [pixels]

    def run(block: JointBlock, x: Tensor, bias: Tensor | None = None) -> Tensor:
        held[0], x = block((held[0], x), bias)
        return x

    return [partial(run, block) for block in blocks]


class SqueezeExcite(nn.Module):
    """t * tanh(fc2(relu(fc1(LN(mean of t over all tokens, the class token included)))))."""

    def __init__(self, embed_dims: int, hidden_dims: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(embed_dims, eps=1e-5)
        self.fc1 = nn.Linear(embed_dims, hidden_dims)
        self.fc2 = nn.Linear(hidden_dims, embed_dims)

    def forward(self, x: Tensor) -> Tensor:
        """Map (N, L, C) to (N, L, C)."""
        mean = self.norm(x.mean(1, keepdim=True))  # (N, 1, C)
        return x * self.fc2(F.relu(self.fc1(mean))).tanh()


class ExcitedMlp(Mlp):
    """An MLP plus its own gated output; the gate is C / 4 wide. Arguments as :class:`Mlp`."""

    def __init__(self, embed_dims: int, hidden_dims: int, drop_rate: float = 0.0) -> None:
        super().__init__(embed_dims, hidden_dims, drop_rate)
        self.se = SqueezeExcite(embed_dims, embed_dims // 4)

    def forward(self, x: Tensor) -> Tensor:
        """Map (N, L, embed_dims) to (N, L, embed_dims)."""
        x = super().forward(x)
        return x + self.se(x)


class TNT(WindowOptions, PlainBackbone):
    """TNT with interchangeable attentions and shortcuts on both levels.

    ``attention``, ``shortcut``, ``recursion`` and windows are those of the outer blocks: in further
    passes the pixels rest. Made for ``img_size`` is the patches' position code; ``patch_size`` is a
    multiple of ``pixels``.

    Args:
        stem: ``'unfold'`` or ``'conv'``, see the module's description.
        projection: ``'patch'``, ``'pixel'`` or ``'plain'``, likewise.
        init: what the first patch tokens are, ``'pixels'`` (the projected pixel tokens) or
            ``'zeros'``.
        patch_position, pixel_position: whether patches and pixels have position codes (Table 5 of
            the first version).
        pixels: side of a pixel token in pixels of the image (Table 7). The paper does not say how
            wide the tokens of other sizes are; with ``inner_dims`` 6, 24 and 96 for 2, 4 and 8,
            which keep the numbers of a patch, a TNT-S has the sizes that it prints.
        inner_blocks: indices of the blocks that have an inner block; by default all have
            (otherwise a TNT-S-1 ... TNT-S-4 of the paper's Table 5).
        se: gate the output of the outer MLPs by squeeze-and-excitation.
        inner_attention, inner_shortcut: configurations of the parts of the inner blocks.
        options: arguments of :class:`~vitbackbones.backbones.shared.options.WindowOptions`
            and :class:`~vitbackbones.backbones.base.PlainBackbone`, which describe them.
    """

    archs = {
        'ti': {'embed_dims': 192, 'depth': 12, 'num_heads': 3, 'inner_dims': 12, 'inner_heads': 2},
        's': {'embed_dims': 384, 'depth': 12, 'num_heads': 6, 'inner_dims': 24, 'inner_heads': 4},
        'b': {'embed_dims': 640, 'depth': 12, 'num_heads': 10, 'inner_dims': 40, 'inner_heads': 4},
    }
    classifiers = {
        **{f'tnt_{arch}': {'arch': arch} for arch in archs},
        'tnt_s_se': {'arch': 's', 'se': True},
        'tnt_s_legacy': {'arch': 's', 'stem': 'conv', 'projection': 'pixel'},
    }
    head_input = 'cls_token'
    default_parts = {
        **WindowOptions.default_parts,
        'inner_attention': WindowOptions.default_parts['attention'],
        'inner_shortcut': WindowOptions.default_parts['shortcut'],
    }
    undecayed = ('cls_token', 'patch_pos', 'pixel_pos', '*.shortcut*')
    preprocessing = {'mean': (0.5,) * 3, 'std': (0.5,) * 3, 'crop_pct': 0.9}

    def __init__(
        self,
        arch: str | dict = 's',
        patch_size: int = 16,
        stem: str = 'unfold',
        projection: str = 'patch',
        inner_blocks: Sequence[int] | None = None,
        se: bool = False,
        inner_attention: dict = UNCHANGED,
        inner_shortcut: dict = UNCHANGED,
        mlp_ratio: float = 4.0,
        qkv_bias: bool = False,
        final_norm: bool = True,
        init: str = 'pixels',
        patch_position: bool = True,
        pixel_position: bool = True,
        pixels: int = 4,
        **options,
    ) -> None:
        settings = choose_arch(self.archs, arch)
        dims, depth, inner_dims = (settings[k] for k in ('embed_dims', 'depth', 'inner_dims'))
        super().__init__(dims, depth, patch_size, qkv_bias=qkv_bias, **options)
        require_choice('projection', projection, ('patch', 'pixel', 'plain'))
        require_choice('init', init, ('pixels', 'zeros'))
        self.pixel_embed = PixelEmbed(self.in_channels, inner_dims, patch_size, stem, pixels)
        side = patch_size // pixels  # pixel tokens along a side of a patch
        self.pixel_pos = self.to_patch = self.patch_pos = None
        if pixel_position:
            self.pixel_pos = nn.Parameter(torch.zeros(1, inner_dims, side, side))
        if init == 'pixels':
            self.to_patch = PixelProjection(side * side, inner_dims, dims, bias=True)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, dims))
        if patch_position:
            tokens = 1 + self.grid[0] * self.grid[1]
            self.patch_pos = nn.Parameter(torch.zeros(1, tokens, dims))
        self.pos_drop = make_dropout(self.drop_rate)
        common = {**self.block_options, 'mlp_ratio': mlp_ratio, 'norm_eps': 1e-5}
        outer = {**common, 'embed_dims': dims, 'num_heads': settings['num_heads']}
        outer['mlp'] = ExcitedMlp if se else Mlp
        inner = {**common, 'embed_dims': inner_dims, 'num_heads': settings['inner_heads']}
        inner['attention'] = self.complete_part('inner_attention', inner_attention)
        inner['shortcut'] = self.complete_part('inner_shortcut', inner_shortcut)
        with_inner = range(depth) if inner_blocks is None else inner_blocks
        if any(i not in range(depth) for i in with_inner):
            raise OptionError(f'inner_blocks={inner_blocks}: each must be in [0, {depth})')
        if init == 'zeros' and not with_inner:
            raise OptionError(
                "init='zeros' requires an inner block; without one, no pixel is ever used"
            )
        each = [
            {'inner': inner if i in with_inner else None, **own}
            for i, own in enumerate(self.own_options(depth))
        ]
        levels = {'side': side, 'outer': outer, 'projection': projection}
        self.blocks = block_row(each, self.recursion, TNTBlock, TNTBlock, **levels)
        self.norm = nn.LayerNorm(dims, eps=1e-5) if final_norm else nn.Identity()
        # as published: trunc-normal 0.02 for tokens and linear layers, biases 0
        first = (self.cls_token,) if self.to_patch is not None else ()  # else it is 0 as well
        for token in (*first, self.patch_pos, self.pixel_pos):
            if token is not None:
                nn.init.trunc_normal_(token, std=0.02)
        trunc_normal_linears(self)

    def embed(self, image: Tensor) -> tuple[tuple[Tensor, Tensor], tuple[int, int]]:
        """Map images (N, in_channels, H, W) to pixels, patch tokens (N, 1 + h * w, C) and (h, w).

        Pixels are (N * h * w, p * p, c).
        """
        pixels, size = self.pixel_embed(image)
        if self.pixel_pos is not None:
            pixels = pixels + self.pixel_pos
        pixels = pixels.flatten(2).transpose(1, 2)  # (N * h * w, c, p, p) -> (N * h * w, p * p, c)
        batch = image.shape[0]
        if self.to_patch is not None:
            x = self.to_patch(pixels, batch)  # (N, h * w, C)
        else:
            x = pixels.new_zeros(batch, pixels.shape[0] // batch, self.out_channels[0])
        x = self.with_position(x, self.patch_pos, size)
        return (pixels, self.pos_drop(x)), size

    def run_first(self, image: Tensor, count: int) -> Unfinished:
        """Run all but the last ``count`` blocks; the tokens are those of the patches."""
        state = super().run_first(image, count)
        pixels, x = state.tokens
        return state._replace(tokens=x, blocks=without_pixels(state.blocks, pixels))

    def trunk(self, tokens: Any, size: tuple[int, int], sweeps: Sweeps) -> list[Tensor]:
        """Return the patch tokens, not the pixels, after ``out_indices``."""
        return [x for _, x in super().trunk(tokens, size, sweeps)]

    def positions(self) -> Iterator[Position]:
        """Yield the patches' code, which is resized bicubically; the pixels' fits any size."""
        if self.patch_pos is not None:
            yield Position('patch_pos', 1, self.grid, 'bicubic')
