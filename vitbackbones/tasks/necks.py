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
