"""The maps that heads read, and what to write in ``model.neck`` where they do not fit."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ..configuration.settings import as_list, type_at, value_at
from ..registry import SCOPE

# The neck of ours for a head, or for a whole model; Pyramid for all others.
NECKS = {
    'UPerHead': 'Levels',
    'Mask2FormerHead': 'Levels',
    'SETRMLAHead': 'MLANeck',
    'DETR': 'ChannelMapper',
    'DeformableDETR': 'ChannelMapper',
    'DINO': 'ChannelMapper',
}
# Where a model says how wide the maps are that its heads read.
WIDTHS = (
    'decode_head.in_channels',
    'panoptic_head.in_channels',
    'rpn_head.in_channels',
    'bbox_head.in_channels',
    'encoder.layer_cfg.self_attn_cfg.embed_dims',
)


@dataclass(frozen=True)
class Maps:
    """The maps that the heads of a model read.

    Attributes:
        channels: of each.
        strides: of each, or of the first ones, where those of the others are not known.
        source: what gives them, ``'the backbone'`` or ``'the neck'``.
    """

    channels: list[int]
    strides: list[int]
    source: str

    def __str__(self) -> str:
        more = ', ...' if len(self.strides) < len(self.channels) else ''
        of = f' of strides [{", ".join(map(str, self.strides))}{more}]' if self.strides else ''
        return f'{self.source} gives {self.count}{of}'

    @property
    def count(self) -> str:
        """How many there are, in words."""
        return f'{len(self.channels)} map{"" if len(self.channels) == 1 else "s"}'


class Misfit(NamedTuple):
    """What does not fit, as ``KEY: what is wrong``, and what to do, which may help several."""

    wrong: str
    remedy: str = ''


def neck_remedy(model: Mapping, maps: Maps) -> str:
    """Return what to do where heads are made for other levels than ``maps``."""
    heads = (model, model.get('decode_head'), model.get('panoptic_head'))
    kinds = [NECKS[type_at(head)] for head in heads if type_at(head) in NECKS]
    kind = f'{SCOPE}.{kinds[0] if kinds else "Pyramid"}'
    if maps.source == 'the backbone':
        settings = f'type={kind!r}, in_channels={maps.channels}, in_strides={maps.strides}'
        given = [value_at(model, key) for key in WIDTHS if value_at(model, key) is not None]
        widths = as_list(given[0]) if given else []
        if len({*widths}) == 1:
            settings += f', out_channels={widths[0]}'
        return f'make the maps in model.neck: dict({settings})'
    if str(value_at(model, 'neck.type')).startswith(f'{SCOPE}.'):
        return 'make out_strides and num_outs of model.neck agree with it'
    return (
        f'take type={kind!r} for model.neck, with the in_channels and in_strides of the backbone: '
        'it makes the levels'
    )
