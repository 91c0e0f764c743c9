"""Find settings in a config."""

import copy
import os
import shlex
from collections.abc import Iterator
from typing import Any

from mmengine.config import Config

from ..registry import bare_name


def as_list(value) -> list:
    """Return a list of what is in a list or tuple, or of ``value`` alone."""
    return list(value) if isinstance(value, list | tuple) else [value]


def entries(node: Any) -> Iterator[tuple[str, Any]]:
    """Yield key and value of each entry of a dict, index and value of each of a list."""
    if isinstance(node, list | tuple):
        node = dict(enumerate(node))
    for key, value in node.items() if hasattr(node, 'items') else ():
        yield str(key), value


def walk(node: Any, place: str = '') -> Iterator[tuple[str, Any]]:
    """Yield a part of a config and all that is inside of it, each after its dotted key.

    >>> [*walk({'loss': [0.5]})]
    [('', {'loss': [0.5]}), ('loss', [0.5]), ('loss.0', 0.5)]
    """
    yield place, node
    for key, value in entries(node):
        yield from walk(value, f'{place}.{key}' if place else key)


def value_at(node: Any, key: str) -> Any:
    """Return what stands at a dotted key, None where nothing does."""
    for part in key.split('.'):
        node = dict(entries(node)).get(part)
    return node


def type_at(node: Any) -> str:
    """Return the type that a dict names, without its scope."""
    return bare_name(value_at(node, 'type'))


def model_settings(config: Config) -> dict:
    """Return a copy of what a runner builds the model from; constructors change it.

    mmpretrain's configs have the data preprocessor outside of the model.
    """
    settings = copy.deepcopy(config.model)
    if config.get('data_preprocessor'):
        settings.setdefault('data_preprocessor', copy.deepcopy(config.data_preprocessor))
    return settings


def python_path(config: Config) -> str:
    """Return ``'PYTHONPATH=... '`` for commands whose config imports modules of the user, or ''."""
    path = os.environ.get('PYTHONPATH')
    imports = value_at(config, 'custom_imports.imports') or []
    return f'PYTHONPATH={shlex.quote(path)} ' if path and {*imports} - {'vitbackbones'} else ''
