"""What must agree in a config of Mask2Former, which mmseg and mmdet train.

Its head counts classes in several places, and none of them is compared before the first step.
"""

from collections.abc import Iterator, Mapping

from ..configuration.settings import type_at, value_at

COUNTS = ('num_things_classes', 'num_stuff_classes')
# What adds up to the classes of the head: in mmseg, in mmdet.
HEADS = {'decode_head': ('num_classes',), 'panoptic_head': COUNTS}


def _heads(config: Mapping) -> Iterator[tuple[str, Mapping, int]]:
    """Yield key, settings and number of classes of the heads that say how many they have."""
    for name, keys in HEADS.items():
        head = value_at(config, f'model.{name}')
        if type_at(head) == 'Mask2FormerHead' and all(isinstance(head.get(k), int) for k in keys):
            yield f'model.{name}', head, sum(head[key] for key in keys)


def every_class_has_a_weight(config: Mapping) -> Iterator[str]:
    """Check that the class loss weighs each class and "no object"."""
    for name, head, classes in _heads(config):
        weights = value_at(head, 'loss_cls.class_weight')
        if isinstance(weights, list | tuple) and len(weights) != classes + 1:
            yield (
                f'{name}.loss_cls.class_weight: has {len(weights)} weights for {classes} classes '
                f'and "no object"; set it to [1.0] * {classes} + [0.1]'
            )


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


RULES = (every_class_has_a_weight, fusion_counts_as_the_head, queries_give_enough)
