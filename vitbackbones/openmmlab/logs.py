"""Messages that mean nothing to a user, and what becomes of those of this package."""

import logging
from collections.abc import Callable

from ..errors import InputError


def ignore_false_alarms(ignore: Callable) -> None:
    """Ignore warnings about what is as it should be; ``ignore`` is ``filterwarnings``."""
    # Only onedl's own FasterCocoMetric needs it; the COCO metric of the configs does not.
    ignore('ignore', message='faster_coco_eval is not installed')
    # torch's, of mmdet's losses, again after every evaluation
    ignore('ignore', message='To copy construct from a tensor', module='mmdet')
    ignore('ignore', message='The draw is False', module='mmseg')


def print_if_meant(print_log: Callable) -> Callable:
    """Print what has no logger, unless it is for debugging."""

    def print_log_if_meant(msg, logger=None, level: int = logging.INFO) -> None:
        if logger is not None or level > logging.DEBUG:
            print_log(msg, logger, level)

    return print_log_if_meant


def leave_out_shared_layers(print_log: Callable) -> Callable:
    """Log all but that a layer is shared, which is reported only where the config allows it."""

    def print_log_of_others(msg, logger=None, level: int = logging.INFO) -> None:
        if 'is duplicate. It is skipped' not in msg:
            print_log(msg, logger, level)

    return print_log_of_others


class RunnersLog(logging.Handler):
    """Hands what the package logs to the log of mmengine's present runner.

    Args:
        current: gives the logger of the present runner.
    """

    def __init__(self, current: Callable[[], logging.Logger]) -> None:
        super().__init__()
        self.current = current

    def emit(self, record: logging.LogRecord) -> None:
        self.current().log(record.levelno, record.getMessage())


def log_with_runner(current: Callable[[], logging.Logger]) -> None:
    """Make the package's own log a part of a run's, unless the user has given it handlers.

    Without mmengine it is as any library's: warnings go to stderr, information to whoever asks.
    """
    log = logging.getLogger('vitbackbones')
    if not log.handlers:
        log.addHandler(RunnersLog(current))
        log.setLevel(log.level or logging.INFO)
        log.propagate = False


def keep_message(reraise: Callable) -> Callable:
    """Raise an error of a data worker with its message alone, where it is for the user."""

    def reraise_with_message(self) -> None:
        kind = self.exc_type
        if issubclass(kind, InputError):  # the traceback's last line begins with its name
            raise kind(self.exc_msg.rpartition(f'{kind.__module__}.{kind.__qualname__}: ')[2])
        reraise(self)

    return reraise_with_message
