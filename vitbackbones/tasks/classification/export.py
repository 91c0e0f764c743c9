"""Classifiers as one graph, from images to logits."""

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


def exportable(model: nn.Module, output: str) -> nn.Module:
    """Return a classifier as a module from images to logits.

    Args:
        model: of mmpretrain, built and in eval mode. The module shares its weights.
        output: of segmentors, of no meaning here.
    """
    return ExportableClassifier(model)
