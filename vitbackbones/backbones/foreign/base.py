"""Backbones by a name of another library: what makes its networks keep the contract.

Such a network takes some sizes of images and has parts of its own. It is tried once, without
memory: what it gives is kept, and which multiple the sides of an image must have.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm

from ...errors import InputError, OptionError
from ...layers import UNKNOWN, Origin, cut_map, pad_to_multiple
from ...utils.messages import in_one_line
from ..base import Backbone
from ..shared.options import choose_indices

FINEST = 4  # stride from which maps are given unless out_indices says more
UNITS = (1, 2, 7, 8)  # sides are tried in these units of the coarsest stride, for windows
ODD_SIZES = ((97, 130), (45, 63))  # of no multiple
SIZED = re.compile('attn|attention|pos_|rope', re.IGNORECASE)  # in names of parts


# A network to try: its forward pass, its strides if it declares them, and its options.
Network = tuple[Callable[[Tensor], Sequence[Tensor]], Sequence[int] | None, Mapping[str, Any]]


class Maps(NamedTuple):
    """All maps that a network gives; ``multiple`` is 0 where it takes one size of image alone."""

    channels: tuple[int, ...]
    strides: tuple[int, ...]
    multiple: int
    options: dict[str, Any]


class Foreign(Backbone):
    """Base of the backbones of other libraries, whose keys are theirs behind ``net.``.

    What a subclass sets and has:

    Attributes:
        net: the module of the other library.
        maps_of: of an image of a size that fits, gives the maps (N, C, h, w) at ``out_indices``.
        groups: gives the stage (with ``True``) or the depth of each of the :func:`leaves`.
        in_own_keys: gives a state dict, of the library or its publisher, in the keys of this class.

    Raises:
        OptionError: an ``out_type`` other than ``'featmap'`` and ``'pooled'``, the mean of a map.
    """

    net: Any
    maps_of: Callable[[Tensor], Sequence[Tensor]]
    groups: Callable[[bool], dict[str, int]]
    in_own_keys: Callable[[dict[str, Tensor], Origin], dict[str, Tensor]]

    def __init__(self, name: str, in_channels: int, **options) -> None:
        super().__init__(**options)
        if self.out_type not in ('featmap', 'pooled'):
            raise OptionError(f"out_type={self.out_type!r}: {name} supports 'featmap' and 'pooled'")
        self.name = name
        self.in_channels = in_channels

    def choose_maps(self, given: int | str | Sequence[int] | None, maps: Maps) -> None:
        """Choose ``out_indices``: by default the last map of each stride from 4."""
        self.multiple = maps.multiple
        strides = maps.strides
        if given is None:
            last = {stride: i for i, stride in enumerate(strides) if stride >= FINEST}
            given = [*last.values()][-1 if self.out_type == 'pooled' else 0 :] or -1
        if isinstance(given, str) and len({*strides}) > 1:
            raise OptionError(
                f'out_indices={given!r} is only for networks with one stride, not {strides}'
            )
        self.out_indices = choose_indices(given, len(strides))
        self.out_channels = tuple(maps.channels[i] for i in self.out_indices)
        self.out_strides = tuple(strides[i] for i in self.out_indices)

    def forward(self, image: Tensor) -> tuple[Tensor, ...]:
        """Map images (N, in_channels, H, W) to one map or vector per entry of ``out_indices``.

        Raises:
            InputError: a network of one size is given a larger image.
        """
        maps = self.maps_of(self.padded(image))
        if self.out_type == 'pooled':
            return tuple(x.mean((2, 3)) for x in maps)
        sizes = (_cells(image.shape[-2:], stride) for stride in self.out_strides)
        pairs = zip(maps, sizes, strict=True)
        return tuple(x if x.shape[2:] == size else cut_map(x, size) for x, size in pairs)

    def padded(self, image: Tensor) -> Tensor:
        """Return an image (N, in_channels, H, W) with zeros up to a size that the network takes."""
        if self.multiple:
            return pad_to_multiple(image, self.multiple)
        h, w = image.shape[-2:]
        height, width = self.img_size
        if h > height or w > width:
            raise InputError(
                f'{self.name} has a fixed image size, and {h} x {w} is larger than {height} x '
                f'{width}. Set img_size=({max(h, height)}, {max(w, width)}) of the backbone, or '
                'use another backbone'
            )
        return nn.functional.pad(image, (0, width - w, 0, height - h))

    def start_from(self, pretrained: bool | str, published: str | None) -> None:
        """Let ``init_weights`` fill it from a source, or from the ``published`` weights.

        Raises:
            OptionError: nothing was published.
        """
        source = published if pretrained is True else pretrained or None
        if pretrained and source is None:
            raise OptionError(f'pretrained=True: {self.name} has no published weights. Give a file')
        if source and self.init_cfg is None:
            self.init_cfg = {'type': 'Pretrained', 'checkpoint': source}

    def recompute(self, enable: Callable[[], None]) -> None:
        """Let the network save memory in training, for ``with_cp``.

        Raises:
            OptionError: it cannot.
        """
        try:
            enable()
        except (AssertionError, ValueError) as error:
            raise OptionError(f'with_cp=True: {self.name}: {in_one_line(error)}') from error

    def adapt_state_dict(
        self, state: dict[str, Tensor], prefix: str = '', origin: Origin = UNKNOWN
    ) -> dict[str, Tensor]:
        """Return ``state`` as it is.

        Raises:
            InputError: its positions are of another shape of image, and only their shape tells.
        """
        h, w = self.img_size
        height, width = origin.img_size or self.img_size
        codes = [key for key, x in state.items() if 'pos' in key and x.ndim == 3]
        if codes and h * width != w * height:
            raise InputError(
                f'{codes[0]}: the file was made for images of {height} x {width}, but this '
                f'network for {h} x {w}. Set img_size=({height}, {width}) of the backbone'
            )
        return super().adapt_state_dict(state, prefix, origin)

    # -- what follows from it -------------------------------------------------------------------
    @property
    def fixed_size(self) -> str:
        """Why an exported graph takes one size; '' for convolutions alone."""
        attends = any(SIZED.search(name) for name, _ in self.net.named_modules())
        return f'{self.name} creates position embeddings or windows for one size' if attends else ''

    def finish(self) -> None:
        self.depths = self.groups(False)
        self.stages_of = self.groups(True)
        super().finish()

    def parts_by_stage(self) -> list[list[nn.Module | nn.Parameter]]:
        stages: list[list] = [[] for _ in range(1 + self._last(self.stages_of))]
        for name, part in leaves(self.net).items():
            if self.stages_of[name] < len(stages):
                stages[self.stages_of[name]].append(part)
        return stages

    def layer_depth(self, name: str) -> tuple[int, int]:
        # the head behind it has an empty name
        return self.depths.get(name.removeprefix('net.'), 0), self._last(self.depths) + 2

    def _last(self, groups: dict[str, int]) -> int:
        return max(groups[name] for name, _ in self.net.named_parameters())


def leaves(net: Any) -> dict[str, nn.Parameter | nn.Module]:
    """Return the parameters of a network, and its norms and modules without parts, by name."""
    modules = {
        name: part
        for name, part in net.named_modules()
        if isinstance(part, _BatchNorm) or not [*part.children()]  # timm's has an activation
    }
    return {**modules, **dict(net.named_parameters())}


FOUND: dict[str, Maps] = {}  # what was tried in this process


def tried(
    name: str, build: Callable[[], Network], channels: int, native: tuple[int, int], key: str
) -> Maps:
    """Return what a network gives, from the memory of this process for the same ``key``.

    Args:
        name: for messages.
        build: makes the network on the default device.
        channels, native: of the images that it is made for, and their (height, width).
        key: names what ``build`` makes.

    Raises:
        OptionError: it cannot be built, or gives no maps.
    """
    for device in ('meta', 'cpu'):  # some compute with the numbers in a tensor
        if key in FOUND:
            break
        with torch.device(device), torch.no_grad():
            network = build()
            try:
                FOUND[key] = _look(network, channels, native)
            except Exception as error:  # of many kinds, of a network that is not made for it
                if device == 'cpu':
                    raise OptionError(
                        f'{name} returns no feature maps: {in_one_line(error)}'
                    ) from error
    return FOUND[key]


def _look(network: Network, channels: int, native: tuple[int, int]) -> Maps:
    maps_of, declared, options = network

    def shapes(*size: int) -> list[torch.Size]:
        return [x.shape for x in maps_of(torch.zeros(1, channels, *size))]

    def fits(*sizes: tuple[int, int]) -> bool:
        wanted = [[_cells(size, stride) for stride in strides] for size in sizes]
        return wanted == [[tuple(shape[2:]) for shape in shapes(*size)] for size in sizes]

    at_home = shapes(*native)
    strides = declared or [round(native[0] / shape[2]) for shape in at_home]
    multiple = 0
    with suppress(Exception):  # of many kinds, for a size that the network does not take
        multiple = int(fits(*ODD_SIZES))
    for unit in () if multiple else (max(strides) * unit for unit in UNITS):
        with suppress(Exception):
            if fits((2 * unit, 3 * unit), (unit, 2 * unit)):
                multiple = unit
                break
    near = [tuple(round(side / stride) for side in native) for stride in strides]
    if not multiple and [tuple(shape[2:]) for shape in at_home] != near:
        raise OptionError(f'its feature maps do not have the strides {[*strides]} that it declares')
    found = tuple(shape[1] for shape in at_home)
    return Maps(found, tuple(strides), multiple, dict(options))


def _cells(size: Sequence[int], stride: int) -> tuple[int, int]:
    return math.ceil(size[0] / stride), math.ceil(size[1] / stride)
