"""Channels, strides and names of feature maps, with the interface of timm."""

from collections.abc import Sequence
from typing import Any


class FeatureInfo(list):
    """One dict for each feature map of a :class:`Features` model, with the keys of timm.

    Its keys are ``num_chs``, ``reduction`` (stride), ``module`` (name of the block or stage) and
    ``index``.

    Args:
        backbone: what makes the maps.

    Attributes:
        out_indices: block or stage behind which each map is read, from 0.
    """

    def __init__(self, backbone: Any) -> None:
        self.out_indices = backbone.out_indices
        name = f'backbone.{backbone.stages_name}'
        each = zip(self.out_indices, backbone.out_channels, backbone.out_strides, strict=True)
        super().__init__(
            {'num_chs': channels, 'reduction': stride, 'module': f'{name}.{i}', 'index': i}
            for i, channels, stride in each
        )

    def channels(self, idx: int | Sequence[int] | None = None) -> int | list[int]:
        """Return the channels of map ``idx``, of several, or of all."""
        return self._of('num_chs', idx)

    def reduction(self, idx: int | Sequence[int] | None = None) -> int | list[int]:
        """Return the stride of map ``idx``, of several, or of all."""
        return self._of('reduction', idx)

    def module_name(self, idx: int | Sequence[int] | None = None) -> str | list[str]:
        """Return the name of the block or stage behind which map ``idx``, several or all are."""
        return self._of('module', idx)

    def _of(self, key: str, idx: int | Sequence[int] | None):
        if isinstance(idx, int):
            return self[idx][key]
        return [self[i][key] for i in (range(len(self)) if idx is None else idx)]
