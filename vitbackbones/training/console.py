"""What of a run's log is shown; the log file in the work dir keeps all of it.

mmengine prints the environment, the whole config and a table of hooks before the first step:
hundreds of lines in which a warning drowns. Its lines of losses name every inner layer of a model,
and on a terminal share the screen with the progress bars.
"""

import logging
import re
import sys

from mmengine.config import Config
from mmengine.logging import MMLogger
from mmengine.runner import FlexibleRunner
from mmengine.runner import Runner as MMEngineRunner
from tqdm import tqdm

from ..analysis.curves import INNER
from .hooks.progress import on_terminal
from .optional_hooks import OptionalHooks

# Beginnings of messages that tell the reader of a screen nothing.
BOILERPLATE = (
    '"FileClient" will be deprecated',
    '"HardDiskBackend" is the alias',
    'Distributed training is not used',
    'Exp name',
    'Resumed iteration number is not divisible',  # ExactResumeHook says what is lost
    'The prefix is not set',
    'paramwise_options',
)
# Losses that are left out of a line; the loss that is shown has them all.
INNER_TEXT = re.compile(rf'\s+{INNER.pattern}\S+: \S+')


class QuietRunner(OptionalHooks, MMEngineRunner):
    """mmengine's runner with a readable console."""

    def build_logger(self, **options) -> MMLogger:
        logger = super().build_logger(**options)
        for handler in logger.handlers:
            if type(handler) is logging.StreamHandler:
                handler.addFilter(_worth_showing)
                handler.setFormatter(_WithoutInnerLosses(handler.formatter))
                if on_terminal():
                    handler.setStream(_AboveBars())
        return logger


class StrategyRunner(OptionalHooks, FlexibleRunner):
    """mmengine's runner for a config with a ``strategy``, such as FSDP or DeepSpeed."""


def build_runner(config: Config) -> QuietRunner | StrategyRunner:
    """Build a config's runner."""
    return (StrategyRunner if config.get('strategy') else QuietRunner).from_cfg(config)


def _worth_showing(record: logging.LogRecord) -> bool:
    """Keep warnings, tables, and single lines that are neither boilerplate nor said by a bar."""
    message = record.getMessage()
    if message.startswith(BOILERPLATE):
        return False
    if record.levelno > logging.INFO:
        return True
    if '\n' in message:
        return message.lstrip().startswith('+--')
    steps = ('after_train_iter', 'after_val_iter', 'after_test_iter')
    by_bar = record.filename == 'logger_hook.py' and record.funcName in steps
    return not (by_bar and on_terminal())


class _WithoutInnerLosses(logging.Formatter):
    """Formats as another formatter does, without the losses of inner layers."""

    def __init__(self, formatter: logging.Formatter) -> None:
        super().__init__()
        self.formatter = formatter

    def format(self, record: logging.LogRecord) -> str:
        return INNER_TEXT.sub('', self.formatter.format(record))


class _AboveBars:
    """A stream that prints above the progress bars instead of through them."""

    @staticmethod
    def write(text: str) -> None:
        tqdm.write(text, file=sys.stdout, end='')

    @staticmethod
    def flush() -> None:
        sys.stdout.flush()
