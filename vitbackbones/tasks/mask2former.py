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


def _heads(config: Mapping) -> Iterator[tuple[str, Mapping, int]]:
    """Yield key, settings and number of classes of the heads that say how many they have."""
    for name, keys in HEADS.items():
        head = value_at(config, f'model.{name}')
        if type_at(head) == 'Mask2FormerHead' and all(isinstance(head.get(k), int) for k in keys):
            yield f'model.{name}', head, sum(head[key] for key in keys)


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
    for name, head, classes in _heads(config):
        queries = head.get('num_queries', 100)
        if isinstance(kept, int) and kept > queries * classes:
            yield (
                f'model.test_cfg.max_per_image: is {kept}, but {name} gives {queries * classes}: '
                f'num_queries={queries} for each of {classes} classes'
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
