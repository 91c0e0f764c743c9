"""What the necks share: maps of the wanted strides, and further levels beyond them.

Levels that the backbone does not give are made from the nearest map: finer ones from the finest map
by transposed convolutions, as in ViTDet (Li et al., ECCV 2022), coarser ones by max pooling of the
next finer map, or behind the neck, by steps of 2.

Sizes follow the backbone's contract. A map of stride s is ceil(H / s) high; pooling and
convolutions of stride 2 round up, and so do coarser levels. An enlarged map covers the image as
the backbone padded it: k times the height of the map that it is made from.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import torch.nn.functional as F
from mmengine.model import BaseModule
from torch import Tensor, nn

from ..errors import OptionError
from ..layers import MapNorm, cut_map, max_map, require_choice

EXTRA_SOURCES = (False, True, 'on_input', 'on_lateral', 'on_output')


class MaxPool(nn.Module):
    """:func:`~vitbackbones.layers.max_map` as a layer."""

    def __init__(self, pool: int) -> None:
        super().__init__()
        self.pool = pool

    def forward(self, x: Tensor) -> Tensor:
        return max_map(x, self.pool)


class Rescale(nn.Module):
    """Make a map of stride ``new`` of one of stride ``old``, which is up to twice as fine.

    It is bilinear, and each value stays where it is in the image, as patches of 14 pixels need it.
    """

    def __init__(self, old: int, new: int) -> None:
        super().__init__()
        self.old = old
        self.new = new

    def forward(self, x: Tensor) -> Tensor:
        h, w = ((side * self.old + self.new - 1) // self.new for side in x.shape[2:])
        x = F.pad(x, (0, 2, 0, 2), mode='replicate')  # torch rounds the size down
        factor = self.old / self.new
        x = F.interpolate(x, scale_factor=factor, mode='bilinear', recompute_scale_factor=False)
        return cut_map(x, (h, w))


def changed_stride(channels: int, old: int, new: int) -> tuple[list[nn.Module], int]:
    """Return the layers from stride ``old`` to stride ``new``, and the channels that they give.

    A map is enlarged by 2 x 2 transposed convolutions of stride 2, each of which halves the
    channels; between two are a LayerNorm and a GELU. A stride that no steps of 2 lead from, as that
    of patches of 14 pixels, is first brought to the next larger one from which they do.

    Raises:
        OptionError: too few channels are left to halve.
    """
    steps = math.ceil(math.log2(old / new))
    near = round(new * 2**steps)
    if channels < 2**steps:
        raise OptionError(
            f'out_strides: {channels} channels cannot be halved in each of the {steps} steps from '
            f'in_strides={old} to out_strides={new}'
        )
    layers: list[nn.Module] = [Rescale(old, near)] if near != old else []
    if steps < 0:
        return [*layers, MaxPool(new // near)], channels
    for step in range(steps):
        layers += [MapNorm(channels, eps=1e-6), nn.GELU()] if step else []
        layers.append(nn.ConvTranspose2d(channels, channels // 2, 2, stride=2))
        channels //= 2
    return layers, channels


def serving(in_strides: Sequence[int], out_strides: Sequence[int]) -> list[int]:
    """Return which map each level is made from.

    That is the coarsest map that is no coarser than the level, else the finest one. Maps of one
    stride, from several blocks of a plain host, serve the levels in order.
    """
    if len({*in_strides}) < len(in_strides):
        return list(range(len(in_strides)))
    chosen = []
    for new in out_strides:
        no_coarser = [old for old in in_strides if old <= new]
        stride = max(no_coarser) if no_coarser else min(in_strides)
        chosen.append(in_strides.index(stride))
    return chosen


class Resample(nn.Module):
    """Bring the maps of a backbone to the wanted strides.

    There are no parameters where a map of the stride exists.

    Args:
        in_channels, in_strides: of the maps that come in.
        out_strides: of the maps that go out.

    Attributes:
        channels: channels of each map that goes out.

    Raises:
        OptionError: too few channels for a fine level.
    """

    def __init__(
        self, in_channels: Sequence[int], in_strides: Sequence[int], out_strides: Sequence[int]
    ) -> None:
        super().__init__()
        self.sources = serving(in_strides, out_strides)
        made = [
            changed_stride(in_channels[source], in_strides[source], new)
            for source, new in zip(self.sources, out_strides, strict=True)
        ]
        self.steps = nn.ModuleList(nn.Sequential(*layers) for layers, _ in made)
        self.channels = [channels for _, channels in made]

    def forward(self, maps: Sequence[Tensor]) -> list[Tensor]:
        """Turn maps (N, C_i, h_i, w_i) into one map for each wanted stride."""
        return [step(maps[i]) for step, i in zip(self.steps, self.sources, strict=True)]


def split_strides(
    in_strides: Sequence[int], out_strides: Sequence[int], num_outs: int | None, pooled: bool
) -> tuple[list[int], list[int]]:
    """Return the strides of the levels that maps make, and of those behind the last of these.

    Arguments as of :class:`Neck`.

    Raises:
        OptionError: the levels cannot be made so.
    """
    repeated = len({*in_strides}) < len(in_strides)
    if repeated and len(in_strides) != len(out_strides):
        raise OptionError(
            f'in_strides={in_strides}, out_strides={out_strides}: feature maps of one stride '
            'are assigned to the levels in order, so both must have the same length'
        )
    within = [s for s in out_strides if pooled or repeated or s <= max(in_strides)]
    own = within or [*out_strides[:1]]
    count = len(out_strides) if num_outs is None else num_outs
    beyond = [own[-1] * 2 ** (i + 1) for i in range(count - len(own))] if own else []
    strides = [*own, *beyond]
    grow = strides and strides == sorted({*strides})
    if not grow or count < len(out_strides) or [*out_strides] != strides[: len(out_strides)]:
        raise OptionError(
            f'out_strides={out_strides}, num_outs={num_outs}: must be at most num_outs strides '
            f'that grow; those beyond in_strides={in_strides} are each twice the one before'
        )
    return own, beyond


class Neck(BaseModule):
    """Base of the necks.

    A level is made from the maps (``self.resample`` brings them to its stride), or, behind the last
    of these, from the level before it. Where ``pooled``, the maps make all of ``out_strides``, else
    those that are no coarser than the coarsest map.

    Args:
        in_channels: channels of the maps that come in.
        in_strides: their strides.
        out_strides: strides of the maps that the head wants, from fine to coarse.
        out_channels: channels of each map that goes out.
        num_outs: number of these maps; beyond ``out_strides`` each has twice the stride of the one
            before. By default there are none beyond.
        add_extra_convs: what makes the levels behind those: ``False`` takes every second position
            of the level before; else convolutions of stride 2, the first of the last map
            (``'on_input'`` or ``True``), of its lateral (``'on_lateral'``) or of the last level
            (``'on_output'``).
        relu_before_extra_convs: whether a ReLU precedes all but the first of these convolutions.
        init_cfg: as of mmengine's modules.

    Attributes:
        pooled: whether max pooling of the maps makes the coarser levels, said by the class.
        out_strides: stride of each map that goes out, ``num_outs`` numbers.

    Raises:
        OptionError: lists of different lengths, strides that do not grow by steps of 2, too small a
            ``num_outs``, or an unknown ``add_extra_convs``.
    """

    pooled = False
    out_channels: Any  # a number; None of levels that stay as wide as their maps

    def __init__(
        self,
        in_channels: Sequence[int],
        in_strides: Sequence[int],
        out_strides: Sequence[int] = (4, 8, 16, 32),
        out_channels: int | None = 256,
        num_outs: int | None = None,
        *,
        add_extra_convs: bool | str = False,
        relu_before_extra_convs: bool = False,
        init_cfg: dict | list[dict] | None = None,
    ) -> None:
        super().__init__(init_cfg)
        require_choice('add_extra_convs', add_extra_convs, EXTRA_SOURCES)
        if not in_channels or len(in_channels) != len(in_strides):
            raise OptionError(
                f'in_channels={in_channels}, in_strides={in_strides}: must have one entry per '
                'feature map'
            )
        own, beyond = split_strides(in_strides, out_strides, num_outs, self.pooled)
        self.in_channels = [*in_channels]
        self.out_channels = out_channels
        self.out_strides = [*own, *beyond]
        self.extra = len(beyond)
        self.extra_source = 'on_input' if add_extra_convs is True else add_extra_convs or ''
        self.relu_before_extra_convs = relu_before_extra_convs
        self.resample = Resample(in_channels, in_strides, own)

    def bring(self, maps: Sequence[Tensor]) -> list[Tensor]:
        """Return the maps (N, C_i, h_i, w_i) of the backbone at the strides of the levels.

        Raises:
            OptionError: the maps are not those that ``in_channels`` announced.
        """
        given = [x.shape[1] for x in maps]
        if given != self.in_channels:
            raise OptionError(
                f'{type(self).__name__}: in_channels={self.in_channels}, but the backbone gives '
                f'feature maps with {given} channels'
            )
        return self.resample(maps)

    def extended(
        self, levels: list[Tensor], last: dict[str, Tensor], convs: Iterable[nn.Module]
    ) -> tuple[Tensor, ...]:
        """Return ``levels`` and those behind them.

        Args:
            levels: (N, out_channels, h_i, w_i).
            last: the last map at each place that ``add_extra_convs`` may name.
            convs: one for each level that is missing, none for every second position.
        """
        if not self.extra_source:
            for _ in range(self.extra):
                levels.append(F.max_pool2d(levels[-1], 1, stride=2))
            return tuple(levels)
        x = last[self.extra_source]
        for i, conv in enumerate(convs):
            x = conv(F.relu(x) if i and self.relu_before_extra_convs else x)
            levels.append(x)
        return tuple(levels)
