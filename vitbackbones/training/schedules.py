"""Schedules that mmengine lacks."""

from mmengine.optim import BaseOptimWrapper
from mmengine.optim import PolyLR as MMEnginePolyLR
from torch.optim import Optimizer


class PolyLR(MMEnginePolyLR):
    """mmengine's ``PolyLR`` with one end for all groups, relative to the lowest of their rates.

    An absolute end (``eta_min``) bends the schedule once ``auto_scale_lr`` changes the rates, and
    a part of each group's own rate is another end for heads that learn faster than the backbone.

    Args:
        optimizer: the optimizer or its wrapper.
        eta_min_ratio: the end of every group, as a part of the lowest initial rate.
        options: as of mmengine's.
    """

    def __init__(
        self, optimizer: Optimizer | BaseOptimWrapper, eta_min_ratio: float = 0.0, **options
    ) -> None:
        super().__init__(optimizer, eta_min=0, **options)
        self.eta_min = eta_min_ratio * min(self.base_values)
