"""The maps after blocks or stages of any backbone, in timm's words."""

from collections.abc import Sequence
from copy import copy
from typing import Any

from torch import Tensor, nn

from ...errors import OptionError
from ...layers import require_choice


def intermediates(
    backbone: Any, image: Tensor, indices: int | Sequence[int] | None, norm: bool, output_fmt: str
) -> list[Tensor]:
    """Return maps of a backbone, whatever it gives by itself.

    Args:
        backbone: one of ``HOSTS``.
        image: (N, in_channels, H, W).
        indices: blocks or stages, from 0 or, below it, from the end; a number for the last so many,
            None for all.
        norm: whether the final norm is applied, to every map that has its width.
        output_fmt: ``'NCHW'`` for maps (N, C, h, w), ``'NLC'`` for tokens (N, h * w, C).

    Raises:
        OptionError: an index is out of range, or the format is another one.
    """
    require_choice('output_fmt', output_fmt, ('NCHW', 'NLC'))
    count = len(backbone.get_submodule(backbone.stages_name))
    last = count if indices is None else indices
    wanted = [*range(count - last, count)] if isinstance(last, int) else [*last]
    if not wanted or not all(-count <= i < count for i in wanted):
        raise OptionError(f'indices={indices!r}: must name blocks or stages of {count}')
    twin = copy(backbone)  # shares all parts, and is asked for other outputs
    twin._modules = {**backbone._modules, 'norm': nn.Identity()}
    places = sorted({i % count for i in wanted})
    twin.out_type, twin.out_indices = 'featmap', tuple(places)
    maps = list(twin(image))
    for i, (place, each) in enumerate(zip(places, maps, strict=True)):
        if norm and (backbone.stages_name == 'blocks' or place == count - 1):
            # the norm is over channels: (N, C, h, w) -> (N, h, w, C) and back
            each = backbone.norm(each.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        # (N, C, h, w) -> (N, h * w, C)
        maps[i] = each.flatten(2).transpose(1, 2) if output_fmt == 'NLC' else each
    return maps
