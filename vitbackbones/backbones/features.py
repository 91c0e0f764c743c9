"""Maps of a backbone in a list, as timm's ``features_only=True`` gives them."""

from collections.abc import Sequence

from torch import Tensor

from . import Backbone
from .classifier import Model


class FeatureInfo:
    """What a :class:`Features` returns, map by map, in timm's words.

    Args:
        backbone: a host of :data:`~vitbackbones.backbones.HOSTS`.

    Attributes:
        out_indices: block or stage behind which each map is read, from 0.
        info: a dict for each map with its ``num_chs``, ``reduction`` (stride), ``module`` (name of
            the block or stage) and ``index``.
    """

    def __init__(self, backbone: Backbone) -> None:
        self.out_indices = backbone.out_indices
        each = zip(self.out_indices, backbone.out_channels, backbone.out_strides, strict=True)
        self.info = [
            {
                'num_chs': channels,
                'reduction': stride,
                'module': f'backbone.{backbone.stages_name}.{index}',
                'index': index,
            }
            for index, channels, stride in each
        ]

    def channels(self, idx: int | Sequence[int] | None = None) -> int | list[int]:
        """Return the channels of map ``idx``, of several, or of all."""
        return self._of('num_chs', idx)

    def reduction(self, idx: int | Sequence[int] | None = None) -> int | list[int]:
        """Return the stride of map ``idx``, of several, or of all."""
        return self._of('reduction', idx)

    def module_name(self, idx: int | Sequence[int] | None = None) -> str | list[str]:
        """Return the name of the block or stage behind which map ``idx``, several or all are."""
        return self._of('module', idx)

    def get_dicts(self) -> list[dict]:
        """Return all that is known of each map."""
        return self.info

    def _of(self, key: str, idx: int | Sequence[int] | None):
        if isinstance(idx, int):
            return self.info[idx][key]
        return [self.info[i][key] for i in (range(len(self)) if idx is None else idx)]

    def __len__(self) -> int:
        return len(self.info)

    def __getitem__(self, index: int) -> dict:
        return self.info[index]


class Features(Model):
    """A backbone that returns a list of maps; its keys are those of the classifier.

    Args:
        backbone: with ``out_type='featmap'``.

    Attributes:
        feature_info: channels and strides of the maps.
    """

    def __init__(self, backbone: Backbone) -> None:
        super().__init__(backbone)
        self.feature_info = FeatureInfo(backbone)

    def forward(self, image: Tensor) -> list[Tensor]:
        """Map images (N, in_channels, H, W) to maps (N, C, ceil(H / stride), ceil(W / stride))."""
        return list(self.backbone(image))


def last_indices(out_indices: int | str | Sequence[int]) -> int | str | Sequence[int]:
    """Return ``out_indices`` of a backbone for what timm takes: a number n means the last n maps.

    >>> last_indices(3)
    (-3, -2, -1)
    """
    last = isinstance(out_indices, int) and out_indices > 0
    return tuple(range(-out_indices, 0)) if last else out_indices
