"""A checkpoint's tensors for a backbone of another input size or other channels of the image.

Channels are adapted as timm does it. For one channel the weights of all three are summed: an image
of one channel is then answered as the same image three times, one for each. For any other number
they are repeated in turn, and scaled so that their sum over the channels stays about the same. A
LayerNorm in front of the first layer takes the mean in place of the sum.
"""

import logging
import math
from collections.abc import Iterator

from torch import Tensor, nn

from ...errors import InputError, OptionError
from ...layers import fit_position

LOG = logging.getLogger('vitbackbones')
STORED = 3  # channels of the images that checkpoints were trained with


def fit_positions(backbone: nn.Module, state: dict[str, Tensor], prefix: str) -> None:
    """Resize the position codes in ``state`` to the input size of ``backbone``.

    Raises:
        InputError: a position code fits no grid, or lacks this model's class token.
    """
    stored = [entry for entry in backbone.positions() if prefix + entry[0] in state]
    for key, extra, size, mode in stored:
        try:
            state[prefix + key] = fit_position(state[prefix + key], extra, size, mode)
        except OptionError as error:
            raise InputError(f'{prefix}{key}: {error}') from error


def fit_channels(backbone: nn.Module, state: dict[str, Tensor], prefix: str) -> None:
    """Adapt what reads images of three channels in ``state`` to those of ``backbone``."""
    for key, own, channels, fastest in image_weights(backbone):
        stored = state.get(prefix + key)
        if stored is None or stored.shape == own.shape or stored.ndim != own.ndim:
            continue
        adapted = adapt_channels(stored, channels, fastest)
        if adapted is not None and adapted.shape == own.shape:
            state[prefix + key] = adapted
            LOG.info(f'{prefix}{key}: adapted from {STORED} channels to {channels}')


def image_weights(backbone: nn.Module) -> Iterator[tuple[str, nn.Parameter, int, bool]]:
    """Yield what reads the channels of the image: the first convolution, or what a stem declares.

    Yields:
        Key, parameter, channels, and whether the channel is the fastest of what the parameter's
        axis joins. The axis is the second one of weights, and the only one of vectors.
    """
    for name, module in backbone.named_modules():
        is_conv = type(module) is nn.Conv2d
        names = ('weight',) if is_conv else getattr(module, 'image_inputs', ())
        if names:
            own, fastest = dict(module.named_parameters()), getattr(module, 'channels_last', False)
            yield from ((f'{name}.{n}', own[n], module.in_channels, fastest) for n in names)
            return


def adapt_channels(values: Tensor, channels: int, fastest: bool = False) -> Tensor | None:
    """Return what a parameter for images of three channels is for another number.

    Args:
        values: (D, 3, p, q) or (D, 3 * n), what sums over the channels; or the vector (3 * n) of a
            norm.
        channels: wanted in place of the three.
        fastest: whether the channel varies fastest in 3 * n.

    Returns:
        The same with ``channels``; ``None`` if the axis is not one of three channels.
    """
    axis = min(values.ndim - 1, 1)
    if values.shape[axis] % STORED:
        return None
    split = (-1, STORED) if fastest else (STORED, -1)
    x = values.float().unflatten(axis, split).movedim(axis + fastest, 0)  # (3, ...)
    sums = values.ndim > 1
    if channels == 1:
        x = x.sum(0, keepdim=True) if sums else x.mean(0, keepdim=True)
    else:
        times = math.ceil(channels / STORED)
        x = x.repeat(times, *[1] * (x.ndim - 1))[:channels] * (STORED / channels if sums else 1)
    return x.movedim(0, axis + fastest).flatten(axis, axis + 1).to(values.dtype)
