"""The class names of a checkpoint, of a config and of a model, and whether they agree.

A checkpoint of other classes than the config's loads into everything but the last layer, which
then keeps its random values; OpenMMLab says so in a log line and answers nonsense.
"""

from collections.abc import Sequence
from typing import Any

from mmengine.config import Config
from mmengine.registry import DATASETS
from torch import nn

from .errors import InputError

HEADS = ('bbox_head', 'decode_head', 'head')  # of a detector, a segmentor, a classifier


def count_classes(model: nn.Module) -> int | None:
    """The number of classes of a detector, segmentor or classifier; None if its head has none."""
    heads = (getattr(model, name, None) for name in HEADS)
    return next((head.num_classes for head in heads if hasattr(head, 'num_classes')), None)


def checkpoint_meta(checkpoint: dict) -> dict[str, Any]:
    """What a checkpoint says of its data, ``classes`` among it; {} if it holds weights alone."""
    return (checkpoint.get('meta') or {}).get('dataset_meta') or {}


def config_meta(config: Config) -> dict[str, Any]:
    """What the config's test data set, or its class, says of itself: ``classes``, ``palette``."""
    dataset = config.test_dataloader.dataset
    while 'dataset' in dataset:  # a wrapper
        dataset = dataset.dataset
    with DATASETS.switch_scope_and_registry(config.get('default_scope')) as registry:
        kind = registry.get(dataset.type)
    return kind._load_metainfo(dataset.get('metainfo'))  # also reads names out of a file


def require_same_count(names: Sequence[str] | None, model: nn.Module, source: str) -> None:
    """Refuse a list of class names that is not one name for each class of ``model``.

    Raises:
        InputError: ``source``, where the names come from, begins the message.
    """
    count = count_classes(model)
    if names and count and len(names) != count:
        raise InputError(
            f'{source} names {len(names)} classes ({shorten(names)}), the model of the config '
            f'has num_classes={count}; use the config that the checkpoint was trained with'
        )


def require_same_names(given: Sequence[str], wanted: Sequence[str], source: str) -> None:
    """Refuse a checkpoint whose classes are others than the config's, or in another order.

    Raises:
        InputError: ``source``, the checkpoint, begins the message.
    """
    if list(given) == list(wanted):
        return
    pairs = zip(given, wanted, strict=False)
    first = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(given), len(wanted)))
    raise InputError(
        f'{source} was trained on {len(given)} classes ({shorten(given)}), the config names '
        f'{len(wanted)} ({shorten(wanted)}); they differ from class {first} on. Use the config '
        'that the checkpoint was trained with, or correct metainfo.classes of its data set.'
    )


def shorten(names: Sequence[str], most: int = 4) -> str:
    """The first few names, for a message."""
    return ', '.join(names[:most]) + (', ...' if len(names) > most else '')
