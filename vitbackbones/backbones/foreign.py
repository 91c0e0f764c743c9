"""Backbones by a name of another library: what makes its networks keep the contract.

Such a network takes some sizes of images and has parts of its own; here it is tried once, without
memory, and what was found is kept: channels, strides, and the multiple that sides must have.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from ..errors import InputError, OptionError
from ..layers import cut_map, pad_to_multiple
from .base import Backbone
from .shared.options import SETR_BLOCKS, choose_indices

FINEST = 4  # stride from which maps are given unless out_indices says more
# Sides of an image are tried in units of the coarsest stride: windows of 7 and 8 on two scales.
UNITS = (1, 2, 7, 8)
ODD_SIZES = ((97, 130), (45, 63))  # of no multiple


class Maps(NamedTuple):
    """What a network gives.

    Attributes:
        channels, strides: of all of its maps.
        multiple: of both sides of an image that it takes; 0 where it takes one size alone.
        options: arguments of its constructor that make it so.
    """

    channels: tuple[int, ...]
    strides: tuple[int, ...]
    multiple: int
    options: dict[str, Any]


class Foreign(Backbone):
    """Base of :class:`~.timm_models.Timm` and :class:`~.huggingface.HuggingFace`.

    Keys of checkpoints are those of the other library behind ``net.``. A map (N, C, h, w) is cut to
    the part that the image covers.

    Attributes:
        net: the network.
        out_indices: which of its maps come out.
    """

    net: nn.Module
    # positions and windows of other libraries are computed from sizes in Python
    fixed_size = 'the network of another library makes its positions for one size'

    def __init__(self, name: str, in_channels: int, **options) -> None:
        super().__init__(**options)
        if self.out_type not in ('featmap', 'pooled'):
            raise OptionError(f"out_type={self.out_type!r}: {name} has 'featmap' and 'pooled'")
        self.name, self.in_channels = name, in_channels

    def choose_maps(self, given: int | str | Sequence[int] | None, maps: Maps) -> None:
        """Choose ``out_indices``: by default the last map of each stride from 4."""
        self.multiple, strides = maps.multiple, maps.strides
        if given is None:
            last = {stride: i for i, stride in enumerate(strides) if stride >= FINEST}
            given = [*last.values()] or -1
            given = given[-1:] if self.out_type == 'pooled' else given
        if isinstance(given, str) and given in SETR_BLOCKS and len({*strides}) > 1:
            raise OptionError(f'out_indices={given!r} is for networks of one stride, not {strides}')
        self.out_indices = choose_indices(given, len(strides))
        self.out_channels = tuple(maps.channels[i] for i in self.out_indices)
        self.out_strides = tuple(strides[i] for i in self.out_indices)

    def forward(self, image: Tensor) -> tuple[Tensor, ...]:
        """Map images (N, in_channels, H, W) to one map or vector per entry of ``out_indices``.

        Raises:
            InputError: a network of one size is given a larger image.
        """
        h, w = image.shape[-2:]
        maps = self.maps_of(self.padded(image))
        if self.out_type == 'pooled':
            return tuple(x.mean((2, 3)) for x in maps)
        sizes = ((math.ceil(h / stride), math.ceil(w / stride)) for stride in self.out_strides)
        return tuple(
            x if x.shape[2:] == size else cut_map(x, size)
            for x, size in zip(maps, sizes, strict=True)
        )

    def padded(self, image: Tensor) -> Tensor:
        """Return an image (N, in_channels, H, W) with zeros up to a size that the network takes."""
        if self.multiple:
            return pad_to_multiple(image, self.multiple)
        (h, w), (height, width) = image.shape[-2:], self.img_size
        if h > height or w > width:
            raise InputError(
                f'{self.name} takes images of one size, and {h} x {w} is larger than {height} x '
                f'{width}: set img_size=({max(h, height)}, {max(w, width)}) of the backbone, or '
                'take another one'
            )
        return nn.functional.pad(image, (0, width - w, 0, height - h))

    def maps_of(self, image: Tensor) -> Sequence[Tensor]:
        """Return the maps (N, C, h, w) at ``out_indices`` of an image of a size that fits."""
        raise NotImplementedError

    # -- the contract, from groups of parameters ------------------------------------------------

    def groups(self, coarse: bool) -> dict[str, int]:
        """Return the stage (``coarse``) or depth of each part of ``net`` that has no parts."""
        raise NotImplementedError

    def finish(self) -> None:
        self.depths, self.stages_of = self.groups(coarse=False), self.groups(coarse=True)
        super().finish()

    def parts_by_stage(self) -> list[list[nn.Module | nn.Parameter]]:
        parts = leaves(self.net)
        stages: list[list] = [[] for _ in range(1 + self._last(self.stages_of))]
        for name, stage in self.stages_of.items():
            if stage < len(stages):
                stages[stage].append(parts[name])
        return stages

    def layer_depth(self, name: str) -> tuple[int, int]:
        return self.depths[name.removeprefix('net.')], self._last(self.depths) + 2

    def _last(self, groups: dict[str, int]) -> int:
        return max(groups[name] for name, _ in self.net.named_parameters())

    def in_own_keys(self, state: dict[str, Tensor]) -> dict[str, Tensor]:
        """Return a state dict, of the library or of its publisher, in the keys of this backbone."""
        raise NotImplementedError


def leaves(net: nn.Module) -> dict[str, nn.Parameter | nn.Module]:
    """Return the parameters of a network, and its modules without parts, by name."""
    modules = {name: part for name, part in net.named_modules() if not [*part.children()]}
    return {**modules, **dict(net.named_parameters())}


def tried(
    maps_of: Callable[[Tensor], Sequence[Tensor]],
    channels: int,
    native: tuple[int, int],
    strides: Sequence[int] | None,
    options: Mapping[str, Any],
) -> Maps:
    """Return what a network gives for images (1, channels, H, W), on the default device.

    Args:
        maps_of: its forward pass.
        channels: of the images.
        native: (height, width) that the network is made for.
        strides: of its maps, if it declares them; else they are measured.
        options: for the result.

    Raises:
        OptionError: it gives no maps.
    """

    def shapes(h: int, w: int) -> list[torch.Size]:
        image = torch.zeros(1, channels, h, w)
        found = [x.shape for x in maps_of(image)]
        if not found or any(len(shape) != 4 for shape in found):
            raise OptionError('its outputs are no maps (N, C, h, w)')
        return found

    def fits(multiple: int) -> bool:
        sizes = [(2 * multiple, 3 * multiple), (multiple, 2 * multiple)]
        for h, w in sizes if multiple > 1 else ODD_SIZES:
            wanted = [(math.ceil(h / stride), math.ceil(w / stride)) for stride in strides]
            if [tuple(shape[2:]) for shape in shapes(h, w)] != wanted:
                return False
        return True

    at_home = shapes(*native)
    strides = strides or [round(native[0] / shape[2]) for shape in at_home]
    for multiple in (1, *(max(strides) * unit for unit in UNITS)):
        with suppress(Exception):  # of many kinds, for a size that the network does not take
            if fits(multiple):
                break
    else:
        multiple = 0
    wanted = [[round(side / stride) for side in native] for stride in strides]
    if not multiple and [[*shape[2:]] for shape in at_home] != wanted:
        raise OptionError(f'its maps do not have the strides {[*strides]} that it declares')
    return Maps(tuple(shape[1] for shape in at_home), tuple(strides), multiple, dict(options))
