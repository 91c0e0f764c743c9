"""Classifiers as one graph, from images to logits."""

from torch import Tensor, nn


class ExportableClassifier(nn.Module):
    """Map images (N, 3, H, W) to ``logits`` (N, classes), which softmax makes scores of.

    Args:
        model: of mmpretrain.
    """

    outputs = ('logits',)
    fixed_size = ''

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, image: Tensor) -> tuple[Tensor]:
        return (self.model(image, mode='tensor'),)


def exportable(model: nn.Module, output: str) -> nn.Module:
    """Return a classifier as a module from images to logits.

    Args:
        model: of mmpretrain, built and in eval mode. The module shares its weights.
        output: of segmentors, of no meaning here.
    """
    return ExportableClassifier(model)
