"""Swin transformer (v1), and MSF-Swin.

Liu et al., "Swin Transformer", 2021, in torchvision's form: four stages at strides 4 to 32,
attention in windows of 7 x 7 that are shifted in every other block, a learned bias for relative
positions, patches merged between stages, LayerNorm eps 1e-5. The last stage's output has the final
LayerNorm, maps of earlier stages have none.

MSF-Swin (Kobayashi, "Mean-Shift Feature Transformer", CVPR 2024) has mean-shift attention in the
windows. Its code was not published; weight counts determine one more projection per block, with q,
k, v and p grouped and the back-projection dense. They say nothing of biases and of the position
bias. Assumed here: both are kept as in Swin (``qkv_bias``, ``proj_bias`` of the attention,
``position_bias``), and the position bias is added to the scores of the Gaussian kernel.
"""

from collections.abc import Iterator, Sequence

import torch.nn.functional as F
from torch import Tensor, nn

from ..errors import OptionError
from ..layers import PatchEmbed, WindowBlock, drop_path_rates, to_map, trunc_normal_linears
from .base import choose_arch, input_size
from .pyramid import PyramidBackbone

ARCHS = {
    't': {'embed_dims': 96, 'depths': (2, 2, 6, 2), 'num_heads': (3, 6, 12, 24)},
    's': {'embed_dims': 96, 'depths': (2, 2, 18, 2), 'num_heads': (3, 6, 12, 24)},
}


class PatchMerging(nn.Module):
    """Join 2 x 2 tokens to one of twice the width; an odd side is zero-padded."""

    def __init__(self, embed_dims: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(4 * embed_dims, eps=1e-5)
        self.reduction = nn.Linear(4 * embed_dims, 2 * embed_dims, bias=False)

    def forward(self, x: Tensor, size: tuple[int, int]) -> tuple[Tensor, tuple[int, int]]:
        """Map (N, h * w, C) with (h, w) to (N, h' * w', 2 C) with (h', w'), halved upwards."""
        x = x.unflatten(1, size)  # (N, h, w, C)
        x = F.pad(x, (0, 0, 0, size[1] % 2, 0, size[0] % 2))
        x = x.unflatten(2, (-1, 2)).unflatten(1, (-1, 2))
        # (N, h', 2, w', 2, C) -> (N, h', w', column in patch, row in patch, C)
        x = x.permute(0, 1, 3, 4, 2, 5).flatten(3)
        size = (x.shape[1], x.shape[2])
        return self.reduction(self.norm(x.flatten(1, 2))), size


class Layer(nn.Module):
    """The blocks of one resolution, after the merging that leads to it (timm's ``layers.i``)."""

    def __init__(self, downsample: nn.Module | None, blocks: list[nn.Module]) -> None:
        super().__init__()
        self.downsample = downsample
        self.blocks = nn.ModuleList(blocks)


class Swin(PyramidBackbone):
    """Swin transformer with interchangeable attention and shortcut.

    Args:
        arch: a key of ``ARCHS``, or a dict of its settings, see
            :func:`~vitbackbones.backbones.base.choose_arch`.
        groups: groups of the attention's projections (``layers.GroupedLinear``).
        img_size: accepted as by every backbone; nothing here depends on it.
        window: side of a window in tokens.
        in_channels: channels of the image.
        out_indices: stages whose map is returned, 0 to 3 (strides 4, 8, 16, 32). The vector of
            ``out_type='pooled'`` is the last stage's.
        attention, shortcut: configurations of the parts (``vitbackbones.layers``); the attention
            must take a ``bias``.
        mlp_ratio: hidden width of the MLP in units of its stage's width.
        qkv_bias: bias of the attention's projections of its input.
        position_bias: whether relative positions in a window have a bias.
        drop_rate, attn_drop_rate: dropout in the blocks.
        drop_path_rate: stochastic depth of the last block; linear from 0 at the first. Published
            are 0.2 for ``'t'`` and 0.3 for ``'s'``.
        options: arguments of :class:`~vitbackbones.backbones.base.Backbone`.

    Raises:
        OptionError: unknown ``arch``, part or ``out_type``, an index out of range, an attention
            that takes no bias, or ``out_type='cls_token'``: there is none.
    """

    stages_name = 'layers'

    def __init__(
        self,
        arch: str | dict = 't',
        groups: int = 1,
        img_size: int | tuple[int, int] = 224,
        window: int = 7,
        in_channels: int = 3,
        out_indices: int | str | Sequence[int] = (0, 1, 2, 3),
        attention: dict = {'type': 'DotProductAttention'},  # noqa: B006 (never changed)
        shortcut: dict = {'type': 'IdentityShortcut'},  # noqa: B006
        mlp_ratio: float = 4.0,
        qkv_bias: bool = True,
        position_bias: bool = True,
        drop_rate: float = 0.0,
        attn_drop_rate: float = 0.0,
        drop_path_rate: float = 0.0,
        **options,
    ) -> None:
        settings = choose_arch(ARCHS, arch)
        depths = settings['depths']
        dims = [settings['embed_dims'] * 2**i for i in range(len(depths))]
        super().__init__(dims, 4, out_indices, **options)
        input_size(img_size)  # refuses what is none
        if self.out_type == 'cls_token':
            raise OptionError("out_type='cls_token': there is no class token here, use 'pooled'")
        attention = self.complete_part('attention', attention)
        shortcut = self.complete_part('shortcut', shortcut)
        rates = iter(drop_path_rates(drop_path_rate, sum(depths)))

        def block(i: int, j: int) -> WindowBlock:
            return WindowBlock(
                dims[i],
                settings['num_heads'][i],
                window,
                shift=window // 2 if j % 2 else 0,
                position_bias=position_bias,
                mlp_ratio=mlp_ratio,
                attention=attention if groups == 1 else {**attention, 'groups': groups},
                shortcut=shortcut,
                qkv_bias=qkv_bias,
                drop_rate=drop_rate,
                attn_drop_rate=attn_drop_rate,
                drop_path_rate=next(rates),
                norm_eps=1e-5,
            )

        self.patch_embed = PatchEmbed(in_channels, dims[0], 4, norm_eps=1e-5)
        self.layers = nn.ModuleList(
            Layer(PatchMerging(dims[i - 1]) if i else None, [block(i, j) for j in range(depth)])
            for i, depth in enumerate(depths)
        )
        self.norm = nn.LayerNorm(dims[-1], eps=1e-5)
        trunc_normal_linears(self)
        self.complete()

    def forward(self, image: Tensor) -> tuple[Tensor, ...]:
        """Map images (N, in_channels, H, W) to the maps of ``out_indices`` or to one vector."""
        x, size = self.patch_embed(image)  # (N, h * w, C)
        maps = []
        for i, layer in enumerate(self.layers):
            if layer.downsample is not None:
                x, size = layer.downsample(x, size)
            for block in layer.blocks:
                x = self.run_block(block, x, size)
            if i in self.out_indices:
                out = self.norm(x) if i == len(self.layers) - 1 else x
                maps.append(to_map(out, size) if self.out_type == 'featmap' else out.mean(1))
        return tuple(maps)

    def parts_by_stage(self) -> list[list[nn.Module | nn.Parameter]]:
        return [[self.patch_embed], *([layer] for layer in self.layers)]

    def positions(self) -> Iterator[tuple[str, int, tuple[int, int], str]]:
        """Nothing: relative positions are those in a window, whatever the image's size."""
        return iter(())

    def no_weight_decay(self) -> set[str]:
        """The position bias and the augmented paths."""
        names = {name for name, _ in self.named_parameters()}
        return {n for n in names if n.endswith('_bias_table') or '.shortcut_' in n}


class MSFSwin(Swin):
    """Swin with mean-shift attention in its windows; see the module docstring.

    Arguments as :class:`Swin`.
    """

    def __init__(
        self,
        arch: str | dict = 't',
        groups: int = 1,
        attention: dict = {'type': 'MeanShiftAttention'},  # noqa: B006 (never changed)
        **options,
    ) -> None:
        super().__init__(arch, groups, attention=attention, **options)
