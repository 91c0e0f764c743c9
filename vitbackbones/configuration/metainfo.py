"""What a config's data set says of itself: its class names, held against a checkpoint's, colors."""

from collections.abc import Sequence
from typing import Any

from mmengine.config import Config
from mmengine.registry import DATASETS
from torch import nn

from ..weights.read.class_names import (
    checkpoint_meta,
    count_classes,
    require_same_count,
    require_same_names,
)
from .data_paths import first_dataset
from .lookup import Lookup


def class_names(config: Config, dataset: dict) -> tuple[str, Sequence[str] | None]:
    """Return the key that gives a data set its classes, and their names.

    Names that only a file knows are None.
    """
    for key, owner in (('metainfo.classes', dataset.get('metainfo')), ('classes', dataset)):
        if owner and owner.get('classes'):
            names = owner['classes']
            return key, None if isinstance(names, str) else names  # a text: the file to read
    kind = dataset['type']
    if isinstance(kind, str):
        lookup = Lookup(config.get('default_scope') or 'mmengine')
        kind = next(iter(lookup.find(kind).values()))
    return 'type', (getattr(kind, 'METAINFO', None) or {}).get('classes')


def training_classes(config: Config) -> Sequence[str]:
    """Return the names of the classes that a config trains on."""
    return class_names(config, first_dataset(config, 'train'))[1]


def config_meta(config: Config, split: str = 'test') -> dict[str, Any]:
    """Return what the first data set of a split tells of itself: ``classes``, ``palette``."""
    dataset = first_dataset(config, split)
    with DATASETS.switch_scope_and_registry(config.get('default_scope')) as registry:
        kind = registry.get(dataset.type)
    return kind._load_metainfo(dataset.get('metainfo'))  # also reads names out of a file


def agreed_meta(config: Config, checkpoint: dict, model: nn.Module, source: str) -> dict[str, Any]:
    """Return ``classes``, of the checkpoint or else the config or else numbers, and ``palette``.

    Names that the config's data set class brings along may differ from the checkpoint's, as two
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
