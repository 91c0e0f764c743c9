"""The runner, and which lines of its log are shown; the log file in the work dir has all lines.

mmengine prints the environment, the whole config and a table of hooks before the first step:
hundreds of lines in which a warning drowns. Lines of losses name every inner layer of a model.
"""

import csv
import logging
import re
from functools import partial
from pathlib import Path

from mmengine.device import get_device
from mmengine.dist import is_main_process
from mmengine.hooks import EMAHook, Hook
from mmengine.logging import MMLogger
from mmengine.model import convert_sync_batchnorm
from mmengine.runner import Runner as MMEngineRunner
from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm

from ..analysis.run_log import COMMAND
from ..errors import printable
from ..layers.lora import add_adapters
from ..utils.run_files import POINTER
from .frozen import freeze
from .sharding import is_sharded, shard, whole_states

# Beginnings of messages that tell the reader of a screen nothing.
with open(Path(__file__).with_name('boilerplate.csv'), newline='', encoding='utf-8') as _rows:
    BOILERPLATE = (COMMAND, *(row['beginning'] for row in csv.DictReader(_rows)))
# What a line of losses holds besides step, rate, time, memory and the main parts of the loss.
# Losses of inner decoder layers and auxiliary heads, of denoising queries and of the encoder's
# proposals are in the sum.
SIDE_VALUES = re.compile(
    r'\s+(data_time|grad_norm|([\w.]+\.)?(d|aux[_.])\d+\.\S+|(dn|enc)_loss_\S+): \S+'
    r'|base_lr: (\S+) (?=lr: \5 )'  # one rate for all
)


class QuietRunner(MMEngineRunner):
    """mmengine's runner with a readable console, and the keys ``frozen``, ``lora`` and ``fsdp``."""

    def register_default_hooks(self, hooks: dict | None = None) -> None:
        """Register hooks by their names; in place of ``None``, which takes out any of them, none.

        mmengine's takes out its own alone.
        """
        super().register_default_hooks(
            {name: hook or Hook() for name, hook in (hooks or {}).items()}
        )

    def build_model(self, model: dict | nn.Module) -> nn.Module:
        model = super().build_model(model)
        backbone = getattr(model, 'backbone', None)
        if backbone is None:  # a test of several views, in tiles or of an exported file
            return model
        if self.cfg.get('frozen'):
            freeze(backbone)
        if self.cfg.get('lora'):
            add_adapters(backbone, self.cfg.lora)
            for norm in (part for part in backbone.modules() if isinstance(part, _BatchNorm)):
                freeze(norm)
        return model

    # ------------------------------------------------------------------------ sharded weights

    def wrap_model(self, wrapper: dict | None, model: nn.Module) -> nn.Module:
        if not (self.cfg.get('fsdp') and self.distributed):
            return super().wrap_model(wrapper, model)
        model = model.to(get_device())
        sync = self.cfg.get('sync_bn')
        return convert_sync_batchnorm(model, sync) if sync else model

    def _init_model_weights(self) -> None:
        super()._init_model_weights()
        if self.cfg.get('fsdp') and self.distributed:
            shard(self.model, self.optim_wrapper.optimizer, self._averages())

    def save_checkpoint(self, *place, save_optimizer: bool = True, **options) -> None:
        """Save as mmengine does; of sharded weights the first process gets all parts."""
        save = partial(super().save_checkpoint, *place, save_optimizer=save_optimizer, **options)
        if not is_sharded(self.model):
            save()
            return
        averages = [hook.ema_model.module for hook in self._averages()]
        with whole_states([self.model, *averages], self.optim_wrapper.optimizer):
            if is_main_process():
                save()
                return
            # what the first process asks for
            self.model.state_dict()
            if save_optimizer:
                self.optim_wrapper.state_dict()
            self.call_hook('before_save_checkpoint', checkpoint={'meta': {}, 'state_dict': {}})

    def _averages(self) -> list[EMAHook]:
        return [hook for hook in self.hooks if isinstance(hook, EMAHook)]

    # ------------------------------------------------------------------------ what is shown

    def build_logger(self, **options) -> MMLogger:
        logger = super().build_logger(**options)
        for handler in logger.handlers:
            if type(handler) is logging.StreamHandler:
                handler.addFilter(_worth_showing)
                handler.setFormatter(_ForTheScreen())
        return logger


class EvaluatingRunner(QuietRunner):
    """The runner of a test, which leaves the config of a training in its work dir as it is."""

    def dump_config(self) -> None:
        if not Path(self.work_dir, POINTER).exists():
            super().dump_config()


class FirstStepHook(Hook):
    """Shows the first step, because on a CPU the first log line at step 50 takes minutes."""

    shown = False

    def after_train_iter(self, runner, batch_idx, data_batch=None, outputs=None) -> None:
        if not self.shown:
            self.shown = True
            _, line = runner.log_processor.get_log_after_iter(runner, batch_idx, 'train')
            runner.logger.info(line)


def _worth_showing(record: logging.LogRecord) -> bool:
    """Keep warnings, tables, and single lines that are neither boilerplate nor said elsewhere."""
    message = record.getMessage()
    # heads of RTMDet share their convolutions, which a config says by bypass_duplicate
    if message.startswith(BOILERPLATE) or message.endswith('since bypass_duplicate=True'):
        return False
    if record.levelno > logging.INFO:
        return True
    if '\n' in message:
        return message.lstrip().startswith('+--')
    # the verb prints the metrics of a test in a table
    return (record.filename, record.funcName) != ('logger_hook.py', 'after_test_epoch')


class _ForTheScreen(logging.Formatter):
    """Writes the time, the level of what is no mere information, and the main values of a line.

    Names of classes and files that the terminal would obey are shown instead.
    """

    def __init__(self) -> None:
        super().__init__('%(asctime)s', datefmt='%m/%d %H:%M:%S')

    def format(self, record: logging.LogRecord) -> str:
        return printable(super().format(record))

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        level = '' if record.levelno == logging.INFO else f'{record.levelname.lower()}: '
        return f'{record.asctime} {level}{SIDE_VALUES.sub("", record.message)}'
