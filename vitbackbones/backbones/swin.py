"""Swin transformer (v1), and MSF-Swin.

Liu et al., "Swin Transformer", 2021, in torchvision's form: four stages at strides 4 to 32,
attention in windows of 7 x 7 that are shifted in every other block, a learned bias for relative
positions, patches merged between stages, LayerNorm eps 1e-5. The last stage's output has the final
LayerNorm, maps of earlier stages have none.

Windows (Sec. 3.2): the map is cut into windows of M x M tokens, and every window attends to itself.
In every other block the map is first rolled by M / 2, so that windows reach over the borders of the
last ones; tokens that were no neighbors before the roll are kept apart by -100 in the scores. A
learned bias for every relative position (and head) is added to the scores too. Both go to the
attention as one ``bias``, so any attention that takes one works in windows.

MSF-Swin (Kobayashi, "Mean-Shift Feature Transformer", CVPR 2024) has mean-shift attention in the
windows. Its code was not published; weight counts determine one more projection per block, with q,
k, v and p grouped and the back-projection dense. They say nothing of biases and of the position
bias. Assumed here: both are kept as in Swin (``qkv_bias``, ``proj_bias`` of the attention,
``position_bias``), and the position bias is added to the scores of the Gaussian kernel.
"""

from typing import Any

import torch
from torch import Tensor, nn

from ..errors import OptionError
from ..layers.block import Block
from ..layers.drop import drop_path_rates
from ..layers.parts import require_size
from ..layers.recursion import Recursive, Sweeps, block_row
from ..layers.tokens import PatchEmbed, pad_map
from .base import PyramidBackbone
from .shared.options import RecursionOptions, choose_arch, require_per_stage
from .shared.starting import trunc_normal_linears


def partition_windows(x: Tensor, window: int) -> Tensor:
    """Cut a map (N, h * M, w * M, C) into windows (N * h * w, M * M, C)."""
    x = x.unflatten(2, (-1, window)).unflatten(1, (-1, window))  # (N, h, M, w, M, C)
    return x.transpose(2, 3).flatten(3, 4).flatten(0, 2)  # (N * h * w, M * M, C)


def merge_windows(x: Tensor, window: int, grid: tuple[int, int]) -> Tensor:
    """Lay windows (N * h * w, M * M, C) out as the map (N, *grid, C), grid = (h * M, w * M)."""
    x = x.unflatten(0, (-1, grid[0] // window, grid[1] // window))  # (N, h, w, M * M, C)
    x = x.unflatten(3, (window, window)).transpose(2, 3)  # (N, h, M, w, M, C)
    return x.flatten(3, 4).flatten(1, 2)  # (N, h * M, w * M, C)


def relative_position_index(window: int) -> Tensor:
    """Return (M * M, M * M) rows of the bias table, by dy * (2 M - 1) + dx from 0."""
    y, x = torch.meshgrid(torch.arange(window), torch.arange(window), indexing='ij')
    y, x = y.flatten(), x.flatten()
    dy, dx = y[:, None] - y + window - 1, x[:, None] - x + window - 1
    return dy * (2 * window - 1) + dx


def shift_mask(
    grid: tuple[int, int], window: int, shift: tuple[int, int], device: torch.device
) -> Tensor:
    """Return (h * w, M * M, M * M): -100 between tokens that the roll made neighbors, else 0."""
    regions = []
    for side, step in zip(grid, shift, strict=True):
        place = torch.arange(side, device=device)
        region = (place >= side - window).int() + (place >= side - step).int()
        regions.append(region if step else torch.zeros_like(region))
    region = 3 * regions[0][:, None] + regions[1]  # (h * M, w * M)
    region = partition_windows(region[None, :, :, None], window).flatten(1)  # (h * w, M * M)
    return -100.0 * (region[:, None] != region[:, :, None])


class WindowBlock(Block):
    """A transformer block that attends in windows.

    The map is zero-padded to whole windows after the norm; padded tokens take part as keys, as in
    the published code. A side of one window only is not shifted.

    Args:
        embed_dims, num_heads: as for :class:`~vitbackbones.layers.Block`.
        window: side M of a window in tokens.
        shift: tokens that the map is rolled by.
        position_bias: whether relative positions have a bias.
        options: further arguments of :class:`~vitbackbones.layers.Block`.

    Raises:
        OptionError: the attention cannot add a bias to its scores.
    """

    fixed_size = 'whether windows are shifted depends on how many of them a side has'
    relative_position_index: Tensor

    def __init__(
        self,
        embed_dims: int,
        num_heads: int,
        window: int,
        shift: int,
        position_bias: bool = True,
        **options,
    ) -> None:
        super().__init__(embed_dims, num_heads, **options)
        if not getattr(self.attn, 'takes_bias', False):
            raise OptionError(
                f'attention type={type(self.attn).__name__!r} does not work in shifted windows: '
                'it accepts no attention bias, which contains their mask and positions'
            )
        self.window = window
        self.shift = shift
        table = nn.init.trunc_normal_(torch.empty((2 * window - 1) ** 2, num_heads), std=0.02)
        self.relative_position_bias_table = nn.Parameter(table) if position_bias else None
        index = relative_position_index(window)
        self.register_buffer('relative_position_index', index, persistent=False)
        self.register_load_state_dict_pre_hook(_remake_index)

    def attend(self, n: Tensor, size: tuple[int, int]) -> Tensor:
        """Apply the attention in windows to tokens (N, h * w, C) of the grid ``size`` (h, w)."""
        h, w = size
        x = n.unflatten(1, size)
        x = pad_map(x, (0, 0, 0, -x.shape[2] % self.window, 0, -x.shape[1] % self.window))
        grid = (x.shape[1], x.shape[2])  # (N, h * M, w * M, C)
        rows, columns = (self.shift if side > self.window else 0 for side in grid)
        shift = (rows, columns)
        if any(shift):
            x = x.roll((-shift[0], -shift[1]), (1, 2))
        windows = partition_windows(x, self.window)
        windows = self.attn(windows, bias=self._bias(n.shape[0], grid, shift))
        x = merge_windows(windows, self.window, grid)
        if any(shift):
            x = x.roll(shift, (1, 2))
        return x[:, :h, :w].flatten(1, 2)  # (N, h * w, C)

    def _bias(self, batch: int, grid: tuple[int, int], shift: tuple[int, int]) -> Tensor | None:
        """Return position bias and shift mask, (1 or N * windows, heads or 1, M * M, M * M)."""
        table = self.relative_position_bias_table
        bias = None
        if table is not None:
            # (M * M, M * M, heads) -> (1, heads, M * M, M * M); kernels for CUDA take rows only
            bias = table[self.relative_position_index].permute(2, 0, 1)[None].contiguous()
        if not any(shift):
            return bias
        mask = shift_mask(grid, self.window, shift, self.relative_position_index.device)[:, None]
        if bias is not None:
            mask = mask.to(bias.dtype) + bias  # (windows, heads, M * M, M * M)
        return mask.expand(batch, *mask.shape).flatten(0, 1)  # of one image no copy


def _remake_index(block: WindowBlock, state: dict, prefix: str, *_) -> None:
    """Make what no state dict holds again: after ``to_empty`` it is what was in memory."""
    before = block.relative_position_index
    given = state.get(f'{prefix}relative_position_bias_table', before)
    device = given.device if before.is_meta else before.device
    block.relative_position_index = relative_position_index(block.window).to(device)


class RecursiveWindowBlock(Recursive, WindowBlock):  # type: ignore[misc]
    """A block in windows that runs several times; arguments as of both."""


class PatchMerging(nn.Module):
    """Join 2 x 2 tokens to one of twice the width; an odd side is zero-padded."""

    def __init__(self, embed_dims: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(4 * embed_dims, eps=1e-5)
        self.reduction = nn.Linear(4 * embed_dims, 2 * embed_dims, bias=False)

    def forward(self, x: Tensor, size: tuple[int, int]) -> tuple[Tensor, tuple[int, int]]:
        """Map (N, h * w, C) with (h, w) to (N, h' * w', 2 C) with (h', w'), halved upwards."""
        x = x.unflatten(1, size)  # (N, h, w, C)
        x = pad_map(x, (0, 0, 0, size[1] % 2, 0, size[0] % 2))
        x = x.unflatten(2, (-1, 2)).unflatten(1, (-1, 2))
        # (N, h', 2, w', 2, C) -> (N, h', w', column in patch, row in patch, C)
        x = x.permute(0, 1, 3, 4, 2, 5).flatten(3)
        size = (x.shape[1], x.shape[2])
        return self.reduction(self.norm(x.flatten(1, 2))), size


class Layer(nn.Module):
    """The blocks of one resolution, after the merging that leads to it (timm's ``layers.i``)."""

    def __init__(self, downsample: nn.Module | None, blocks: nn.ModuleList) -> None:
        super().__init__()
        self.downsample = downsample
        self.blocks = blocks


class Swin(RecursionOptions, PyramidBackbone):
    """Swin transformer with interchangeable attention, which must take a ``bias``, and shortcut.

    Nothing here depends on ``img_size``. Stochastic depth was published as 0.2 for ``'t'`` and 0.3
    for ``'s'``.

    Args:
        groups: groups of the attention's projections (``layers.GroupedLinear``).
        window: side of a window in tokens.
        position_bias: whether relative positions in a window have a bias.
        options: arguments of :class:`~vitbackbones.backbones.shared.options.RecursionOptions`
            and :class:`~vitbackbones.backbones.base.PyramidBackbone`, which describe them.
    """

    archs = {
        't': {'embed_dims': 96, 'depths': (2, 2, 6, 2), 'num_heads': (3, 6, 12, 24)},
        's': {'embed_dims': 96, 'depths': (2, 2, 18, 2), 'num_heads': (3, 6, 12, 24)},
    }
    classifiers = {f'swin_{arch}': {'arch': arch} for arch in archs}
    stages_name = 'layers'
    layers: Any
    undecayed = ('*_bias_table', '*.shortcut*')
    preprocessing = {'interpolation': 'bilinear'}  # MSF's, as these models are trained here

    def __init__(
        self,
        arch: str | dict = 't',
        groups: int = 1,
        window: int = 7,
        mlp_ratio: float = 4.0,
        position_bias: bool = True,
        **options,
    ) -> None:
        settings = choose_arch(self.archs, arch)
        require_per_stage(settings, 'num_heads')
        require_size('window', window)
        depths = settings['depths']
        dims = [settings['embed_dims'] * 2**i for i in range(len(depths))]
        super().__init__(dims, 4, **options)
        self.group_projections(groups)
        rates = drop_path_rates(self.drop_path_rate, sum(depths))
        self.patch_embed = PatchEmbed(self.in_channels, dims[0], 4, norm_eps=1e-5)
        self.layers = nn.ModuleList()
        for i, depth in enumerate(depths):
            merging = PatchMerging(dims[i - 1]) if i else None
            each = [
                {'shift': window // 2 if j % 2 else 0, 'drop_path_rate': rates[sum(depths[:i]) + j]}
                for j in range(depth)
            ]
            blocks = block_row(
                each,
                self.recursion,
                WindowBlock,
                RecursiveWindowBlock,
                embed_dims=dims[i],
                num_heads=settings['num_heads'][i],
                window=window,
                position_bias=position_bias,
                mlp_ratio=mlp_ratio,
                norm_eps=1e-5,
                **self.block_options,
            )
            self.layers.append(Layer(merging, blocks))
        self.norm = nn.LayerNorm(dims[-1], eps=1e-5)
        trunc_normal_linears(self)

    def forward(self, image: Tensor) -> tuple[Tensor, ...]:
        """Map images (N, in_channels, H, W) to the maps of ``out_indices`` or to one vector."""
        outputs = []
        for branch in self.run_branches(self._trunk, *self.patch_embed(image)):
            for i, x in zip(self.out_indices, branch, strict=True):
                x = self.norm(x) if i == len(self.layers) - 1 else x
                if self.out_type == 'pooled':
                    outputs.append(x.flatten(1, 2).mean(1))
                else:
                    outputs.append(x.permute(0, 3, 1, 2).contiguous())  # -> (N, C, h, w)
        return tuple(outputs)

    def _trunk(self, x: Tensor, size: tuple[int, int], sweeps: Sweeps) -> list[Tensor]:
        """Run the stages on tokens (N, h * w, C); return (N, h, w, C) after ``out_indices``."""
        answers = []
        for i, layer in enumerate(self.layers):
            if layer.downsample is not None:
                x, size = layer.downsample(x, size)
            x = self.run_row(layer.blocks, x, size, sweeps)
            if i in self.out_indices:
                answers.append(x.unflatten(1, size))
        return answers


class MSFSwin(Swin):
    """Swin with mean-shift attention in its windows; see the module docstring.

    Arguments as :class:`Swin`.
    """

    classifiers = {f'msf_swin_{arch}': {'arch': arch} for arch in Swin.archs}
    default_parts = {**Swin.default_parts, 'attention': {'type': 'MeanShiftAttention'}}
