"""Any model of the toolboxes as shapes alone: no memory for its weights, no time to draw them.

Backbones of the toolboxes compute their rates of stochastic depth with ``torch.linspace`` and read
the numbers from the result. A meta tensor has none, so such factories stay on the CPU.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import torch
from mmengine.registry import MODELS, DefaultScope
from torch import nn
from torch.utils._device import DeviceContext

SEVERAL = ('SyncBN', 'MMSyncBN')
WITH_NUMBERS = (torch.linspace, torch.arange, torch.tensor)


class OnMeta(DeviceContext):
    """``torch.device('meta')`` as a context, except for factories whose numbers are read."""

    def __init__(self) -> None:
        super().__init__(torch.device('meta'))

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func in WITH_NUMBERS:
            return func(*args, **(kwargs or {}))
        return super().__torch_function__(func, types, args, kwargs)


def build_on_meta(model: Mapping[str, Any], scope: str) -> nn.Module:
    """Return a model without weights.

    Args:
        model: its config, which stays as it is.
        scope: the toolbox that its types are looked for in first.
    """
    import_module(f'{scope}.models')
    with DefaultScope.overwrite_default_scope(scope), OnMeta():
        return MODELS.build(_one_process(model))


def _one_process(node: Any) -> Any:
    """Return a copy of a config with BatchNorm in place of that of several processes."""
    if isinstance(node, Mapping):
        changed = {key: _one_process(value) for key, value in node.items()}
        return type(node)(changed | {'type': 'BN'} if changed.get('type') in SEVERAL else changed)
    if isinstance(node, list | tuple):
        return type(node)(_one_process(value) for value in node)
    return node
