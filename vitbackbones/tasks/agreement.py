"""What the rules of detection and segmentation share: the maps that heads read, and Mask2Former."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ..configuration.data_paths import evaluators
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
    """The feature maps that the heads of a model read.

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
        return f'{len(self.channels)} feature map{"" if len(self.channels) == 1 else "s"}'


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
        return f'make the feature maps in the neck: model.neck=dict({settings})'
    if str(value_at(model, 'neck.type')).startswith(f'{SCOPE}.'):
        return 'set out_strides and num_outs of model.neck accordingly'
    return (
        f'use type={kind!r} for model.neck, with the in_channels and in_strides of the '
        'backbone; it makes these levels'
    )


# ------------------------------------------------------------------------ Mask2Former
#
# Its head counts classes in several places, and none of them is compared before the first step.

COUNTS = ('num_things_classes', 'num_stuff_classes')
# By the type of a metric: the setting that makes what it reads, and whether that is on by itself.
READ_BY = {'CocoPanopticMetric': ('panoptic_on', True), 'CocoMetric': ('instance_on', False)}


def fusion_counts_as_the_head(config: Mapping) -> Iterator[str]:
    """Check that head and fusion head have as many things and as much stuff."""
    model = config.get('model') or {}
    for key in COUNTS:
        given, wanted = (
            value_at(model, f'{part}.{key}') for part in ('panoptic_fusion_head', 'panoptic_head')
        )
        if given is not None and wanted is not None and given != wanted:
            yield (
                f'model.panoptic_fusion_head.{key}: is {given}, but '
                f'model.panoptic_head.{key} is {wanted}; set both to the same number'
            )


def what_is_measured_is_predicted(config: Mapping) -> Iterator[str]:
    """Check that the segments or instances that a metric reads are put together."""
    settings = value_at(config, 'model.test_cfg') or {}
    if not value_at(config, 'model.panoptic_fusion_head'):
        return
    for path, metric in evaluators(config):
        key, default = READ_BY.get(type_at(metric), ('', True))
        if not settings.get(key, default):
            yield f'model.test_cfg.{key}: must be True, because {path} evaluates these predictions'


MASK2FORMER = (fusion_counts_as_the_head, what_is_measured_is_predicted)
