"""OpenMMLab's face of a backbone: ``init_cfg`` and ``init_weights``, without OpenMMLab.

mmengine asks a module for these two and no more. They behave as those of its ``BaseModule``:
initializers first, then the parts, then checkpoints, and a second call does nothing. So a backbone
can be registered in the registry of any toolbox. mmengine is imported only for an initializer of
its own.
"""

from torch import nn

from ...errors import OptionError
from ...utils.messages import cut
from ...weights.filling import load_pretrained, pretrained_options


class InitCfgMixin:
    """Let an ``nn.Module`` be initialized by what its attribute ``init_cfg`` says.

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
            if hasattr(part, 'init_weights') and not getattr(part, 'is_init', False):
                part.init_weights()
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
