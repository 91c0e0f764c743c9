"""The number of classes of a model: where it stands in a config, and how it is set."""

from collections.abc import Iterator

from mmengine.config import Config

from ..errors import InputError

# Parts that may have a number of their own: the unused classifier of a backbone, and proposals,
# which tell objects from background.
SEPARATE = ('backbone', 'rpn_head')
THINGS, STUFF = 'num_things_classes', 'num_stuff_classes'  # of Mask2Former in mmdet


def class_counts(config: Config) -> Iterator[tuple[str, int]]:
    """Yield key and value of every number of classes of the model and of its preprocessor."""
    preprocessor = config.get('data_preprocessor') or {}
    for node, path in ((config.model, 'model'), (preprocessor, 'data_preprocessor')):
        for key, part in _parts(node, path, 'num_classes'):
            yield f'{key}.num_classes', part['num_classes']
        for key, part in _parts(node, path, THINGS):
            yield f'{key}.{THINGS} + {STUFF}', part[THINGS] + part[STUFF]


def _parts(node, path: str, wanted: str) -> Iterator[tuple[str, dict]]:
    """Yield path and value of every dict inside of ``node`` with the key ``wanted``."""
    if isinstance(node, dict) and wanted in node:
        yield path, node
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        if isinstance(value, dict | list | tuple) and key not in SEPARATE:
            yield from _parts(value, f'{path}.{key}', wanted)


def set_class_count(config: Config, count: int) -> None:
    """Give every part of the model that counts classes ``count`` of them, in place.

    Weights of classes in a loss become as many; a last one for the background stays.

    Raises:
        InputError: the weights of a loss differ from class to class.
    """
    for path, part in _parts(config.model, 'model', 'num_classes'):
        _set_weights(path, part, part['num_classes'], count)
        part['num_classes'] = count
    for path, part in _parts(config.model, 'model', THINGS):
        _set_weights(path, part, part[THINGS] + part[STUFF], count)
        part.update({THINGS: count, STUFF: 0})


def _set_weights(path: str, part: dict, before: int, count: int) -> None:
    for key, loss in _parts(part, path, 'class_weight'):
        weights = loss['class_weight']
        if not isinstance(weights, list | tuple):
            continue
        if len(set(weights[:before])) > 1:
            raise InputError(
                f'{key}.class_weight: has a weight for each of {before} classes, but the data have '
                f'{count}. Leave class_weight out of the config.'
            )
        loss['class_weight'] = [weights[0]] * count + list(weights[before:])
