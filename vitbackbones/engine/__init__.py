"""Running configs: the guards before, during and after a run, and the hooks they need."""

from .eval_mode import EvalModeHook
from .exact import ExactResumeHook
from .interrupt import InterruptHook
from .progress import ProgressHook
from .resuming import FittingCheckpointHook
from .saving import CheckpointHook

__all__ = [
    'CheckpointHook',
    'ExactResumeHook',
    'EvalModeHook',
    'FittingCheckpointHook',
    'InterruptHook',
    'ProgressHook',
]
