"""Messages that mean nothing to a user, and what becomes of those of this package."""

import logging
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..errors import InputError
from ..utils.processes import process_rank

# Warnings of what is as it should be: what they begin with, and the module they are raised in.
FALSE_ALARMS = (
    # Only onedl's own FasterCocoMetric needs it; the COCO metric of the configs does not.
    ('faster_coco_eval is not installed', 'mmdet'),
    ('To copy construct from a tensor', 'mmdet'),  # of its losses, again after every evaluation
    ('The draw is False', 'mmseg'),
    # Of each cross entropy that averages over all pixels, as the published recipes do.
    ('Default ``avg_non_ignore`` is False', 'mmseg'),
    # Of mmdet's points, and torch says it once in a process, whoever calls.
    ('torch.meshgrid: in an upcoming release', 'torch.functional'),
)
# Of every inferencer, whose toolbox has no registry of functions; mmengine's own is the right one.
NO_FUNCTIONS = 'in the "function" registry tree'


def ignore_false_alarms(ignore: Callable) -> None:
    """Ignore :data:`FALSE_ALARMS`; ``ignore`` is ``filterwarnings``."""
    for message, module in FALSE_ALARMS:
        ignore('ignore', message=message, module=module)


def log_or_print(*parts, **options) -> None:
    """Log what a library prints, where a run has a log file, and print it elsewhere.

    Of several processes the first alone has the file, and is the one that prints.
    """
    from mmengine.logging import MMLogger

    log = MMLogger.get_current_instance()
    if any(isinstance(handler, logging.FileHandler) for handler in log.handlers):
        log.info(' '.join(map(str, parts)))
    elif process_rank() == 0:
        print(*parts, **options)


def log_prints(kind: type) -> None:
    """Let the module of a class print with :func:`log_or_print`."""
    sys.modules[kind.__module__].print = log_or_print


def print_if_meant(print_log: Callable, msg, logger=None, level: int = logging.INFO) -> None:
    """Print or log what has no logger, unless it is for debugging, and leave out a false alarm."""
    if NO_FUNCTIONS in str(msg):
        return
    if logger is not None:
        print_log(msg, logger, level)
    elif level > logging.DEBUG:
        log_or_print(msg)


class RunnersLog(logging.Handler):
    """Hands what the package logs to the log of mmengine's present runner, ``current()``."""

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


def keep_message(reraise: Callable, self) -> None:
    """Raise an error of a data worker with its message alone, where it is for the user."""
    kind = self.exc_type
    if issubclass(kind, InputError):  # the traceback's last line begins with its name
        raise kind(self.exc_msg.rpartition(f'{kind.__module__}.{kind.__qualname__}: ')[2])
    reraise(self)


@contextmanager
def silenced() -> Iterator[None]:
    """Suppress what is logged and warned of where something is tried that the run does again."""
    from mmengine.logging import MMLogger

    disabled = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            yield
    finally:
        logging.disable(disabled)
        log = MMLogger.get_current_instance()
        log.setLevel(log.level)  # mmengine's loggers forget that they were disabled
