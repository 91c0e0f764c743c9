"""What a config's data set says of itself, held against the checkpoint and the model."""

from typing import Any

from mmengine.config import Config
from mmengine.registry import DATASETS
from torch import nn

from ..checkpoints.class_names import (
    checkpoint_meta,
    count_classes,
    require_same_count,
    require_same_names,
)


def config_meta(config: Config) -> dict[str, Any]:
    """What the config's test data set, or its class, says of itself: ``classes``, ``palette``."""
    dataset = _dataset(config)
    with DATASETS.switch_scope_and_registry(config.get('default_scope')) as registry:
        kind = registry.get(dataset.type)
    return kind._load_metainfo(dataset.get('metainfo'))  # also reads names out of a file


def _dataset(config: Config) -> dict:
    dataset = config.test_dataloader.dataset
    while 'dataset' in dataset:  # a wrapper
        dataset = dataset.dataset
    return dataset


def agreed_meta(config: Config, checkpoint: dict, model: nn.Module, source: str) -> dict[str, Any]:
    """``classes`` (and perhaps ``palette``) of the checkpoint, else of the config, else numbers.

    Names that the config's data set class brings along may differ from the checkpoint's, as two
    releases of a toolbox spell a class in two ways; names that the config states may not.

    Raises:
        InputError: the checkpoint, the config and the model do not agree; ``source``, the
            checkpoint, begins the message.
    """
    own, trained = config_meta(config), checkpoint_meta(checkpoint)
    if 'classes' in (_dataset(config).get('metainfo') or {}):
        require_same_names(trained.get('classes'), own['classes'], source)
    meta = trained if trained.get('classes') else own
    require_same_count(meta.get('classes'), model, source if meta is trained else config.filename)
    numbers = tuple(map(str, range(count_classes(model) or 0)))
    return meta | {'classes': meta.get('classes') or numbers}
