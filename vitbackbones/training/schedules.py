"""Schedules that mmengine lacks."""

from mmengine.optim import BaseOptimWrapper
from mmengine.optim import PolyLR as MMEnginePolyLR
from mmengine.optim.scheduler.param_scheduler import INF
from torch.optim import Optimizer


class PolyLR(MMEnginePolyLR):
    """mmengine's ``PolyLR`` with one end for all groups, relative to the lowest of their rates.

    An absolute end (``eta_min``) bends the schedule once ``auto_scale_lr`` changes the rates, and
    a part of each group's own rate is another end for heads that learn faster than the backbone.

    Args:
        optimizer: the optimizer or its wrapper.
        eta_min_ratio: the end of every group, as a part of the lowest initial rate.
        power, begin, end, last_step, by_epoch, verbose: as of mmengine's.
    """

    def __init__(
        self,
        optimizer: Optimizer | BaseOptimWrapper,
        eta_min_ratio: float = 0.0,
        power: float = 1.0,
        begin: int = 0,
        end: int = INF,
        last_step: int = -1,
        by_epoch: bool = True,
        verbose: bool = False,
    ) -> None:
        super().__init__(
            optimizer,
            power=power,
            begin=begin,
            end=end,
            last_step=last_step,
            by_epoch=by_epoch,
            verbose=verbose,
        )
        self.eta_min = eta_min_ratio * min(self.base_values)
