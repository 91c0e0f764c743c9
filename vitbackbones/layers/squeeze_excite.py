"""Squeeze-and-excitation of an MLP's output (Hu et al., 2018), as in TNT-S with SE.

The channels are gated by the mean token t_ of the output t, with a tanh, so that the gate can
also turn a channel's sign: t + t * tanh(W2 relu(W1 LN(t_))).
"""

import torch.nn.functional as F
from torch import Tensor, nn

from .block import Mlp


class SqueezeExcite(nn.Module):
    """t * tanh(fc2(relu(fc1(LN(mean of t over all tokens, the class token included)))))."""

    def __init__(self, embed_dims: int, hidden_dims: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(embed_dims, eps=1e-5)
        self.fc1 = nn.Linear(embed_dims, hidden_dims)
        self.fc2 = nn.Linear(hidden_dims, embed_dims)

    def forward(self, x: Tensor) -> Tensor:
        """Map (N, L, C) to (N, L, C)."""
        mean = self.norm(x.mean(1, keepdim=True))  # (N, 1, C)
        return x * self.fc2(F.relu(self.fc1(mean))).tanh()


class ExcitedMlp(Mlp):
    """An MLP plus its own gated output; the gate is C / 4 wide. Arguments as :class:`Mlp`."""

    fold_for_inference = Mlp.fold_for_inference

    def __init__(self, embed_dims: int, hidden_dims: int, drop_rate: float = 0.0) -> None:
        super().__init__(embed_dims, hidden_dims, drop_rate)
        self.se = SqueezeExcite(embed_dims, embed_dims // 4)

    def forward(self, x: Tensor) -> Tensor:
        """Map (N, L, embed_dims) to (N, L, embed_dims)."""
        x = super().forward(x)
        return x + self.se(x)
