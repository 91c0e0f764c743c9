"""Whether a config says which maps its neck or its heads get, without which no model can be built.

The base of a head leaves them open; a backbone's file in ``configs/_base_/backbones`` declares them
as ``maps``. A run config joins the two, for a head with a neck by

    model = dict(backbone=_base_.backbone, neck=_base_.maps)

SETR-Naive and SETR-PUP have no neck. They are told the width of the backbone.
"""

import inspect
from collections.abc import Iterator, Mapping

from mmengine.config import Config
from mmengine.registry import MODELS

from ..configuration.settings import type_at, value_at
from ..registry import SCOPE

WITHOUT_NECK = ('SETRNaiveHead', 'SETRPUPHead')


def unjoined(config: Config) -> Iterator[str]:
    """Yield what is missing in the neck, or in the heads of a model that has none."""
    model, maps = config.model, config.get('maps')
    neck, head = model.get('neck'), model.get('decode_head')
    if type_at(head) in WITHOUT_NECK:
        yield from _heads_without_width(neck, head, maps)
    elif isinstance(neck, dict) and str(neck.get('type')).startswith(f'{SCOPE}.'):
        parameters = inspect.signature(MODELS.get(neck.type)).parameters.values()
        required = [each.name for each in parameters if each.default is each.empty]
        missing = [name for name in required if name not in neck]
        if missing:
            line = 'add neck=_base_.maps beside backbone=_base_.backbone'
            remedy = line if maps else "set them to those of the backbone's maps"
            are = 'are' if len(missing) > 1 else 'is'
            yield f'model.neck: {" and ".join(missing)} {are} missing; {remedy}'


def _heads_without_width(neck, head: Mapping, maps: Mapping | None) -> Iterator[str]:
    kind = type_at(head)
    if isinstance(neck, dict) and 'type' not in neck:
        yield f'model.neck: {kind} reads the backbone itself; leave it out and {_widths(maps)}'
    elif 'in_channels' not in head:
        yield f'model.decode_head.in_channels: is missing; {_widths(maps)}'


def _widths(maps: Mapping | None) -> str:
    """Return how heads without a neck are told the width of the map that they read."""
    widths, strides = (value_at(maps, key) or [] for key in ('in_channels', 'in_strides'))
    if len(widths) > 1:  # the auxiliary heads of a pyramid would each need a width of their own
        settings = f'in_channels={widths[-1]}, in_index=-1, stride={strides[-1]}'
        return f'set decode_head=dict({settings}), auxiliary_head=None'
    width = f'in_channels={widths[0]}' if widths else 'in_channels=(width of the backbone)'
    return f'set decode_head=dict({width}), auxiliary_head=dict({width})'
