"""ViT in DeiT's form, and Aug-ViT.

Touvron et al., "Training data-efficient image transformers", 2021: class token first, learned
positions, pre-norm blocks, LayerNorm eps 1e-6; in distilled models a distillation token behind the
class token. Tang et al., "Augmented Shortcuts for Vision Transformers", 2021: the same with
augmented shortcuts around both branches of every block.
"""

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from ..errors import OptionError
from ..layers import STEMS, block_row, build_part, make_dropout, require_choice, sinusoid_position
from .base import PlainBackbone
from .shared.augmented import AUGMENTED
from .shared.options import UNCHANGED, WindowOptions, choose_arch
from .shared.starting import Position, trunc_normal_linears

_DISTILLED = {'with_dist_token': True, 'out_type': 'cls_dist_tokens'}


class ViT(WindowOptions, PlainBackbone):
    """Plain vision transformer with interchangeable stem, attention and shortcut.

    Args:
        stem: configuration of what makes the patch tokens (``vitbackbones.layers``).
        position: ``'learned'``, or ``'sinusoid'`` for a fixed table, a parameter without gradient.
        norm_eps: epsilon of the LayerNorms.
        with_cls_token: whether there is a class token.
        with_dist_token: whether there is a distillation token behind it, which reads a teacher's
            decision; ``out_type='cls_dist_tokens'`` returns both.
        options: arguments of :class:`~vitbackbones.backbones.shared.options.WindowOptions`
            and :class:`~vitbackbones.backbones.base.PlainBackbone`, which describe them.
    """

    archs = {
        'ti': {'embed_dims': 192, 'depth': 12, 'num_heads': 3},
        's': {'embed_dims': 384, 'depth': 12, 'num_heads': 6},
        'b': {'embed_dims': 768, 'depth': 12, 'num_heads': 12},
        'l': {'embed_dims': 1024, 'depth': 24, 'num_heads': 16},
    }
    classifiers = {
        **{f'deit_{arch}': {'arch': arch} for arch in ('ti', 's', 'b')},
        **{f'deit_{arch}_distilled': {'arch': arch, **_DISTILLED} for arch in ('ti', 's', 'b')},
    }
    head_input = 'cls_token'
    default_parts = {**WindowOptions.default_parts, 'stem': {'type': 'PatchEmbed'}}
    # the augmented paths too, as their published vectors are 1-D
    undecayed = ('cls_token', 'dist_token', 'pos_embed', '*.shortcut*')

    def __init__(
        self,
        arch: str | dict = 's',
        patch_size: int = 16,
        stem: dict = UNCHANGED,
        position: str = 'learned',
        mlp_ratio: float = 4.0,
        norm_eps: float = 1e-6,
        with_cls_token: bool = True,
        with_dist_token: bool = False,
        final_norm: bool = True,
        **options,
    ) -> None:
        settings = choose_arch(self.archs, arch)
        dims = settings['embed_dims']
        depth = settings['depth']
        super().__init__(dims, depth, patch_size, **options)
        if self.out_type == 'cls_token' and not with_cls_token:
            raise OptionError("out_type='cls_token' requires with_cls_token=True")
        if with_dist_token and not with_cls_token:
            raise OptionError('with_dist_token=True requires with_cls_token=True')
        require_choice('position', position, ('learned', 'sinusoid'))
        fixed = position == 'sinusoid'

        widths = {'in_channels': self.in_channels, 'embed_dims': dims, 'patch_size': patch_size}
        self.patch_embed = build_part(STEMS, self.complete_part('stem', stem), **widths)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, dims)) if with_cls_token else None
        self.dist_token = nn.Parameter(torch.zeros(1, 1, dims)) if with_dist_token else None
        tokens = len(self.leading_tokens()) + self.grid[0] * self.grid[1]
        code = sinusoid_position(tokens, dims) if fixed else torch.zeros(1, tokens, dims)
        self.pos_embed = nn.Parameter(code, requires_grad=not fixed)
        self.pos_drop = make_dropout(self.drop_rate)
        self.blocks = block_row(
            self.own_options(depth),
            self.recursion,
            embed_dims=dims,
            num_heads=settings['num_heads'],
            mlp_ratio=mlp_ratio,
            norm_eps=norm_eps,
            **self.block_options,
        )
        self.norm = nn.LayerNorm(dims, eps=norm_eps) if final_norm else nn.Identity()
        for token in (self.pos_embed, *self.leading_tokens()):
            if token.requires_grad:
                nn.init.trunc_normal_(token, std=0.02)
        trunc_normal_linears(self)

    def embed(self, image: Tensor) -> tuple[Tensor, tuple[int, int]]:
        """Map images (N, in_channels, H, W) to tokens (N, P + h * w, C) and (h, w)."""
        x, size = self.patch_embed(image)  # (N, h * w, C)
        return self.pos_drop(self.with_position(x, self.pos_embed, size)), size

    def positions(self) -> Iterator[Position]:
        """Yield the one code, which is resized bicubically."""
        yield Position('pos_embed', len(self.leading_tokens()), self.grid, 'bicubic')


class AugViT(ViT):
    """ViT whose shortcuts are augmented, by default as in the paper (two circulant paths).

    The registered model ``augvit_small_circulant2`` of the published code is ``arch='s'``.
    Arguments as :class:`ViT`.
    """

    classifiers = {f'aug_vit_{arch}': {'arch': arch} for arch in ('ti', 's', 'b')}
    preprocessing = {'mean': (0.5,) * 3, 'std': (0.5,) * 3, 'crop_pct': 0.9}
    default_parts = {**ViT.default_parts, 'shortcut': AUGMENTED}
