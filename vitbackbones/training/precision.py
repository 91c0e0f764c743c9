"""``--amp``: mixed precision on whatever device there is.

bfloat16 has float32's range and needs no loss scaling, so it is taken wherever the device
computes in it; float16 with mmengine's loss scaling otherwise. mmengine's own
``AmpOptimWrapper`` refuses to work without an accelerator.
"""

import copy
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from mmengine.config import Config
from mmengine.device import get_device
from mmengine.optim import OptimWrapper
from torch import nn

from ..errors import InputError
from ..registry import bare_name


class Bf16OptimWrapper(OptimWrapper):
    """``OptimWrapper`` with bfloat16 autocast around the forward pass, on any device."""

    @contextmanager
    def optim_context(self, model: nn.Module) -> Iterator[None]:
        with super().optim_context(model), torch.autocast(get_device(), torch.bfloat16):
            yield


def half_type(device_type: str) -> torch.dtype:
    """Return the 16-bit type for ``cpu``, ``cuda`` or ``mps``: float16 on GPUs without bfloat16."""
    old_gpu = device_type == 'cuda' and not torch.cuda.is_bf16_supported(including_emulation=False)
    return torch.float16 if old_gpu else torch.bfloat16


def lacks_accelerator(config: Config) -> bool:
    """Return whether mmengine's wrapper would refuse to work on this device."""
    kind = (config.get('optim_wrapper') or {}).get('type', '')
    return bare_name(kind) == 'AmpOptimWrapper' and get_device() in ('cpu', 'mps')


def use_amp(config: Config) -> Config:
    """Return a copy of ``config`` whose optimizer wrapper trains in mixed precision.

    Raises:
        InputError: the config has a wrapper of another kind.
    """
    kind = config.optim_wrapper.get('type', 'OptimWrapper')
    if bare_name(kind) not in ('OptimWrapper', 'AmpOptimWrapper', 'Bf16OptimWrapper'):
        raise InputError(f'--amp: optim_wrapper.type={kind!r} does not support mixed precision')
    config = copy.deepcopy(config)
    if half_type(get_device()) is torch.float16:
        config.optim_wrapper.update(type='AmpOptimWrapper', dtype='float16', loss_scale='dynamic')
        return config
    for key in ('dtype', 'loss_scale', 'use_fsdp'):
        config.optim_wrapper.pop(key, None)
    config.optim_wrapper.type = 'vitbackbones.Bf16OptimWrapper'
    return config
