"""The plain ViT of the mean-shift paper (SimpleViT), and MSF-ViT.

Kobayashi, "Mean-Shift Feature Transformer", CVPR 2024, on the "simple ViT" of Beyer et al., 2022,
in the form of its published code: patches are normalised before and after their projection, the
position code is fixed (sine-cosine of integer patch coordinates, computed for the grid of the
image, so any size works and nothing is resized), there is no class token, attention has no
biases, and LayerNorm eps is 1e-5. The vector for classification is the mean over tokens and
*then* a LayerNorm; maps are the residual stream as it is, without a norm.

MSF-ViT is the same with mean-shift attention. Linear layers keep torch's initialisation.
"""

from collections.abc import Iterator, Sequence

from torch import Tensor, nn

from ..errors import OptionError
from ..layers import (
    Block,
    average_map,
    drop_path_rates,
    pad_to_multiple,
    require_channels,
    sincos_position,
    to_map,
)
from .base import choose_arch
from .plain import PlainBackbone

ARCHS = {
    'ti': {'embed_dims': 192, 'depth': 12, 'num_heads': 3},
    'ss': {'embed_dims': 384, 'depth': 6, 'num_heads': 6},
    's': {'embed_dims': 384, 'depth': 12, 'num_heads': 6},
    'b': {'embed_dims': 768, 'depth': 12, 'num_heads': 12},
}


class NormedPatchEmbed(nn.Module):
    """Patches to tokens by LayerNorm, linear map, LayerNorm; any size, padded inside.

    The pixels of a patch are ordered (row, column, channel), the channel fastest.
    """

    def __init__(self, in_channels: int, embed_dims: int, patch_size: int) -> None:
        super().__init__()
        self.in_channels, self.patch_size = in_channels, patch_size
        pixels = patch_size * patch_size * in_channels
        self.norm1 = nn.LayerNorm(pixels, eps=1e-5)
        self.proj = nn.Linear(pixels, embed_dims)
        self.norm2 = nn.LayerNorm(embed_dims, eps=1e-5)

    def forward(self, x: Tensor) -> tuple[Tensor, tuple[int, int]]:
        """Map (N, in_channels, H, W) to tokens (N, h * w, C) and (h, w), rounded up."""
        require_channels(x, self.in_channels)
        p = self.patch_size
        x = pad_to_multiple(x, p).unflatten(3, (-1, p)).unflatten(2, (-1, p))
        size = (x.shape[2], x.shape[4])
        x = x.permute(0, 2, 4, 3, 5, 1)  # (N, C, h, p, w, p) -> (N, h, w, p, p, C)
        return self.norm2(self.proj(self.norm1(x.flatten(3).flatten(1, 2)))), size


class SimpleViT(PlainBackbone):
    """Plain vision transformer with fixed positions and interchangeable attention and shortcut.

    Args:
        arch: a key of ``ARCHS``, or a dict of its settings, see
            :func:`~vitbackbones.backbones.base.choose_arch`.
        groups: groups of the attention's projections (``layers.GroupedLinear``).
        img_size: accepted as by every backbone; nothing here depends on it.
        patch_size: side of a patch in pixels.
        in_channels: channels of the image.
        out_indices: blocks whose output is returned.
        pool: average the output maps over ``pool`` x ``pool``, so that stride 16 becomes 32.
        attention, shortcut: configurations of the parts (``vitbackbones.layers``).
        mlp_ratio: hidden width of the MLP in units of ``embed_dims``.
        qkv_bias, proj_bias: bias of the attention's projections of its input and its output.
        drop_rate, attn_drop_rate: dropout in the blocks.
        drop_path_rate: stochastic depth of the last block; linear from 0 at the first.
        options: arguments of :class:`~vitbackbones.backbones.base.Backbone`.

    Raises:
        OptionError: unknown ``arch``, part or ``out_type``, an index out of range, ``groups`` that
            do not divide the width, or ``out_type='cls_token'``: there is none.
    """

    def __init__(
        self,
        arch: str | dict = 's',
        groups: int = 1,
        img_size: int | tuple[int, int] = 224,
        patch_size: int = 16,
        in_channels: int = 3,
        out_indices: int | str | Sequence[int] = -1,
        pool: int = 1,
        attention: dict = {'type': 'DotProductAttention'},  # noqa: B006 (never changed)
        shortcut: dict = {'type': 'IdentityShortcut'},  # noqa: B006
        mlp_ratio: float = 4.0,
        qkv_bias: bool = False,
        proj_bias: bool = False,
        drop_rate: float = 0.0,
        attn_drop_rate: float = 0.0,
        drop_path_rate: float = 0.0,
        **options,
    ) -> None:
        settings = choose_arch(ARCHS, arch)
        dims, depth = settings['embed_dims'], settings['depth']
        super().__init__(dims, depth, img_size, patch_size, out_indices, pool, **options)
        if self.out_type == 'cls_token':
            raise OptionError("out_type='cls_token': there is no class token here, use 'pooled'")
        if dims % 4 or dims < 8:
            raise OptionError(f'embed_dims={dims}: the position code needs a multiple of 4 from 8')
        self.cls_token = None
        self.patch_embed = NormedPatchEmbed(in_channels, dims, patch_size)
        attention = self.complete_part('attention', attention)
        shortcut = self.complete_part('shortcut', shortcut)
        self.blocks = nn.ModuleList(
            Block(
                dims,
                settings['num_heads'],
                mlp_ratio,
                attention if groups == 1 else {**attention, 'groups': groups},
                shortcut,
                qkv_bias=qkv_bias,
                proj_bias=proj_bias,
                drop_rate=drop_rate,
                attn_drop_rate=attn_drop_rate,
                drop_path_rate=rate,
                norm_eps=1e-5,
            )
            for rate in drop_path_rates(drop_path_rate, depth)
        )
        self.norm = nn.LayerNorm(dims, eps=1e-5) if self.out_type == 'pooled' else None
        self.complete()

    def forward(self, image: Tensor) -> tuple[Tensor, ...]:
        """Map images (N, in_channels, H, W) to one map or vector per entry of ``out_indices``."""
        x, size = self.patch_embed(image)  # (N, h * w, C)
        x = x + sincos_position(size, x.shape[2], x.device).to(x.dtype)
        outputs = []
        for i, block in enumerate(self.blocks):
            x = self.run_block(block, x, size)
            if i in self.out_indices:
                outputs.append(self.read_out(x, i, size))
        return tuple(outputs)

    def read_out(self, x: Tensor, block: int, size: tuple[int, int]) -> Tensor:
        """Turn tokens (N, h * w, C) into a map without a norm, or the norm of their mean."""
        if self.out_type == 'pooled':
            return self.norm(x.mean(1))
        return average_map(to_map(x, size), self.pool)  # (N, C, h / pool, w / pool)

    def stem_parts(self) -> list[nn.Module]:
        return [self.patch_embed]

    def positions(self) -> Iterator[tuple[str, int, tuple[int, int], str]]:
        """Nothing: the position code is not learned."""
        return iter(())

    def no_weight_decay(self) -> set[str]:
        """The augmented paths; the published recipe decays everything else."""
        return {name for name, _ in self.named_parameters() if '.shortcut_' in name}


class MSFViT(SimpleViT):
    """SimpleViT with mean-shift attention.

    ``SimpleViTS_msf`` of the published code is ``arch='s'``, ``SimpleViTS_msf-g2`` is the same
    with ``groups=2``. Arguments as :class:`SimpleViT`.
    """

    def __init__(
        self,
        arch: str | dict = 's',
        groups: int = 1,
        attention: dict = {'type': 'MeanShiftAttention'},  # noqa: B006
        **options,
    ) -> None:
        super().__init__(arch, groups, attention=attention, **options)
