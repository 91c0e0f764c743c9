"""The plain forms as whole classifiers, to be compared and timed beside the package's own.

The plain form of a backbone is in the module called as the backbone's, in its function ``logits``.
"""

from functools import cached_property
from importlib import import_module
from types import ModuleType

from torch import Tensor, nn


def reference_of(host: type[nn.Module]) -> ModuleType:
    """Return the module with the plain form of a backbone's class."""
    return import_module(f'{__package__}.{host.__module__.rpartition(".")[2]}')


class PlainModel(nn.Module):
    """The plain form of a classifier of ``create_model``, with that classifier's own tensors.

    Takes square images of the size that the classifier is made for. Dropout and stochastic depth
    are left out, so in training mode it is the same function where their rates are 0.

    The tensors are looked up at the first call, so move or convert the model before it.

    Args:
        model: the classifier.
    """

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model
        self.reference = reference_of(type(model.backbone))

    @cached_property
    def weights(self) -> dict[str, Tensor]:
        state = self.model.state_dict(keep_vars=True)
        state = {key.removeprefix('backbone.'): value for key, value in state.items()}
        rename = getattr(self.reference, 'in_published_keys', None)
        return rename(self.model.backbone, state) if rename else state

    def forward(self, image: Tensor) -> Tensor:
        """Map images (N, 3, S, S) to logits (N, num_classes)."""
        return self.reference.logits(self.model.backbone, self.weights, image)
