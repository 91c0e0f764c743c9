"""The plain ViT of the mean-shift paper (SimpleViT), and MSF-ViT.

Kobayashi, "Mean-Shift Feature Transformer", CVPR 2024, on the "simple ViT" of Beyer et al., 2022,
in the form of its published code: patches are normalized before and after their projection, the
position code is fixed (sine-cosine of integer patch coordinates, computed for the grid of the
image, so any size works and nothing is resized), there is no class token, attention has no
biases, and LayerNorm eps is 1e-5. The vector for classification is the mean over tokens and
*then* a LayerNorm; maps are the residual stream as it is, without a norm.

MSF-ViT is the same with mean-shift attention. Linear layers keep torch's initialization.
"""

from torch import Tensor, nn

from ..errors import OptionError
from ..layers.recursion import block_row
from ..layers.tokens import average_map, pad_to_multiple, require_channels, sincos_position, to_map
from .base import PlainBackbone
from .shared.options import WindowOptions, choose_arch


class NormedPatchEmbed(nn.Module):
    """Patches to tokens by LayerNorm, linear map, LayerNorm; any size, padded inside.

    The pixels of a patch are ordered (row, column, channel), the channel fastest.
    """

    def __init__(self, in_channels: int, embed_dims: int, patch_size: int) -> None:
        super().__init__()
        self.in_channels = in_channels
        self.patch_size = patch_size
        pixels = patch_size * patch_size * in_channels
        self.norm1 = nn.LayerNorm(pixels, eps=1e-5)
        self.proj = nn.Linear(pixels, embed_dims)
        self.norm2 = nn.LayerNorm(embed_dims, eps=1e-5)

    def forward(self, x: Tensor) -> tuple[Tensor, tuple[int, int]]:
        """Map (N, in_channels, H, W) to tokens (N, h * w, C) and (h, w), rounded up."""
        require_channels(x, self.in_channels)
        p = self.patch_size
        x = pad_to_multiple(x, p).unflatten(3, (-1, p)).unflatten(2, (-1, p))  # (N, C, h, p, w, p)
        size = (x.shape[2], x.shape[4])
        x = x.permute(0, 2, 4, 3, 5, 1)  # (N, C, h, p, w, p) -> (N, h, w, p, p, C)
        return self.norm2(self.proj(self.norm1(x.flatten(3).flatten(1, 2)))), size


class SimpleViT(WindowOptions, PlainBackbone):
    """Plain vision transformer with fixed positions and interchangeable attention and shortcut.

    Nothing here depends on ``img_size``.

    Args:
        groups: groups of the attention's projections (``layers.GroupedLinear``).
        proj_bias: whether the attention's projection of its output has a bias.
        options: arguments of :class:`~vitbackbones.backbones.shared.options.WindowOptions`
            and :class:`~vitbackbones.backbones.base.PlainBackbone`, which describe them.
    """

    archs = {
        'ti': {'embed_dims': 192, 'depth': 12, 'num_heads': 3},
        'ss': {'embed_dims': 384, 'depth': 6, 'num_heads': 6},
        's': {'embed_dims': 384, 'depth': 12, 'num_heads': 6},
        'b': {'embed_dims': 768, 'depth': 12, 'num_heads': 12},
    }
    classifiers = {f'simple_vit_{arch}': {'arch': arch} for arch in archs}
    torch_head = True
    preprocessing = {'interpolation': 'bilinear'}
    undecayed = ('*.shortcut*',)  # the published recipe decays everything else

    def __init__(
        self,
        arch: str | dict = 's',
        groups: int = 1,
        patch_size: int = 16,
        mlp_ratio: float = 4.0,
        qkv_bias: bool = False,
        proj_bias: bool = False,
        **options,
    ) -> None:
        settings = choose_arch(self.archs, arch)
        dims = settings['embed_dims']
        depth = settings['depth']
        super().__init__(dims, depth, patch_size, qkv_bias=qkv_bias, **options)
        if dims % 4 or dims < 8:
            raise OptionError(
                f'embed_dims={dims}: the position embedding requires a multiple of 4 that '
                'is at least 8'
            )
        self.patch_embed = NormedPatchEmbed(self.in_channels, dims, patch_size)
        self.group_projections(groups)
        self.blocks = block_row(
            self.own_options(depth),
            self.recursion,
            embed_dims=dims,
            num_heads=settings['num_heads'],
            mlp_ratio=mlp_ratio,
            proj_bias=proj_bias,
            norm_eps=1e-5,
            **self.block_options,
        )
        pooled = self.out_type == 'pooled'
        self.norm = nn.LayerNorm(dims, eps=1e-5) if pooled else nn.Identity()

    def embed(self, image: Tensor) -> tuple[Tensor, tuple[int, int]]:
        """Map images (N, in_channels, H, W) to tokens (N, h * w, C) and (h, w)."""
        x, size = self.patch_embed(image)  # (N, h * w, C)
        return x + sincos_position(size, x.shape[2], x.device).to(x.dtype), size

    def read_out(self, x: Tensor, block: int, size: tuple[int, int]) -> Tensor:
        """Turn tokens (N, h * w, C) into a map without a norm, or the norm of their mean."""
        if self.out_type == 'pooled':
            return self.norm(x.mean(1))
        return average_map(to_map(x, size), self.pool)  # (N, C, h / pool, w / pool)


class MSFViT(SimpleViT):
    """SimpleViT with mean-shift attention.

    ``SimpleViTS_msf`` of the published code is ``arch='s'``, ``SimpleViTS_msf-g2`` is the same
    with ``groups=2``. Arguments as :class:`SimpleViT`.
    """

    classifiers = {f'msf_vit_{arch}': {'arch': arch} for arch in SimpleViT.archs}
    default_parts = {**SimpleViT.default_parts, 'attention': {'type': 'MeanShiftAttention'}}
