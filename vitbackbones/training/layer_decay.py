"""Layer-wise learning rates (BEiT, Bao et al. 2022) and no-decay rules for every backbone here.

A parameter of depth d of D learns at ``lr * rate ** (D - 1 - d)``: the stem slowest, the last norm
and everything outside the backbone at the full rate. The backbone itself says how deep a parameter
lies and which of them the published recipe does not decay (``layer_depth``, ``no_weight_decay``),
so this works wherever it sits in a model (docs/clusters.md#switches). All other keys of
``paramwise_cfg`` mean what they mean to mmengine; ``flat_decay_mult=0.0`` takes biases and norms
out of the weight decay.
"""

from torch import nn

from ..backbones import Backbone
from ..errors import InputError
from .param_groups import GroupedOptimWrapperConstructor


def depth_factors(model: nn.Module, rate: float) -> dict[int, tuple[float, bool]]:
    """Return the learning rate factor and weight decay flag of each backbone parameter, by ``id``.

    Raises:
        InputError: the model has no backbone of this package.
    """
    backbones = [module for module in model.modules() if isinstance(module, Backbone)]
    if not backbones:
        raise InputError(
            'optim_wrapper.constructor: layer-wise learning rates require a backbone of '
            f'vitbackbones; {type(model).__name__} has none'
        )
    factors = {}
    for backbone in backbones:
        undecayed = backbone.no_weight_decay()
        for name, parameter in backbone.named_parameters():
            depth, depths = backbone.layer_depth(name)
            factors[id(parameter)] = (rate ** (depths - 1 - depth), name not in undecayed)
    return factors


class LayerDecayOptimWrapperConstructor(GroupedOptimWrapperConstructor):
    """The constructor of every run with the factors of :func:`depth_factors`.

    Args:
        optim_wrapper_cfg: as in mmengine.
        paramwise_cfg: as in mmengine, with ``layer_decay_rate`` (default 1: only no-decay rules).
    """

    def __init__(self, optim_wrapper_cfg: dict, paramwise_cfg: dict | None = None) -> None:
        # mmengine looks at single parameters only if there is something in paramwise_cfg
        super().__init__(optim_wrapper_cfg, {'layer_decay_rate': 1.0, **(paramwise_cfg or {})})

    def adjust(self, single: list[dict], model: nn.Module) -> None:
        """Multiply the rates by their layers' factors, and take out what is not decayed."""
        factors = depth_factors(model, self.paramwise_cfg['layer_decay_rate'])
        for group in single:
            factor, decayed = factors.get(id(group['params'][0]), (1.0, True))
            group['lr'] = group.get('lr', self.base_lr) * factor
            if not decayed:
                group['weight_decay'] = 0.0
