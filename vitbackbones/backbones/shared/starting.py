"""What the weights of a backbone start from: initializers, and checkpoints made to fit.

OpenMMLab's face of a backbone is ``init_cfg`` and ``init_weights``, as mmengine asks a module for
these two and no more. They behave as those of its ``BaseModule``: initializers first, then the
parts, then checkpoints, and a second call does nothing. So a backbone can be registered in the
registry of any toolbox. mmengine is imported only for an initializer of its own.

A checkpoint of another input size or other channels of the image is adapted. Channels are, as timm
does it: for one channel the weights of all three are summed, so that an image of one channel is
answered as the same image three times. For any other number they are repeated in turn, and scaled
so that their sum over the channels stays about the same.
"""

import logging
import math
from collections.abc import Iterable
from typing import NamedTuple

from torch import Tensor, nn

from ...errors import InputError, OptionError
from ...layers import Origin, fit_position
from ...utils.messages import cut
from ...weights.filling import load_pretrained, pretrained_options

LOG = logging.getLogger('vitbackbones')
STORED = 3  # channels of the images that checkpoints were trained with


class Position(NamedTuple):
    """A learned position code of a backbone.

    Attributes:
        key: of the parameter.
        tokens: that come before those of the grid and have a position, such as the class token.
        grid: rows and columns that it is made for.
        mode: how it is resized, ``'bicubic'`` or ``'bilinear'``.
    """

    key: str
    tokens: int
    grid: tuple[int, int]
    mode: str


class InitCfgMixin(nn.Module):
    """A module that is initialized by what its attribute ``init_cfg`` says.

    ``init_cfg`` is ``None``, a dict or a list of dicts. One with ``type='Pretrained'`` (or
    ``'vitbackbones.Pretrained'``) holds arguments of
    :func:`~vitbackbones.weights.filling.load_pretrained`, any other names an initializer of
    mmengine.
    """

    init_cfg: dict | list[dict] | None = None
    is_init = False  # mmengine's name: nothing is left for init_weights to do

    def init_weights(self) -> None:
        """Initialize as ``init_cfg`` says; without it, only the parts that have an own one.

        Raises:
            InputError: a checkpoint does not fill the module.
            OptionError: ``init_cfg`` is not of this form.
        """
        if self.is_init:
            return
        given = self.init_cfg if isinstance(self.init_cfg, list) else [self.init_cfg or {}]
        for config in given:
            if not isinstance(config, dict) or config and 'type' not in config:
                example = "dict(type='vitbackbones.Pretrained', checkpoint=FILE)"
                raise OptionError(f'init_cfg={cut(config)}: must be a dict such as {example}')
        others = [config for config in given if config and pretrained_options(config) is None]
        if others:
            from mmengine.model import initialize

            initialize(self, others)
        for part in self.children():
            initialize_part = getattr(part, 'init_weights', None)
            if initialize_part is not None and not getattr(part, 'is_init', False):
                initialize_part()
        for config in given:
            options = pretrained_options(config)
            if options is not None:
                load_pretrained(self, **options)
        self.is_init = True


def trunc_normal_linears(module: nn.Module, std: float = 0.02) -> None:
    """Fill every linear layer below ``module``: truncated normal weights, zero biases."""
    for layer in module.modules():
        if isinstance(layer, nn.Linear):
            nn.init.trunc_normal_(layer.weight, std=std)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)


def fit_positions(
    positions: Iterable[Position], state: dict[str, Tensor], prefix: str, origin: Origin
) -> None:
    """Resize the position codes in ``state``, of this ``origin``, to those of a backbone.

    Raises:
        InputError: a position code fits no grid, or lacks this model's class token.
    """
    for key, tokens, grid, mode in positions:
        if prefix + key not in state:
            continue
        place = prefix + key[: key.rfind('.') + 1]
        leading = sum(f'{place}{token}' in state for token in ('cls_token', 'dist_token'))
        try:
            state[prefix + key] = fit_position(
                state[prefix + key], tokens, grid, mode, leading, origin
            )
        except OptionError as error:
            raise InputError(f'{prefix}{key}: {error}') from error


def fit_channels(backbone: nn.Module, state: dict[str, Tensor], prefix: str) -> None:
    """Adapt the first layer in ``state``, if it is a convolution, to the channels of ``backbone``.

    Stems that begin otherwise (T2T-ViT's, SimpleViT's) need weights of their own channels.
    """
    convs = (each for each in backbone.named_modules() if isinstance(each[1], nn.Conv2d))
    name, conv = next(convs, ('', None))
    stored = state.get(f'{prefix}{name}.weight')
    if conv is None or stored is None or stored.ndim != 4 or stored.shape[1] != STORED:
        return
    if conv.in_channels != STORED:
        state[f'{prefix}{name}.weight'] = adapt_channels(stored, conv.in_channels)
        LOG.info(f'{prefix}{name}: adapted from {STORED} channels to {conv.in_channels}')


def adapt_channels(weight: Tensor, channels: int) -> Tensor:
    """Return what a convolution's weight (D, 3, p, q) is for ``channels``, (D, channels, p, q)."""
    x = weight.float()
    if channels == 1:
        x = x.sum(1, keepdim=True)
    else:
        times = math.ceil(channels / STORED)
        x = x.repeat(1, times, 1, 1)[:, :channels] * (STORED / channels)
    return x.to(weight.dtype)
