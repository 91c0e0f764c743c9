"""Finding settings in a config."""

import copy
from collections.abc import Iterator
from typing import Any

from mmengine.config import Config


def as_list(value) -> list:
    """``value``, or a list of it alone."""
    return list(value) if isinstance(value, list | tuple) else [value]


def entries(node: Any) -> Iterator[tuple[str, Any]]:
    """Key and value of each entry of a dict, place and value of each of a list; else nothing."""
    if isinstance(node, list | tuple):
        node = dict(enumerate(node))
    for key, value in node.items() if hasattr(node, 'items') else ():
        yield str(key), value


def value_at(node: Any, key: str) -> Any:
    """What stands at a dotted key, None where nothing does."""
    for part in key.split('.'):
        node = dict(entries(node)).get(part)
    return node


def model_settings(config: Config) -> dict:
    """The settings of the model as a runner builds it, copied because constructors change them.

    mmpretrain's configs have the data preprocessor outside of the model.
    """
    settings = copy.deepcopy(config.model)
    if config.get('data_preprocessor'):
        settings.setdefault('data_preprocessor', copy.deepcopy(config.data_preprocessor))
    return settings
