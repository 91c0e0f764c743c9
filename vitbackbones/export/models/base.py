"""A model as a graph, and the plainest: a classifier."""

from torch import Tensor, nn


class Exportable(nn.Module):
    """A model as an exported file has it; see :func:`exportable`.

    Args:
        model: shares its weights.
    """

    outputs: tuple[str, ...] = ()
    fixed_size = ''

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model


class ExportableClassifier(Exportable):
    """From images (N, 3, H, W) to ``logits`` (N, classes), the scores before softmax.

    Args:
        model: of mmpretrain, or of :func:`~vitbackbones.create_model`, which needs no toolbox.
    """

    outputs = ('logits',)

    def forward(self, image: Tensor) -> tuple[Tensor]:
        return (self.model(image),)


class FromRGB(Exportable):
    """A network of images whose first channel is blue, as of Caffe, that gets RGB images.

    Args:
        model: any other :class:`Exportable`.
    """

    def __init__(self, model: Exportable) -> None:
        super().__init__(model)
        self.outputs = model.outputs

    def forward(self, image: Tensor) -> tuple[Tensor, ...]:
        return self.model(image.flip(1))
