"""Which maps the decode head of a segmentor reads: how many, and of which strides.

mmseg compares neither before the first step, and a stride that is wrong never: heads bring all maps
to the size of the first.
"""

from collections.abc import Iterator, Mapping

from ...configuration.settings import as_list, type_at, value_at
from ..necks import neck_remedy
from ..task import Maps, Misfit

# Where heads say the strides of their maps.
STRIDES = {'FPNHead': 'feature_strides', 'Mask2FormerHead': 'strides'}


def decode_head_reads_all_levels(model: Mapping, maps: Maps) -> Iterator[Misfit]:
    """Check that there is a map of the right stride for each that the decode head reads."""
    head = value_at(model, 'decode_head')
    widths = as_list(value_at(head, 'in_channels'))
    if len(widths) == 1:  # any map will do
        return
    strides = head.get(STRIDES.get(type_at(head)))
    if len(widths) > len(maps.channels) or _differ(strides, head, maps):
        wanted = f'maps of strides {list(strides)}' if strides else f'{len(widths)} maps'
        text = f'model.decode_head: {type_at(head)} reads {wanted}, but {maps}'
        yield Misfit(text, neck_remedy(model, maps))


def _differ(strides: list[int] | None, head: Mapping, maps: Maps) -> bool:
    if not strides or len(maps.strides) < len(maps.channels):  # not all are known
        return False
    read = as_list(head.get('in_index', [*range(len(maps.strides))]))
    return list(strides) != [maps.strides[i] for i in read]


def mla_reads_no_more_maps(model: Mapping, maps: Maps) -> Iterator[Misfit]:
    """Check that there are all the maps that SETR-MLA's head joins."""
    head, count = value_at(model, 'decode_head'), len(maps.channels)
    levels = head.get('levels', 4)
    if type_at(head) == 'SETRMLAHead' and levels > count:
        indices = f', and auxiliary_head.in_index to {[*range(count)]}'
        more = indices if model.get('auxiliary_head') else ''
        yield Misfit(f'model.decode_head.levels: is {levels}, but {maps}; set it to {count}{more}')
