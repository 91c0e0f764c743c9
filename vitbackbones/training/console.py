"""The runners, and what of a run's log is shown; the log file in the work dir keeps all of it.

mmengine prints the environment, the whole config and a table of hooks before the first step:
hundreds of lines in which a warning drowns. Lines of losses name every inner layer of a model.
"""

import logging
import re
import sys

from mmengine.config import Config
from mmengine.hooks import Hook
from mmengine.logging import MMLogger
from mmengine.runner import FlexibleRunner
from mmengine.runner import Runner as MMEngineRunner
from tqdm import tqdm

from ..errors import printable
from ..utils.messages import on_terminal

# Beginnings of messages that tell the reader of a screen nothing.
BOILERPLATE = (
    '"FileClient" will be deprecated',
    '"HardDiskBackend" is the alias',
    'Checkpoints will be saved to',  # the work dir, which the first lines name
    'Distributed training is not used',
    'Exp name',
    'Loads checkpoint by',  # the next line is "Load checkpoint from"
    'Resumed iteration number is not divisible',  # ExactResumeHook says what is lost
    'The prefix is not set',
    'paramwise_options',
    'per class results',  # the title of a table
    # pycocotools, and what the line of the metrics says, too
    'loading annotations into memory',
    'Loading and preparing results',
    'creating index',
    'index created',
    'Running per image evaluation',
    'Evaluate annotation type',
    'Accumulating evaluation results',
    'Done (t=',
    'DONE (t=',
    ' Average Precision',
    ' Average Recall',
    'bbox_mAP_copypaste',
    'segm_mAP_copypaste',
)
# What a line of losses holds besides step, rate, time, memory and the main parts of the loss.
# Losses of inner decoder layers and auxiliary heads, of denoising queries and of the encoder's
# proposals are in the sum.
SIDE_VALUES = re.compile(
    r'\s+(data_time|grad_norm|([\w.]+\.)?(d|aux[_.])\d+\.\S+|(dn|enc)_loss_\S+): \S+'
    r'|base_lr: (\S+) (?=lr: \5 )'  # one rate for all
)


class OptionalHooks:
    """A runner in which ``None`` takes out any default hook; mmengine's takes out its own alone."""

    def register_default_hooks(self, hooks: dict | None = None) -> None:
        """Register hooks by their names; in place of ``None`` one that does nothing."""
        super().register_default_hooks(
            {name: hook or Hook() for name, hook in (hooks or {}).items()}
        )


class QuietRunner(OptionalHooks, MMEngineRunner):
    """mmengine's runner with a readable console."""

    def build_logger(self, **options) -> MMLogger:
        logger = super().build_logger(**options)
        for handler in logger.handlers:
            if type(handler) is logging.StreamHandler:
                handler.addFilter(_worth_showing)
                handler.setFormatter(_ForTheScreen())
                if on_terminal():
                    handler.setStream(_AboveBars())
        return logger


class StrategyRunner(OptionalHooks, FlexibleRunner):
    """mmengine's runner for a config with a ``strategy``, such as FSDP or DeepSpeed."""


def build_runner(config: Config) -> QuietRunner | StrategyRunner:
    """Build a config's runner."""
    return (StrategyRunner if config.get('strategy') else QuietRunner).from_cfg(config)


def _worth_showing(record: logging.LogRecord) -> bool:
    """Keep warnings, tables, and single lines that are neither boilerplate nor said elsewhere."""
    message = record.getMessage()
    if message.startswith(BOILERPLATE):
        return False
    if record.levelno > logging.INFO:
        return True
    if '\n' in message:
        return message.lstrip().startswith('+--')
    bars = ('after_train_iter', 'after_val_iter', 'after_test_iter') if on_terminal() else ()
    # the verb prints the metrics of a test in a table
    elsewhere = record.funcName in (*bars, 'after_test_epoch')
    return not (record.filename == 'logger_hook.py' and elsewhere)


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


class _AboveBars:
    """A stream that prints above the progress bars instead of through them."""

    @staticmethod
    def write(text: str) -> None:
        tqdm.write(text, file=sys.stdout, end='')

    @staticmethod
    def flush() -> None:
        sys.stdout.flush()
