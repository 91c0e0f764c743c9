"""The class names of a checkpoint and of a model, and whether they agree.

A checkpoint of other classes than the config's loads into everything but the last layer, which
then keeps its random values; OpenMMLab says so in a log line and answers nonsense.
"""

from collections.abc import Sequence
from typing import Any

from torch import nn

from ...errors import InputError
from ...utils.messages import shorten

HEADS = ('bbox_head', 'decode_head', 'head')  # of a detector, a segmentor, a classifier


def count_classes(model: nn.Module) -> int | None:
    """Return the number of classes of a model; None if its head does not say."""
    heads = (getattr(model, name, None) for name in HEADS)
    return next((head.num_classes for head in heads if hasattr(head, 'num_classes')), None)


def checkpoint_meta(checkpoint: dict) -> dict[str, Any]:
    """Return what a checkpoint says of its data, such as ``classes``; {} of weights alone.

    mmdet 2 and mmseg 0 have ``CLASSES`` beside other entries; release candidates of their next
    versions have such words in ``dataset_meta``.
    """
    meta = checkpoint.get('meta') or {}
    old = {key: meta[key] for key in ('CLASSES', 'PALETTE') if meta.get(key) is not None}
    return {key.lower(): value for key, value in (meta.get('dataset_meta') or old).items()}


def require_same_count(names: Sequence[str] | None, model: nn.Module, source: str) -> None:
    """Check that a list of class names has one name for each class of ``model``.

    Raises:
        InputError: it has not; ``source``, where the names come from, begins the message.
    """
    count = count_classes(model)
    if names and count and len(names) != count:
        raise InputError(
            f'{source} names {len(names)} classes ({shorten(names)}), but the model of the config '
            f'has num_classes={count}. Use the config that the checkpoint was trained with'
        )


def require_same_names(
    trained: Sequence[str] | None, own: Sequence[str] | None, source: str
) -> None:
    """Check that the labels of a checkpoint mean the same as those of the config's data.

    Raises:
        InputError: they do not; ``source``, the checkpoint, begins the message.
    """
    if trained and own and list(trained) != list(own):
        raise InputError(
            f'{source} was trained for {len(trained)} classes ({shorten(trained)}), but the '
            f'dataset of the config has {len(own)} ({shorten(own)}). Use the config that it was '
            'trained with, or data with the same classes in the same order. To train on other '
            'classes from these weights: --cfg-options load_from=FILE, and another --work-dir.'
        )
