"""DeiT's two linear heads, for mmpretrain.

Touvron et al., "Training data-efficient image transformers", ICML 2021, Sec. 4: the head of the
class token learns the labels, that of the distillation token a teacher's decision. The model's
answer is the mean of both logits.
"""

from mmpretrain.models.heads import LinearClsHead
from torch import Tensor, nn


class DistillationHead(LinearClsHead):
    """mmpretrain's ``LinearClsHead`` with a second classifier, for ``out_type='cls_dist_tokens'``.

    Without a teacher (``type='vitbackbones.ImageClassifier'``) the mean of the logits learns the
    labels, as in timm; with one see :class:`~.distillation.Distilled`.

    Args:
        num_classes, in_channels: widths of each classifier.
        options: as of ``LinearClsHead``.
    """

    def __init__(self, num_classes: int, in_channels: int, **options) -> None:
        super().__init__(num_classes, in_channels, **options)
        self.fc_dist = nn.Linear(in_channels, num_classes)

    def both(self, features: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
        """Return the logits (N, classes) of the class token and of the distillation token.

        Args:
            features: the backbone's outputs; the last is (N, 2, in_channels).
        """
        tokens = self.pre_logits(features)
        return self.fc(tokens[:, 0]), self.fc_dist(tokens[:, 1])

    def forward(self, features: tuple[Tensor, ...]) -> Tensor:
        """Return the mean of both logits (N, classes)."""
        by_class, by_distillation = self.both(features)
        return (by_class + by_distillation) / 2
