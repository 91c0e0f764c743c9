"""The augmented shortcuts of Aug-ViT, Aug-PVT and Aug-T2T (Tang et al., 2021), and their factor.

Aug-ViT's code multiplies the sum of stream, branch and paths by 3/4, which no equation of the paper
has. For Aug-PVT and Aug-T2T no code was published, and after the 48 sums of 24 blocks a millionth
of the stream would be left (docs/evidence.md): there the factor is 1.

It was 3/4 before, and weights serve with the factor alone that they were trained with. So a state
dict holds it, as ``shortcut_scale``, and a model whose ``shortcut`` names no ``scale`` takes it.
"""

import logging

import torch
from torch import Tensor

from ...layers import AugmentedShortcut
from .options import UNCHANGED

LOG = logging.getLogger('vitbackbones')
AUGMENTED = {'type': 'AugmentedShortcut', 'paths': 2, 'blocks': 4}
UNSCALED = {**AUGMENTED, 'scale': 1.0}


class KeepsScale:
    """A host whose augmented shortcuts have the factor of its weights; arguments as of the host."""

    def __init__(self, *arguments, shortcut: dict = UNCHANGED, **options) -> None:
        super().__init__(*arguments, shortcut=shortcut, **options)
        self.shortcut_options = shortcut
        if parts := self._augmented():
            self.register_buffer('shortcut_scale', torch.tensor(float(parts[0].scale)))

    def adapt_state_dict(self, state: dict[str, Tensor], prefix: str = '') -> dict[str, Tensor]:
        """Return ``state`` as the host does, with the factor that the model is to have."""
        state = super().adapt_state_dict(state, prefix)
        if parts := self._augmented():
            key, scale = f'{prefix}shortcut_scale', parts[0].scale
            trained = any(name.startswith(prefix) and '.shortcut_' in name for name in state)
            if trained and 'scale' not in self.shortcut_options:
                before = 0.75 if self.shortcut_options.get('paths', 2) == 2 else 1.0
                scale = state.get(key, before)  # none in files of before
            state[key] = torch.as_tensor(scale, dtype=torch.float32)
        return state

    def _adapt_on_load(self, state: dict[str, Tensor], prefix: str, *args) -> None:
        super()._adapt_on_load(state, prefix, *args)
        parts = [] if 'scale' in self.shortcut_options else self._augmented()
        for part in parts:
            built, part.scale = part.scale, state[f'{prefix}shortcut_scale'].item()
        if parts and built != part.scale:
            LOG.warning(
                f'{type(self).__name__}: these weights were trained with the factor {part.scale:g} '
                'on their shortcuts and keep it; backbone.shortcut.scale sets another'
            )

    def _augmented(self) -> list[AugmentedShortcut]:
        return [part for part in self.modules() if isinstance(part, AugmentedShortcut)]
