"""What to write in ``model.neck`` where a head does not get the maps that it reads."""

from collections.abc import Mapping

from ..configuration.settings import as_list, type_at, value_at
from ..registry import SCOPE
from .task import Maps

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


def neck_remedy(model: Mapping, maps: Maps) -> str:
    """Return what to do where heads are made for other levels than ``maps``."""
    if maps.source == 'the backbone':
        return f'make the maps in model.neck: {_neck(model, maps)}'
    if str(value_at(model, 'neck.type')).startswith(f'{SCOPE}.'):
        return 'make out_strides and num_outs of model.neck agree with it'
    return (
        f'take type={_kind(model)!r} for model.neck, with the in_channels and in_strides of the '
        'backbone: it makes the levels'
    )


def _neck(model: Mapping, maps: Maps) -> str:
    """Return the settings of the neck that makes the levels of ``maps``."""
    found = (as_list(value_at(model, key)) for key in WIDTHS)
    widths = {*next((each for each in found if each != [None]), ())}
    settings = f'in_channels={maps.channels}, in_strides={maps.strides}'
    width = f', out_channels={widths.pop()}' if len(widths) == 1 else ''
    return f'dict(type={_kind(model)!r}, {settings}{width})'


def _kind(model: Mapping) -> str:
    heads = (model, model.get('decode_head'), model.get('panoptic_head'))
    kinds = [NECKS[type_at(head)] for head in heads if type_at(head) in NECKS]
    return f'{SCOPE}.{[*kinds, "Pyramid"][0]}'
