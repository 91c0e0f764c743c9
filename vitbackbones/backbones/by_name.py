"""Networks by name, under timm's names: ``create_model('aug_vit_s')`` maps images to logits.

``features_only=True`` gives maps in place of logits.
"""

from collections.abc import Sequence
from inspect import signature
from pathlib import Path
from typing import Any, Literal, overload

import torch

from ..errors import OptionError
from ..layers import require_choice
from ..utils.messages import did_you_mean
from ..utils.signatures import accepted_keywords
from ..weights import PUBLISHED, fetch
from ..weights.convert import OWN
from ..weights.filling import load_pretrained
from ..weights.table import name_of
from .classifier import GLOBAL_POOL, Classifier, Features
from .names import MODELS, require_name
from .preprocessing import data_config


@overload
def create_model(
    name: str,
    num_classes: int = ...,
    checkpoint: Any = ...,
    *,
    features_only: Literal[True],
    **options: Any,
) -> Features: ...


@overload
def create_model(
    name: str, num_classes: int = ..., checkpoint: Any = ..., allow_missing: Any = (), **kwargs: Any
) -> Classifier: ...


def create_model(
    name: str,
    num_classes: int = 1000,
    checkpoint: str | Path | None = None,
    allow_missing: Sequence[str] = (),
    *,
    pretrained: bool = False,
    features_only: bool = False,
    in_chans: int = 3,
    global_pool: str | None = None,
    stored_size: tuple[int, int] | None = None,
    **options: Any,
) -> Classifier | Features:
    """Build a network that maps images (N, in_chans, H, W) to logits (N, num_classes).

    Args:
        name: one of :func:`list_models`.
        num_classes: width of the head; 0 for the features that it would read.
        checkpoint: what to fill it from: a file in any layout that ``weights.convert`` knows,
            an address, or a name of published weights. A head of another number of classes stays
            as initialized, with a warning.
        allow_missing: patterns of further keys that may stay so (``load_pretrained``).
        pretrained: whether to fill it from the weights that were published by its name.
        features_only: return a list of maps, those of ``out_indices``, in place of logits. There a
            number from 1 means the last so many blocks or stages, as in timm.
        in_chans: channels of the image. A checkpoint of three channels is adapted to it.
        global_pool: what the head reads, ``'token'`` (the class token) or ``'avg'`` (the mean of
            all others); ``''`` for a map, without a head. By default what the model was made with.
        stored_size: (height, width) of the images that the checkpoint was trained for, where it
            does not tell and another shape has as many positions.
        options: arguments of the backbone, such as ``img_size`` or ``drop_path_rate``.

    Raises:
        OptionError: the name or an option is unknown (the nearest are given), its value is bad, or
            the weights were trained with another one.
        InputError: the checkpoint does not fill the model, or nothing was published by its name.
    """
    require_name(name)
    if isinstance(num_classes, bool):  # timm's second argument
        raise OptionError(f'num_classes={num_classes}: must be a number; options follow by keyword')
    if not isinstance(num_classes, int) or num_classes < 0:
        raise OptionError(f'num_classes={num_classes!r}: must be a whole number from 0')
    if pretrained and checkpoint is not None:
        raise OptionError('pretrained=True and a checkpoint: give one of the two')
    host, arguments, out_type = MODELS[name]
    known = accepted_keywords(host)
    for option in options:
        if known is not None and option not in known:
            hint = did_you_mean(option, known | signature(create_model).parameters.keys())
            raise OptionError(f'{name} has no option {option!r}{hint}')
    made_with = {'name': name, 'in_chans': in_chans, 'global_pool': global_pool, **options}
    made_with |= {'features_only': True} if features_only else {'num_classes': num_classes}
    options = _for_backbone(options, out_type, features_only, global_pool)
    backbone = host(**{'in_channels': in_chans, **arguments, 'out_type': out_type, **options})
    model = Features(backbone) if features_only else Classifier(backbone, num_classes)
    model.made_with = made_with
    source = name if pretrained else checkpoint
    if source is None:
        model.data_config = data_config(backbone, PUBLISHED.get(name))
        return model
    published = PUBLISHED.get(name_of(source) or '')
    needed, trained = (published.options, published.model) if published else ({}, '')
    for key, value in needed.items():
        if [*map(tuple, options.get(key) or ())] != [*value]:  # it would compute something else
            raise OptionError(
                f'{key}={options.get(key)}: these weights of {trained} were trained with '
                f'{key}={value}, which their file does not tell; give it to create_model'
            )
    file = fetch(name) if checkpoint is None else checkpoint
    with torch.no_grad():
        network = backbone if features_only else model
        filled = load_pretrained(network, file, allow_missing, stored_size=stored_size)
    if published is None and filled.format not in OWN:  # its publisher's file under another name
        published = PUBLISHED.get(name)
    model.data_config = data_config(backbone, published, filled.images)
    return model


def _for_backbone(
    options: dict, out_type: str, features_only: bool, global_pool: str | None
) -> dict:
    """Return options in the words of a backbone that by default gives ``out_type``."""
    if global_pool is not None:
        # of two types with one word the model's own
        types = ('cls_token', 'pooled', 'featmap', out_type)
        words = {GLOBAL_POOL[kind]: kind for kind in types}
        require_choice('global_pool', global_pool, words)
        options = {**options, 'out_type': words[global_pool]}
    if not features_only:
        return options
    if options.get('out_type', 'featmap') != 'featmap':
        raise OptionError('features_only=True returns maps: leave out_type and global_pool out')
    last = options.get('out_indices')
    if isinstance(last, int) and last > 0:  # as in timm, the last so many
        options = {**options, 'out_indices': tuple(range(-last, 0))}
    return {**options, 'out_type': 'featmap'}
