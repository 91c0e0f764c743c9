"""Any model of the toolboxes as shapes alone: no memory for its weights, no time to draw them.

Backbones of the toolboxes compute their rates of stochastic depth with ``torch.linspace`` and read
the numbers from the result. A meta tensor has none, so such factories stay on the CPU.
"""

import pickle
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any
from unittest.mock import patch

import torch
from mmengine.fileio import HTTPBackend
from mmengine.model import BaseModule
from mmengine.registry import MODELS, DefaultScope
from mmengine.runner import CheckpointLoader, checkpoint
from torch import Tensor, nn
from torch.utils._device import DeviceContext
from torch.utils._pytree import tree_map

from ..errors import InputError
from .text_models import stand_ins

SEVERAL = ('SyncBN', 'MMSyncBN')
WITH_NUMBERS = (torch.linspace, torch.arange, torch.tensor)


class OnMeta(DeviceContext):
    """``torch.device('meta')`` as a context, except for factories whose numbers are read."""

    def __init__(self) -> None:
        super().__init__(torch.device('meta'))

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func in WITH_NUMBERS:
            return func(*args, **kwargs)
        try:
            return super().__torch_function__(func, types, args, kwargs)
        except RuntimeError:  # numbers beside a meta tensor
            given = tree_map(_without_numbers, (args, kwargs))
            return super().__torch_function__(func, types, *given)


def _without_numbers(value: Any) -> Any:
    return value.to('meta') if isinstance(value, Tensor) else value


def build_on_meta(model: Mapping[str, Any], scope: str) -> nn.Module:
    """Return a model without weights, and without any file that its constructor asks for.

    Args:
        model: its config, which stays as it is.
        scope: the toolbox that its types are looked for in first.

    Raises:
        InputError: only a file that is not here has its sizes.
    """
    import_module(f'{scope}.models')
    with DefaultScope.overwrite_default_scope(scope), _without_weights(), OnMeta():
        return MODELS.build(_buildable(model))


def _buildable(node: Any) -> Any:
    """Return a copy of a config with BatchNorm in place of that of several processes.

    Models of timm start without weights.
    """
    if isinstance(node, Mapping):
        changed = {key: _buildable(value) for key, value in node.items()}
        if changed.get('type') in SEVERAL:
            changed['type'] = 'BN'
        if changed.get('pretrained') is True:
            changed['pretrained'] = False
        return type(node)(changed)
    if isinstance(node, list | tuple):
        return type(node)(_buildable(value) for value in node)
    return node


@contextmanager
def _without_weights() -> Iterator[None]:
    """Let constructors go without the weights that they load or draw."""
    loading = (
        patch.object(checkpoint, '_load_checkpoint', _nothing),
        patch.object(CheckpointLoader, 'load_checkpoint', _refuse),
        patch.object(HTTPBackend, 'get_text', lambda *arguments: '[]'),  # lists of words
        patch.object(HTTPBackend, 'get', lambda *arguments: pickle.dumps([])),
        patch.object(checkpoint, '_load_checkpoint_to_model', _nothing),
        patch.object(BaseModule, 'init_weights', _nothing),
    )
    with ExitStack() as stack:
        for each in (*loading, *stand_ins()):
            stack.enter_context(each)
        yield


def _nothing(*arguments, **options) -> dict:
    """Take the place of what loads or draws weights."""
    return {}


def _refuse(filename: str, *arguments, **options):
    """Take the place of what reads the sizes of a model from its weights."""
    raise InputError(f'{filename}: contains the sizes of the model, and is not read here')
