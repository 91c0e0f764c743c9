"""The classes of a config: how many its model counts, and how its datasets name them."""

from collections.abc import Iterator, Sequence
from typing import Any

from mmengine.config import Config
from mmengine.registry import DATASETS
from torch import nn

from ..errors import InputError
from ..utils.messages import shorten
from ..weights.read.class_names import (
    checkpoint_meta,
    count_classes,
    require_same_count,
    require_same_names,
)
from .data_paths import datasets, first_dataset
from .lookup import Lookup
from .settings import entries

# Parts that may have a number of their own: the unused classifier of a backbone, and proposals,
# which tell objects from background.
SEPARATE = ('backbone', 'rpn_head')
OF_MAPS = 'semantic_head'  # of HTC: its num_classes are those of maps of regions
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
    for key, value in entries(node):
        if key not in SEPARATE and (key, wanted) != (OF_MAPS, 'num_classes'):
            yield from _parts(value, f'{path}.{key}', wanted)


def set_class_count(config: Config, count: int) -> None:
    """Give every part of the model that counts classes ``count`` of them, in place.

    Equal weights of classes in a loss become as many; a last one for the background stays. Others
    are those of the new classes, and stay as they are.
    """
    for _, part in _parts(config.model, 'model', 'num_classes'):
        _set_weights(part, part['num_classes'], count)
        part['num_classes'] = count
    for _, part in _parts(config.model, 'model', THINGS):
        _set_weights(part, part[THINGS] + part[STUFF], count)
        part.update({THINGS: count, STUFF: 0})


def _set_weights(part: dict, before: int, count: int) -> None:
    for _, loss in _parts(part, '', 'class_weight'):
        weights = loss['class_weight']
        if not isinstance(weights, list | tuple) or len(weights) - before not in (0, 1):
            continue
        given = len(weights) == count and len(set(weights)) == 1  # one for each new class
        if len(set(weights[:before])) == 1 and not given:
            loss['class_weight'] = [weights[0]] * count + list(weights[before:])


def class_names(config: Config, dataset: dict) -> tuple[str, Sequence[str] | None]:
    """Return the key that gives a dataset its classes, and their names.

    Names that only a file knows are None.
    """
    for key, owner in (('metainfo.classes', dataset.get('metainfo')), ('classes', dataset)):
        if owner and owner.get('classes'):
            names = owner['classes']
            return key, None if isinstance(names, str) else names  # a text: the file to read
    kind = dataset['type']
    if isinstance(kind, str):
        lookup = Lookup(config.get('default_scope') or 'mmengine')
        kind = next(iter(lookup.find(kind).values()), None)
    return 'type', (getattr(kind, 'METAINFO', None) or {}).get('classes')


def training_classes(config: Config) -> Sequence[str]:
    """Return the names of the classes that a config trains on, or tests where it does not train."""
    _, dataset = next(datasets(config))
    return class_names(config, dataset)[1]


def config_meta(config: Config, split: str = 'test') -> dict[str, Any]:
    """Return what the first dataset of a split tells of itself: ``classes``, ``palette``."""
    dataset = first_dataset(config, split)
    with DATASETS.switch_scope_and_registry(config.get('default_scope')) as registry:
        kind = registry.get(dataset.type)
    return kind._load_metainfo(dataset.get('metainfo'))  # also reads names out of a file


def agreed_meta(config: Config, checkpoint: dict, model: nn.Module, source: str) -> dict[str, Any]:
    """Return ``classes``, of the checkpoint or else the config or else numbers, and ``palette``.

    Names that the config's dataset class brings along may differ from the checkpoint's, as two
    releases of a toolbox spell a class in two ways; names that the config states may not.

    Raises:
        InputError: the checkpoint, the config and the model do not agree; the message begins with
            ``source``, which names the checkpoint.
    """
    own, trained = config_meta(config), checkpoint_meta(checkpoint)
    if 'classes' in (first_dataset(config, 'test').get('metainfo') or {}):
        require_same_names(trained.get('classes'), own['classes'], source)
    meta = trained if trained.get('classes') else own
    require_same_count(meta.get('classes'), model, source if meta is trained else config.filename)
    numbers = tuple(map(str, range(count_classes(model) or 0)))
    return meta | {'classes': meta.get('classes') or numbers}


def check_classes(config: Config, splits: tuple[str, ...]) -> None:
    """Compare every ``num_classes`` of the model with the datasets of ``splits``.

    Raises:
        InputError: two differ; both keys are named.
    """
    widths = list(class_counts(config))
    for path, dataset in datasets(config, splits):
        source, names = class_names(config, dataset)
        for key, width in widths if names else ():
            if width != len(names):
                raise InputError(
                    f'{config.filename}: {key} is {width}, but {path}.{source} has {len(names)} '
                    f'classes ({shorten(names)}). Set {key}={len(names)}, or set '
                    'metainfo.classes of every dataset to the classes of the model.'
                )
