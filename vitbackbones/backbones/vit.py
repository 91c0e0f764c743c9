"""ViT in DeiT's form, and Aug-ViT.

Touvron et al., "Training data-efficient image transformers", 2021: class token first, learned
positions, pre-norm blocks, LayerNorm eps 1e-6. Tang et al., "Augmented Shortcuts for Vision
Transformers", 2021: the same with augmented shortcuts around both branches of every block.
"""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn

from ..errors import OptionError
from ..layers import (
    STEMS,
    Block,
    Dropout,
    build_part,
    drop_path_rates,
    sinusoid_position,
    trunc_normal_linears,
)
from .base import choose_arch
from .plain import PlainBackbone

ARCHS = {
    'ti': {'embed_dims': 192, 'depth': 12, 'num_heads': 3},
    's': {'embed_dims': 384, 'depth': 12, 'num_heads': 6},
    'b': {'embed_dims': 768, 'depth': 12, 'num_heads': 12},
    'l': {'embed_dims': 1024, 'depth': 24, 'num_heads': 16},
}


class ViT(PlainBackbone):
    """Plain vision transformer with interchangeable stem, attention and shortcut.

    Args:
        arch: a key of ``ARCHS``, or a dict of its settings, see
            :func:`~vitbackbones.backbones.base.choose_arch`.
        img_size: side of the square image (or (height, width)) that the position code is made
            for; other sizes work, the code is resized.
        patch_size: side of a patch in pixels.
        in_channels: channels of the image.
        out_indices: blocks whose output is returned; the last one's has the final LayerNorm.
        pool: average the output maps over ``pool`` x ``pool``, so that stride 16 becomes 32.
        stem: configuration of what makes the patch tokens (``vitbackbones.layers``).
        position: ``'learned'``, or ``'sinusoid'`` for a fixed table, a parameter without gradient.
        attention, shortcut: configurations of the parts (``vitbackbones.layers``).
        mlp_ratio: hidden width of the MLP in units of ``embed_dims``.
        qkv_bias: bias of the query, key and value projections.
        norm_eps: epsilon of the LayerNorms.
        with_cls_token: whether there is a class token.
        final_norm: whether there is the final LayerNorm; SETR's heads have their own.
        drop_rate, attn_drop_rate: dropout in the blocks and on the positions.
        drop_path_rate: stochastic depth of the last block; linear from 0 at the first.
        options: arguments of :class:`~vitbackbones.backbones.base.Backbone`.

    Raises:
        OptionError: unknown ``arch``, part, ``position`` or ``out_type``, an index out of range,
            or ``out_type='cls_token'`` without a class token.
    """

    archs = ARCHS

    def __init__(
        self,
        arch: str | dict = 's',
        img_size: int | tuple[int, int] = 224,
        patch_size: int = 16,
        in_channels: int = 3,
        out_indices: int | str | Sequence[int] = -1,
        pool: int = 1,
        stem: dict = {'type': 'PatchEmbed'},  # noqa: B006 (never changed)
        position: str = 'learned',
        attention: dict = {'type': 'DotProductAttention'},  # noqa: B006
        shortcut: dict = {'type': 'IdentityShortcut'},  # noqa: B006
        mlp_ratio: float = 4.0,
        qkv_bias: bool = True,
        norm_eps: float = 1e-6,
        with_cls_token: bool = True,
        final_norm: bool = True,
        drop_rate: float = 0.0,
        attn_drop_rate: float = 0.0,
        drop_path_rate: float = 0.0,
        **options,
    ) -> None:
        settings = choose_arch(self.archs, arch)
        dims, depth = settings['embed_dims'], settings['depth']
        super().__init__(dims, depth, img_size, patch_size, out_indices, pool, **options)
        if self.out_type == 'cls_token' and not with_cls_token:
            raise OptionError("out_type='cls_token' needs with_cls_token=True")

        self.patch_embed = build_part(
            STEMS,
            self.complete_part('stem', stem),
            in_channels=in_channels,
            embed_dims=dims,
            patch_size=patch_size,
        )
        self.cls_token = nn.Parameter(torch.zeros(1, 1, dims)) if with_cls_token else None
        self._make_position(position, int(with_cls_token) + self.grid[0] * self.grid[1], dims)
        self.pos_drop = Dropout(drop_rate)
        attention = self.complete_part('attention', attention)
        shortcut = self.complete_part('shortcut', shortcut)
        self.blocks = nn.ModuleList(
            Block(
                dims,
                settings['num_heads'],
                mlp_ratio,
                attention,
                shortcut,
                qkv_bias=qkv_bias,
                drop_rate=drop_rate,
                attn_drop_rate=attn_drop_rate,
                drop_path_rate=rate,
                norm_eps=norm_eps,
            )
            for rate in drop_path_rates(drop_path_rate, depth)
        )
        self.norm = nn.LayerNorm(dims, eps=norm_eps) if final_norm else nn.Identity()
        self._reset_parameters()
        self.complete()

    def _make_position(self, kind: str, tokens: int, dims: int) -> None:
        if kind == 'learned':
            self.pos_embed = nn.Parameter(torch.zeros(1, tokens, dims))
        elif kind == 'sinusoid':
            self.pos_embed = nn.Parameter(sinusoid_position(tokens, dims), requires_grad=False)
        else:
            raise OptionError(f"position={kind!r} is neither 'learned' nor 'sinusoid'")

    def _reset_parameters(self) -> None:
        """DeiT's initialisation: trunc-normal 0.02 for tokens and linear layers, biases 0."""
        for token in (self.pos_embed, self.cls_token):
            if token is not None and token.requires_grad:
                nn.init.trunc_normal_(token, std=0.02)
        trunc_normal_linears(self)

    def forward(self, image: Tensor) -> tuple[Tensor, ...]:
        """Map images (N, in_channels, H, W) to one map or vector per entry of ``out_indices``."""
        x, size = self.patch_embed(image)  # (N, h * w, C)
        x = self.with_position(x, self.pos_embed, size)
        outputs = []
        for i, block in enumerate(self.blocks):
            x = self.run_block(block, x, size)
            if i in self.out_indices:
                outputs.append(self.read_out(x, i, size))
        return tuple(outputs)

    def stem_parts(self) -> list[nn.Module | Tensor | None]:
        return [self.patch_embed, self.pos_embed, self.pos_drop, self.cls_token]

    def positions(self) -> Iterator[tuple[str, int, tuple[int, int], str]]:
        yield 'pos_embed', int(self.cls_token is not None), self.grid, 'bicubic'

    def no_weight_decay(self) -> set[str]:
        """Tokens, positions and (as their published vectors are 1-D) the augmented paths."""
        names = {name for name, _ in self.named_parameters()}
        return {n for n in names if n in ('cls_token', 'pos_embed') or '.shortcut_' in n}


class AugViT(ViT):
    """ViT whose shortcuts are augmented, by default as in the paper (two circulant paths).

    The registered model ``augvit_small_circulant2`` of the published code is ``arch='s'``.
    Arguments as :class:`ViT`.
    """

    def __init__(
        self,
        arch: str | dict = 's',
        shortcut: dict = {'type': 'AugmentedShortcut', 'paths': 2, 'blocks': 4},  # noqa: B006
        **options,
    ) -> None:
        super().__init__(arch, shortcut=shortcut, **options)
