"""Which maps a detector's heads read: how many, of which strides, how wide.

mmdet compares none of it before the first step, and a stride that is wrong never: the anchors are
then too large or too small for what their map shows.
"""

from collections.abc import Iterator, Mapping

from ...configuration.settings import as_list, type_at, value_at
from ...registry import SCOPE
from ..task import Maps

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


def heads_read_all_levels(model: Mapping, maps: Maps) -> Iterator[str]:
    """Check that anchors and proposals are made for the maps that there are."""
    keys = [*OF_ALL, *(f'{part}.featmap_strides' for part in OF_THE_FIRST)]
    for key in keys:
        wanted = value_at(model, key)
        count = len(maps.channels) if key in OF_ALL else len(as_list(wanted))
        if not isinstance(wanted, list | tuple) or wanted == []:
            continue
        if len(wanted) != count or count > len(maps.channels) or _differ(wanted, maps.strides):
            yield f'model.{key}: is {wanted}, but {maps}; {_remedy(model, maps)}'


def _differ(wanted: list, strides: list[int]) -> bool:
    numbers = all(isinstance(stride, int) for stride in wanted)  # not pairs for width and height
    return numbers and any(a != b for a, b in zip(wanted, strides, strict=False))


def _remedy(model: Mapping, maps: Maps) -> str:
    neck = str(value_at(model, 'neck.type'))
    if maps.source == 'the neck' and not neck.startswith(f'{SCOPE}.'):
        return (
            "take type='vitbackbones.Pyramid' for model.neck, with the in_channels and in_strides "
            'of the backbone: it makes the levels'
        )
    if maps.source == 'the neck':
        return 'make out_strides and num_outs of model.neck agree with it'
    given = f'in_channels={maps.channels}, in_strides={maps.strides}'
    return f"make the levels in model.neck: dict(type='vitbackbones.Pyramid', {given})"


def attention_reads_all_levels(model: Mapping, maps: Maps) -> Iterator[str]:
    """Check that Deformable DETR and DINO attend to as many levels as there are."""
    if type_at(model) not in ('DeformableDETR', 'DINO'):
        return
    for key in COUNTS:
        wanted = value_at(model, key)
        wanted = 4 if wanted is None else wanted
        if wanted != len(maps.channels):
            yield f'model.{key}: is {wanted}, but {maps}; set it to {len(maps.channels)}'


def proposals_have_the_width_of_the_maps(model: Mapping, maps: Maps) -> Iterator[str]:
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
                yield f'model.{key}: is {wanted}, but the maps of {maps.source} have {given}'
