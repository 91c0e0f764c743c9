"""``--lora``: checkpoints with low-rank adapters, and a folder with only the adapters.

``state_dict`` has merged weights, under the keys of a model without adapters. For a resumed run
``unmerged`` has what the layers held. ``WORK_DIR/adapter`` has the adapters of the last checkpoint.
"""

from pathlib import Path

from mmengine.hooks import Hook

from ...configuration.names import config_name
from ...layers.lora import merged_state
from ...weights.adapters import save_adapter
from .ema import AVERAGED, LAST, MMENGINE

UNMERGED = 'unmerged'
BACKBONE = 'backbone.'


class AdaptersHook(Hook):
    """Writes what the module docstring says."""

    priority = 'LOWEST'  # the average of the weights is in the checkpoint by then

    def before_save_checkpoint(self, runner, checkpoint: dict) -> None:
        state = checkpoint['state_dict'].items()
        own = {k.removeprefix(BACKBONE): x for k, x in state if k.startswith(BACKBONE)}
        base = config_name(runner.cfg.filename or 'a config without a file')
        save_adapter(Path(runner.work_dir, 'adapter'), own, base)
        checkpoint[UNMERGED] = {}
        for name in [n for n in ('state_dict', LAST, AVERAGED, MMENGINE) if n in checkpoint]:
            checkpoint[name], checkpoint[UNMERGED][name] = merged_state(checkpoint[name])
