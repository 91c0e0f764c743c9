"""Which maps a detector's heads read: how many, of which strides, how wide.

mmdet compares none of it before the first step, and a stride that is wrong never: the anchors are
then too large or too small for what their map shows.
"""

from collections.abc import Iterator, Mapping

from ...configuration.settings import as_list, type_at, value_at
from ..necks import neck_remedy
from ..task import Maps, Misfit

# Strides of the maps that a part reads, by key: of all maps, or of the first ones.
OF_ALL = tuple(
    f'{head}.{key}'
    for head in ('bbox_head', 'rpn_head', 'panoptic_head')
    for key in ('anchor_generator.strides', 'strides')
)
OF_THE_FIRST = ('roi_head.bbox_roi_extractor', 'roi_head.mask_roi_extractor')
# Numbers of levels in the attention over several of them; mmdet's default is 4 each.
COUNTS = (
    'num_feature_levels',
    'encoder.layer_cfg.self_attn_cfg.num_levels',
    'decoder.layer_cfg.cross_attn_cfg.num_levels',
)
ENCODER_WIDTH = 'encoder.layer_cfg.self_attn_cfg.embed_dims'


def heads_read_all_levels(model: Mapping, maps: Maps) -> Iterator[Misfit]:
    """Check that anchors and proposals are made for the maps that there are."""
    keys = [*OF_ALL, *(f'{part}.featmap_strides' for part in OF_THE_FIRST)]
    for key in keys:
        wanted = value_at(model, key)
        count = len(maps.channels) if key in OF_ALL else len(as_list(wanted))
        if not isinstance(wanted, list | tuple) or wanted == []:
            continue
        if len(wanted) != count or count > len(maps.channels) or _differ(wanted, maps.strides):
            yield Misfit(f'model.{key}: is {wanted}, but {maps}', neck_remedy(model, maps))


def _differ(wanted: list, strides: list[int]) -> bool:
    numbers = all(isinstance(stride, int) for stride in wanted)  # not pairs for width and height
    return numbers and any(a != b for a, b in zip(wanted, strides, strict=False))


def attention_reads_all_levels(model: Mapping, maps: Maps) -> Iterator[Misfit]:
    """Check that Deformable DETR and DINO attend to as many levels as there are."""
    if type_at(model) not in ('DeformableDETR', 'DINO'):
        return
    count = len(maps.channels)
    for key in COUNTS:
        wanted = value_at(model, key)
        wanted = 4 if wanted is None else wanted
        wrong = f'model.{key}: is {wanted}, but {maps}'
        if wanted != count and maps.source == 'the neck':
            yield Misfit(f'{wrong}; set it to {count}')
        elif wanted != count:
            yield Misfit(wrong, neck_remedy(model, maps))


def attention_has_the_width_of_the_maps(model: Mapping, maps: Maps) -> Iterator[Misfit]:
    """Check that an encoder of DETR's kind is as wide as the maps; DETR reads the last one."""
    if type_at(model) not in ('DETR', 'DeformableDETR', 'DINO'):
        return
    wanted = value_at(model, ENCODER_WIDTH)
    read = maps.channels[-1:] if type_at(model) == 'DETR' else maps.channels
    if isinstance(wanted, int) and {*read} != {wanted}:
        made = maps.source == 'the neck'
        yield Misfit(
            f'model.{ENCODER_WIDTH}: is {wanted}, but {maps.source} gives {maps.channels}',
            f'set model.neck.out_channels={wanted}' if made else neck_remedy(model, maps),
        )


def proposals_have_the_width_of_the_maps(model: Mapping, maps: Maps) -> Iterator[Misfit]:
    """Check the widths from the maps to what a two-stage detector reads of a box."""
    for part, head in zip(OF_THE_FIRST, ('bbox_head', 'mask_head'), strict=True):
        extractor = value_at(model, part)
        if type_at(extractor) != 'SingleRoIExtractor':  # others join levels
            continue
        keys = [f'{part}.out_channels']
        if value_at(model, 'roi_head.shared_head') is None:
            keys.append(f'roi_head.{head}.in_channels')
        for key in keys:
            wanted = value_at(model, key)
            if isinstance(wanted, int) and {*maps.channels} != {wanted}:
                given = ', '.join(map(str, dict.fromkeys(maps.channels)))
                text = f'model.{key}: is {wanted}, but the maps of {maps.source} have {given}'
                yield Misfit(text)
