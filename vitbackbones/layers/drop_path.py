"""Stochastic depth (Huang et al., 2016), per sample."""

import torch
from torch import Tensor, nn

from ..errors import OptionError


def require_rate(rate: float) -> None:
    """Refuse what is no rate of stochastic depth.

    Raises:
        OptionError: ``rate`` is not in [0, 1).
    """
    if not 0 <= rate < 1:
        raise OptionError(f'drop_path_rate={rate}: a rate of stochastic depth is in [0, 1)')


class DropPath(nn.Module):
    """Zero whole samples with probability ``rate`` in training; scale the kept ones by 1/(1-rate).

    Args:
        rate: probability in [0, 1) that a sample's branch is dropped.

    Raises:
        OptionError: the rate is none.
    """

    def __init__(self, rate: float = 0.0) -> None:
        super().__init__()
        require_rate(rate)
        self.rate = rate

    def forward(self, x: Tensor) -> Tensor:
        """Map (N, ...) to (N, ...); the identity in eval mode or at rate 0."""
        if self.rate == 0.0 or not self.training:
            return x
        keep = 1.0 - self.rate
        mask = torch.empty((len(x),) + (1,) * (x.ndim - 1), dtype=x.dtype, device=x.device)
        return x * mask.bernoulli_(keep).div_(keep)

    def extra_repr(self) -> str:
        return f'rate={self.rate:.3f}'


def drop_path_rates(rate: float, depth: int) -> list[float]:
    """Return the linear schedule 0 ... ``rate`` over ``depth`` blocks.

    Raises:
        OptionError: ``rate`` is not in [0, 1).
    """
    require_rate(rate)
    return [rate * i / max(depth - 1, 1) for i in range(depth)]
