"""``init_cfg=dict(type='vitbackbones.Pretrained', checkpoint=...)`` for any mmengine module."""

from collections.abc import Sequence

from torch import nn

from ..checkpoints.filling import load_pretrained


class Pretrained:
    """Fills a module from a checkpoint, with a count of what was filled.

    Backbones of this package read a plain ``type='Pretrained'`` in the same way. Arguments as in
    :func:`load_pretrained`.
    """

    def __init__(
        self,
        checkpoint: str,
        allow_missing: Sequence[str] = (),
        format: str | None = None,
        allow_unused: Sequence[str] = (),
        state_key: str | None = None,
    ) -> None:
        self.arguments = {
            'checkpoint': checkpoint,
            'allow_missing': allow_missing,
            'format': format,
            'allow_unused': allow_unused,
            'state_key': state_key,
        }

    def __call__(self, module: nn.Module) -> None:
        load_pretrained(module, **self.arguments)
