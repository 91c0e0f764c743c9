"""What must agree in a config of Mask2Former, which mmseg and mmdet train.

Its head counts classes in several places, and none of them is compared before the first step.
"""

from collections.abc import Iterator, Mapping

from ..configuration.data_paths import evaluators
from ..configuration.settings import type_at, value_at

COUNTS = ('num_things_classes', 'num_stuff_classes')
# What adds up to the classes of the head: in mmseg, in mmdet.
HEADS = {'decode_head': ('num_classes',), 'panoptic_head': COUNTS}
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
            yield f'model.panoptic_fusion_head.{key}: is {given}, but panoptic_head.{key}={wanted}'


def queries_give_enough(config: Mapping) -> Iterator[str]:
    """Check that no more instances of an image are kept than queries and classes give."""
    kept = value_at(config, 'model.test_cfg.max_per_image')
    for key, counts in HEADS.items():
        head = value_at(config, f'model.{key}')
        counted = type_at(head) == 'Mask2FormerHead' and all(
            isinstance(head.get(count), int) for count in counts
        )
        if not counted or not isinstance(kept, int):
            continue
        classes, queries = sum(head[count] for count in counts), head.get('num_queries', 100)
        if kept > queries * classes:
            yield (
                f'model.test_cfg.max_per_image: is {kept}, but model.{key} gives '
                f'{queries * classes}: num_queries={queries} for each of {classes} classes'
            )


def what_is_measured_is_predicted(config: Mapping) -> Iterator[str]:
    """Check that the segments or instances that a metric reads are put together."""
    settings = value_at(config, 'model.test_cfg') or {}
    if not value_at(config, 'model.panoptic_fusion_head'):
        return
    for path, metric in evaluators(config):
        key, default = READ_BY.get(type_at(metric), ('', True))
        if not settings.get(key, default):
            yield f'model.test_cfg.{key}: is not True, but {path} measures what it gives'


RULES = (fusion_counts_as_the_head, queries_give_enough, what_is_measured_is_predicted)
