"""Classifiers as one graph, from images to logits. It needs no toolbox."""

from torch import Tensor, nn


class ExportableClassifier(nn.Module):
    """From images (N, 3, H, W) to ``logits`` (N, classes), the scores before softmax.

    Args:
        model: of mmpretrain, or of :func:`~vitbackbones.create_model`.
    """

    outputs = ('logits',)
    fixed_size = ''

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, image: Tensor) -> tuple[Tensor]:
        return (self.model(image),)
