"""The augmented shortcuts of Aug-ViT, Aug-PVT and Aug-T2T (Tang et al., 2021), and their factor.

The code of Aug-ViT multiplies the sum of stream, branch and paths by 3/4, which no equation of the
paper has. No code was published for Aug-PVT and Aug-T2T. With 3/4, a millionth of the stream would
be left there after the 48 sums of 24 blocks (docs/lab/evidence.md), so their factor is 1. It was
3/4 before. A state dict therefore holds the factor that its weights were trained with, as
``shortcut_scale``, and a model whose ``shortcut`` names no ``scale`` takes it.
"""

import logging

import torch
from torch import Tensor

from ...layers import UNKNOWN, AugmentedShortcut, Origin
from ..base import Backbone
from .options import UNCHANGED, BlockOptions

LOG = logging.getLogger('vitbackbones')
AUGMENTED = {'type': 'AugmentedShortcut'}  # with the defaults of its class
UNSCALED = {**AUGMENTED, 'scale': 1.0}


class KeepsScale(BlockOptions, Backbone):
    """A host whose augmented shortcuts have the factor of its weights; arguments as of the host."""

    def __init__(self, *arguments, shortcut: dict = UNCHANGED, **options) -> None:
        super().__init__(*arguments, shortcut=shortcut, **options)
        self.shortcut_options = shortcut
        self.augmented = [part for part in self.modules() if isinstance(part, AugmentedShortcut)]
        for part in self.augmented[:1]:
            self.register_buffer('shortcut_scale', torch.tensor(float(part.scale)))

    def adapt_state_dict(
        self, state: dict[str, Tensor], prefix: str = '', origin: Origin = UNKNOWN
    ) -> dict[str, Tensor]:
        """Return ``state`` as the host does, with the factor that the model is to have."""
        state = super().adapt_state_dict(state, prefix, origin)
        key = f'{prefix}shortcut_scale'
        for part in self.augmented[:1]:
            scale: float | Tensor = part.scale
            trained = any(name.startswith(prefix) and '.shortcut_' in name for name in state)
            if trained and 'scale' not in self.shortcut_options:
                # weights of before the key were trained with the factor of the layer itself
                scale = state.get(key, part.default_scale)
            state[key] = torch.as_tensor(scale, dtype=torch.float32)
        return state

    def _adapt_on_load(self, state: dict[str, Tensor], prefix: str, *args) -> None:
        super()._adapt_on_load(state, prefix, *args)
        if 'scale' in self.shortcut_options or not self.augmented:
            return
        built = self.augmented[0].scale
        trained = state[f'{prefix}shortcut_scale'].item()
        for part in self.augmented:
            part.scale = trained
        if built != trained:
            LOG.warning(
                f'{type(self).__name__}: keeping the shortcut scale {trained:g} that these '
                'weights were trained with. Set backbone.shortcut.scale to override it'
            )
