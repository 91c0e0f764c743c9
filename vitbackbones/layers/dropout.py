"""Dropout that can be trained under ``torch.compile`` on a CPU, too."""

import torch
from torch import Tensor, nn


class Dropout(nn.Dropout):
    """``nn.Dropout`` for tokens that become a map later.

    The gradient of such tokens is a transposed map. For it, torch's own backward of dropout has
    other strides on a CPU than the compiler takes it to have, and the ``aot_eager`` backend fails.
    Compiled, a mask is multiplied, whose gradient has none of this.
    """

    def forward(self, x: Tensor) -> Tensor:
        """Map a tensor of any shape to one of the same shape; the identity in eval mode."""
        if self.training and torch.compiler.is_compiling():
            return x * super().forward(torch.ones_like(x))
        return super().forward(x)
