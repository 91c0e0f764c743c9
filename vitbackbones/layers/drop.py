"""What is dropped in training: single values (dropout) and whole branches (stochastic depth).

Stochastic depth (Huang et al., 2016) acts per sample. Dropout is torch's, in a form that can be
trained under ``torch.compile`` on a CPU as well.
"""

import torch
from torch import Tensor, nn

from ..errors import OptionError


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


def make_dropout(rate: float) -> nn.Module:
    """Return :class:`Dropout`, or the identity at rate 0, where it could never act."""
    require_dropout('drop_rate', rate)
    return nn.Identity() if rate == 0 else Dropout(rate)


def require_dropout(name: str, rate: float) -> None:
    """Raise an ``OptionError`` unless the ``rate`` of dropout is in [0, 1]."""
    if not 0 <= rate <= 1:
        raise OptionError(f'{name}={rate}: must be in [0, 1]')


def require_rate(rate: float) -> None:
    """Raise an ``OptionError`` unless the ``rate`` of stochastic depth is in [0, 1)."""
    if not 0 <= rate < 1:
        raise OptionError(f'drop_path_rate={rate}: must be in [0, 1)')


class DropPath(nn.Module):
    """Zero whole samples with probability ``rate`` in training; scale the kept ones by 1/(1-rate).

    Args:
        rate: probability in [0, 1) that a sample's branch is dropped.

    Raises:
        OptionError: ``rate`` is not in [0, 1).
    """

    def __init__(self, rate: float = 0.0) -> None:
        super().__init__()
        require_rate(rate)
        self.rate = rate
        # a compiler takes a number for a constant, and would compile the block of each rate
        self.keep = torch.tensor(1.0 - rate, device='cpu')

    def forward(self, x: Tensor) -> Tensor:
        """Map (N, ...) to (N, ...); the identity in eval mode or at rate 0."""
        if not self.training:
            return x
        shape = (len(x),) + (1,) * (x.ndim - 1)
        if torch.compiler.is_compiling():
            kept = torch.rand(shape, device=x.device) < self.keep
            return x * (kept / self.keep).to(x.dtype)
        if self.rate == 0.0:
            return x
        keep = 1.0 - self.rate
        mask = torch.empty(shape, dtype=x.dtype, device=x.device)
        return x * mask.bernoulli_(keep).div_(keep)

    def extra_repr(self) -> str:
        return f'rate={self.rate:.3f}'


def make_drop_path(rate: float) -> nn.Module:
    """Return :class:`DropPath`, or the identity at rate 0, where it could never act."""
    return nn.Identity() if rate == 0 else DropPath(rate)


def drop_path_rates(rate: float, depth: int) -> list[float]:
    """Return the linear schedule 0 ... ``rate`` over ``depth`` blocks."""
    require_rate(rate)
    return [rate * i / max(depth - 1, 1) for i in range(depth)]
