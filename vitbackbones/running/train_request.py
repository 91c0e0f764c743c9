"""What a training is asked for."""

import math
from dataclasses import KW_ONLY, dataclass

from ..errors import InputError
from ..trackers.backends import TRACKERS
from ..training.frozen import BACKBONE
from .request import RunRequest

FOLLOWED_BY = ('page', *TRACKERS)


@dataclass(frozen=True)
class TrainRequest(RunRequest):
    """What a training is asked for, as ``vitbackbones train --help`` describes it.

    Attributes:
        pretrained, scratch: what the backbone starts from.
        resume: a checkpoint to continue from, ``'latest'`` for that of the work dir.
        overwrite: start from the beginning, and remove the checkpoints of the work dir.
        steps, epochs: length of the run, see :func:`~..configuration.length.with_length`.
        freeze: ``'backbone'``, or the number of its first stages.
        lora: rank of adapters.
        cache_gb, cache_views: of the maps of a frozen backbone.
        amp, fsdp, compile: how it is computed.
        track: what follows the run.
        overfit, smoke: a short run in place of the training.
    """

    _: KW_ONLY
    pretrained: str | None = None
    scratch: bool = False
    resume: str | None = None
    overwrite: bool = False
    steps: int | None = None
    epochs: int | None = None
    freeze: str | int | None = None
    lora: int | None = None
    cache_gb: float | None = None
    cache_views: int | None = None
    amp: bool = False
    fsdp: bool = False
    compile: bool = False
    track: tuple[str, ...] = ()
    overfit: int | None = None
    smoke: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require_at_least(1, 'steps', 'epochs', 'lora', 'cache_views', 'overfit')
        self.require_one_of('track', FOLLOWED_BY)
        self.require_apart('pretrained', 'scratch')
        self.require_apart('resume', 'overwrite')
        self.require_apart('steps', 'epochs')
        self.require_apart('overfit', 'smoke')
        if isinstance(self.freeze, str) and self.freeze != BACKBONE:
            raise InputError(f'--freeze {self.freeze}: must be "{BACKBONE}" or a number of stages')
        if self.cache_gb is not None and not 0 < self.cache_gb < math.inf:
            raise InputError(f'--cache-gb {self.cache_gb}: must be a number above 0')
