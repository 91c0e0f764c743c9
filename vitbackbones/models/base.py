"""What the models of :func:`vitbackbones.create_model` share: a backbone under timm's names."""

from collections.abc import Callable

import torch
from torch import nn

from ..backbones import Backbone
from ..layers import fuse_for_inference
from .preprocessing import data_config


class Model(nn.Module):
    """A backbone that knows which pictures it wants.

    Args:
        backbone: any.

    Attributes:
        data_config: how pictures become images for it, as timm writes it (``preprocessing``).
    """

    def __init__(self, backbone: Backbone) -> None:
        super().__init__()
        self.backbone = backbone
        self.data_config = data_config(backbone)

    @property
    def pretrained_cfg(self) -> dict:
        """Return ``data_config``, where ``timm.data.resolve_model_data_config(model)`` looks."""
        return self.data_config

    def no_weight_decay(self) -> set[str]:
        """Return the names of parameters that the published recipe does not decay."""
        return {f'backbone.{name}' for name in self.backbone.no_weight_decay()}

    def group_matcher(self, coarse: bool = False) -> Callable[[str], int]:
        """Return what maps a parameter's name to its depth, for timm's layer-wise decay.

        The depths are those of ``layer_decay_rate`` in a config: 0 for the stem, one more for each
        block, and the last one for the last norm and the head.

        Args:
            coarse: of timm, without effect, as each block is a layer of its own.
        """

        def depth(name: str) -> int:
            part, _, inner = name.partition('.')
            if part == 'backbone':
                return self.backbone.layer_depth(inner)[0]
            return self.backbone.layer_depth('')[1] - 1

        return depth

    def set_grad_checkpointing(self, enable: bool = True) -> None:
        """Recompute the blocks in the backward pass, which saves memory, or stop to do so."""
        self.backbone.with_cp = enable

    def fuse_for_inference(
        self,
        pack: bool | str = 'auto',
        dtype: torch.dtype | None = None,
        compile: bool = False,
    ) -> 'Model':
        """Return a faster copy in eval mode with the same outputs; see ``layers.fuse``."""
        return fuse_for_inference(self, pack, dtype, compile)
