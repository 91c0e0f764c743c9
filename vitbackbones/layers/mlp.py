"""The two-layer perceptron of a transformer block."""

import torch
from torch import Tensor, nn

from .dropout import Dropout


class Mlp(nn.Module):
    """fc2(GELU(fc1(x))) on every token, with the exact (erf) GELU.

    Args:
        embed_dims: width of the tokens.
        hidden_dims: width between the two layers.
        drop_rate: dropout after each layer.
    """

    def __init__(self, embed_dims: int, hidden_dims: int, drop_rate: float = 0.0) -> None:
        super().__init__()
        self.fc1 = nn.Linear(embed_dims, hidden_dims)
        self.act = nn.GELU()
        self.fc2 = nn.Linear(hidden_dims, embed_dims)
        self.drop = Dropout(drop_rate)

    def forward(self, x: Tensor) -> Tensor:
        """Map (..., embed_dims) to (..., embed_dims)."""
        return self.drop(self.fc2(self.drop(self.act(self.fc1(x)))))

    def fold_for_inference(self) -> None:
        """Let the activation overwrite its input, see ``layers.fuse``."""
        if type(self.act) is nn.GELU:
            self.act = InPlaceGELU()


class InPlaceGELU(nn.Module):
    """The exact GELU, written over its input."""

    def forward(self, x: Tensor) -> Tensor:
        """Map any shape to itself."""
        return torch.ops.aten.gelu_(x)
