"""Running configs: the guards before, during and after a run, and the hooks they need."""

from .ema import EMAHook
from .eval_mode import EvalModeHook
from .exact import ExactResumeHook
from .finite import FiniteLossHook
from .gathering import GatherHook
from .interrupt import InterruptHook
from .layer_decay import LayerDecayOptimWrapperConstructor
from .log_folder import LogFolderHook
from .progress import ProgressHook
from .resuming import FittingCheckpointHook
from .saving import CheckpointHook
from .schedules import PolyLR
from .sharding import FSDPStrategy
from .statistics import SameStatisticsHook
from .unreadable import UnreadableImagesHook
from .workers import DataWorkersHook

__all__ = [
    'CheckpointHook',
    'DataWorkersHook',
    'EMAHook',
    'EvalModeHook',
    'ExactResumeHook',
    'FSDPStrategy',
    'FiniteLossHook',
    'FittingCheckpointHook',
    'GatherHook',
    'InterruptHook',
    'LayerDecayOptimWrapperConstructor',
    'LogFolderHook',
    'PolyLR',
    'ProgressHook',
    'SameStatisticsHook',
    'UnreadableImagesHook',
]
