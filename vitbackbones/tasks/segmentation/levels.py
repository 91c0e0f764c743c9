"""Which maps the decode head of a segmentor reads: how many, and of which strides.

mmseg compares neither before the first step, and a stride that is wrong never: heads bring all maps
to the size of the first.
"""

from collections.abc import Iterator, Mapping

from ...configuration.settings import as_list, type_at, value_at
from ..task import Maps

# Where heads say the strides of their maps.
STRIDES = {'FPNHead': 'feature_strides', 'Mask2FormerHead': 'strides'}
# What makes such maps of others; Levels for heads with a pyramid of their own.
NECKS = {'FPNHead': 'Pyramid'}


def decode_head_reads_all_levels(model: Mapping, maps: Maps) -> Iterator[str]:
    """Check that there is a map of the right stride for each that the decode head reads."""
    head = value_at(model, 'decode_head')
    widths = as_list(value_at(head, 'in_channels'))
    if len(widths) == 1:  # any map will do
        return
    strides = head.get(STRIDES.get(type_at(head)))
    if len(widths) > len(maps.channels) or _differ(strides, head, maps):
        wanted = f'maps of strides {list(strides)}' if strides else f'{len(widths)} maps'
        yield (
            f'model.decode_head: {type_at(head)} reads {wanted}, but {maps}; {_remedy(head, maps)}'
        )


def _differ(strides: list[int] | None, head: Mapping, maps: Maps) -> bool:
    if not strides or len(maps.strides) < len(maps.channels):  # not all are known
        return False
    read = as_list(head.get('in_index', [*range(len(maps.strides))]))
    return list(strides) != [maps.strides[i] for i in read]


def _remedy(head: Mapping, maps: Maps) -> str:
    if maps.source == 'the neck':
        return 'set out_strides and num_outs of model.neck so that it does'
    neck = f'vitbackbones.{NECKS.get(type_at(head), "Levels")}'
    width = as_list(head['in_channels'])[0]
    given = f'in_channels={maps.channels}, in_strides={maps.strides}, out_channels={width}'
    return f'make them in model.neck: dict(type={neck!r}, {given})'
