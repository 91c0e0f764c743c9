"""The two-layer perceptron of a transformer block."""

from torch import Tensor, nn


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
        self.drop = nn.Dropout(drop_rate)

    def forward(self, x: Tensor) -> Tensor:
        """Map (..., embed_dims) to (..., embed_dims)."""
        return self.drop(self.fc2(self.drop(self.act(self.fc1(x)))))
