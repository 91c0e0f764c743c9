"""``--freeze``: train a model while parts of its backbone stay unchanged.

``--freeze N`` sets the backbone's own ``frozen_stages``. ``--freeze backbone`` is the key
``frozen`` of a config, which the runner reads, and takes any module: its parameters need no
gradient, so that no graph is kept of its forward pass, and it is always in eval mode, without
dropout or stochastic depth, and with running statistics that stay. Keys of checkpoints stay, too.

Neither folding nor bfloat16 made the forward pass faster on a CPU with AVX512-BF16 (batch 4, 224
pixels, one thread), so a frozen backbone computes as any other: 16 bits come with ``--amp``.
"""

import copy
from types import MethodType

from mmengine.config import Config
from torch import nn

from ..errors import InputError

BACKBONE = 'backbone'


def use_freeze(config: Config, part: str | int) -> Config:
    """Return a copy of ``config`` with a frozen backbone (``'backbone'``) or its first stages.

    Raises:
        InputError: the model has no backbone, or one of fewer stages.
    """
    if config.model.get('backbone') is None:
        raise InputError('--freeze: the model of this config has no backbone')
    config = copy.deepcopy(config)
    if part != BACKBONE:
        stages = config.model.backbone.get('num_stages', part)  # a ResNet of OpenMMLab checks none
        if int(part) > stages:
            raise InputError(
                f'--freeze {part}: the backbone of this config has only {stages} stages'
            )
        config.model.backbone.frozen_stages = part
        return config
    config.frozen = BACKBONE
    return config


def freeze(module: nn.Module) -> None:
    """Freeze a module and any copy of it permanently."""
    module.eval()  # which not every backbone's ``train`` lets return it
    module.requires_grad_(False)
    module.train = MethodType(_stay, module)  # bound, so that a copy gets one of its own


def _stay(module: nn.Module, mode: bool = True) -> nn.Module:
    return module
