"""ViT in DeiT's form, and Aug-ViT.

Touvron et al., "Training data-efficient image transformers", 2021: class token first, learned
positions, pre-norm blocks, LayerNorm eps 1e-6. Tang et al., "Augmented Shortcuts for Vision
Transformers", 2021: the same with augmented shortcuts around both branches of every block.
"""

import math
from collections.abc import Iterator, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..layers import (
    Block,
    PatchEmbed,
    drop_path_rates,
    resize_position,
    to_map,
    trunc_normal_linears,
)
from ..registry import MODELS
from .base import Backbone, choose_arch, choose_indices

ARCHS = {
    'ti': {'embed_dims': 192, 'depth': 12, 'num_heads': 3},
    's': {'embed_dims': 384, 'depth': 12, 'num_heads': 6},
    'b': {'embed_dims': 768, 'depth': 12, 'num_heads': 12},
    'l': {'embed_dims': 1024, 'depth': 24, 'num_heads': 16},
}


@MODELS.register_module()
class ViT(Backbone):
    """Plain vision transformer with interchangeable attention and shortcut.

    Args:
        arch: a key of ``ARCHS`` or a dict with its keys.
        img_size: side of the square image (or (height, width)) that the position code is made
            for; other sizes work, the code is resized.
        patch_size: side of a patch in pixels.
        in_channels: channels of the image.
        out_indices: blocks whose output is returned; the last one's has the final LayerNorm.
        pool: average the output maps over ``pool`` x ``pool``, so that stride 16 becomes 32.
        attention, shortcut: configurations of the parts (``vitbackbones.layers``).
        mlp_ratio: hidden width of the MLP in units of ``embed_dims``.
        qkv_bias: bias of the query, key and value projections.
        with_cls_token: whether there is a class token.
        drop_rate, attn_drop_rate: dropout in the blocks and on the positions.
        drop_path_rate: stochastic depth of the last block; linear from 0 at the first.
        options: arguments of :class:`~vitbackbones.backbones.base.Backbone`.

    Raises:
        ValueError: unknown ``arch``, part or ``out_type``, an index out of range, or
            ``out_type='cls_token'`` without a class token.
    """

    def __init__(
        self,
        arch: str | dict = 's',
        img_size: int | tuple[int, int] = 224,
        patch_size: int = 16,
        in_channels: int = 3,
        out_indices: int | Sequence[int] = -1,
        pool: int = 1,
        attention: dict = {'type': 'DotProductAttention'},  # noqa: B006 (never changed)
        shortcut: dict = {'type': 'IdentityShortcut'},  # noqa: B006
        mlp_ratio: float = 4.0,
        qkv_bias: bool = True,
        with_cls_token: bool = True,
        drop_rate: float = 0.0,
        attn_drop_rate: float = 0.0,
        drop_path_rate: float = 0.0,
        **options,
    ) -> None:
        super().__init__(**options)
        settings = choose_arch(ARCHS, arch)
        dims, depth = settings['embed_dims'], settings['depth']
        if self.out_type == 'cls_token' and not with_cls_token:
            raise ValueError("out_type='cls_token' needs with_cls_token=True")
        height, width = (img_size, img_size) if isinstance(img_size, int) else img_size
        self.grid = (math.ceil(height / patch_size), math.ceil(width / patch_size))
        self.pool = pool
        self.out_indices = choose_indices(out_indices, depth)
        self.out_channels = (dims,) * len(self.out_indices)
        self.out_strides = (patch_size * pool,) * len(self.out_indices)

        self.patch_embed = PatchEmbed(in_channels, dims, patch_size)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, dims)) if with_cls_token else None
        tokens = int(with_cls_token) + self.grid[0] * self.grid[1]
        self.pos_embed = nn.Parameter(torch.zeros(1, tokens, dims))
        self.pos_drop = nn.Dropout(drop_rate)
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
            )
            for rate in drop_path_rates(drop_path_rate, depth)
        )
        self.norm = nn.LayerNorm(dims, eps=1e-6)
        self._reset_parameters()
        self.freeze()

    def _reset_parameters(self) -> None:
        """DeiT's initialisation: trunc-normal 0.02 for tokens and linear layers, biases 0."""
        for token in (self.pos_embed, self.cls_token):
            if token is not None:
                nn.init.trunc_normal_(token, std=0.02)
        trunc_normal_linears(self)

    def forward(self, image: Tensor) -> tuple[Tensor, ...]:
        """Map images (N, in_channels, H, W) to one map or vector per entry of ``out_indices``."""
        x, size = self.patch_embed(image)  # (N, h * w, C)
        x = self._with_position(x, size)
        outputs = []
        for i, block in enumerate(self.blocks):
            x = self.run_block(block, x, size)
            if i in self.out_indices:
                outputs.append(self._output(x if i < len(self.blocks) - 1 else self.norm(x), size))
        return tuple(outputs)

    def _with_position(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        if self.cls_token is not None:
            x = torch.cat([self.cls_token.expand(len(x), -1, -1), x], 1)  # (N, 1 + h * w, C)
        return self.pos_drop(x + resize_position(self.pos_embed, self.grid, size))

    def _output(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        if self.out_type == 'cls_token':
            return x[:, 0]
        x = x if self.cls_token is None else x[:, 1:]
        if self.out_type == 'pooled':
            return x.mean(1)
        x = to_map(x, size)  # (N, C, h, w)
        if self.pool == 1:
            return x
        # a cell cut by the border is the mean of what it covers
        return F.avg_pool2d(x, self.pool, ceil_mode=True, count_include_pad=False)

    def parts_by_stage(self) -> list[list[nn.Module | nn.Parameter]]:
        stem = [self.patch_embed, self.pos_embed, self.pos_drop]
        stem += [] if self.cls_token is None else [self.cls_token]
        return [stem, *([block] for block in self.blocks)]

    def layer_depth(self, name: str) -> tuple[int, int]:
        depths = len(self.blocks) + 2
        if name.startswith('blocks.'):
            return int(name.split('.')[1]) + 1, depths
        return (depths - 1 if name.startswith('norm.') else 0), depths

    def positions(self) -> Iterator[tuple[str, int, tuple[int, int], str]]:
        yield 'pos_embed', int(self.cls_token is not None), self.grid, 'bicubic'

    def no_weight_decay(self) -> set[str]:
        """Tokens, positions and (as their published vectors are 1-D) the augmented paths."""
        names = {name for name, _ in self.named_parameters()}
        return {n for n in names if n in ('cls_token', 'pos_embed') or '.shortcut_' in n}


@MODELS.register_module()
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
