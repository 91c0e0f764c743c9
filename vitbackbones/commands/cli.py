"""What a command line tool owes its user: one line for a mistake, and an exit status.

=======  =====================================================================
status   meaning
=======  =====================================================================
0        done
1        a bug: the traceback is shown, and kept in a file with all that a report needs
2        wrong input (:class:`InputError`) or wrong arguments (argparse)
128 + n  ended by signal n: 130 Ctrl-C, 143 SIGTERM, 129 SIGHUP, 138 SIGUSR1
=======  =====================================================================
"""

import os
import signal
import sys
import traceback
from argparse import Action, ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from mmengine.config import DictAction
from mmengine.dist import is_distributed

from ..errors import InputError
from ..literals import is_balanced, read_value
from ..preflight.bug_report import write_report
from ..processes import leads_machine, process_rank
from ..training.distributed import leave_processes
from ..training.hooks.data_workers import SIGNALS
from ..training.hooks.interrupt import TrainingInterrupted
from ..training.resume_command import resume_hint


class ConfigOptions(DictAction):
    """``--cfg-options KEY=VALUE ...`` as mmengine reads it, with a message where it cannot.

    mmengine knows no dicts, and takes all spaces out of a value; of a plain one, such as a path,
    they are kept.
    """

    @staticmethod
    def _parse_iterable(text: str):
        if 'dict(' in text or '{' in text:
            return read_value(text)
        if set(text) & set('[](),'):
            return DictAction._parse_iterable(text)
        return DictAction._parse_int_float_bool(text.strip('\'"'))

    def __call__(self, parser: ArgumentParser, namespace, values, option_string=None) -> None:
        for pair in values:
            key, equals, value = pair.partition('=')
            if not equals or not all(key.split('.')):
                parser.error(f'{option_string} {pair}: expected KEY=VALUE')
            if not is_balanced(value):
                parser.error(f'{option_string} {pair}: a bracket is not closed, or not opened')
            try:
                super().__call__(parser, namespace, [pair], option_string)
            except ValueError as error:
                parser.error(f'{option_string} {key}: {error}')
            except (AssertionError, RecursionError):  # of mmengine, about commas and brackets
                parser.error(f'{option_string} {pair}: cannot be read as a value')


def count(text: str) -> int:
    """Read a number from 1, as an argument's ``type``."""
    if int(text) < 1:
        raise ArgumentTypeError(f'{text} is less than 1')
    return int(text)


def image_size(text: str) -> tuple[int, int]:
    """Read '224' or '800x1333' as (height, width), as an argument's ``type``."""
    height, _, width = text.partition('x')
    try:
        return count(height), count(width or height)
    except ValueError as error:
        raise ArgumentTypeError(f'{text} is not H or HxW, such as 224 or 800x1333') from error


def add_common_arguments(parser: ArgumentParser) -> dict[str, Action]:
    """Add what every tool that runs a config takes."""
    add = parser.add_argument
    add('--work-dir', help='where logs and checkpoints go (default: work_dirs/<config name>)')
    add('--data-root', help='folder of the data set, in place of the one that the config names')
    add(
        '--cfg-options',
        nargs='+',
        action=ConfigOptions,
        default={},
        metavar='KEY=VALUE',
        help='change settings of the config, e.g. train_dataloader.batch_size=4',
    )
    add('--launcher', choices=('none', 'pytorch', 'slurm'), default='none')
    # torch.distributed.launch passes one or the other spelling; torchrun sets LOCAL_RANK instead
    add('--local_rank', '--local-rank', type=int, default=0, help='set by the launcher')


def add_fused(add: Callable[..., Action]) -> None:
    """Add ``--fused``, which is None, 'float32' or 'bfloat16', by a parser's ``add_argument``."""
    add(
        '--fused',
        nargs='?',
        choices=('float32', 'bfloat16'),
        const='float32',
        help='fold and pack the weights for this processor, which is faster and the same up to '
        'rounding; in bfloat16, the backbone is computed in that',
    )


class Ended(KeyboardInterrupt):
    """A signal that does what Ctrl-C does: files are closed and temporary ones removed."""


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Raise :class:`Ended` for signals that would end the process at once."""
    fatal = [number for number in SIGNALS if signal.getsignal(number) is signal.SIG_DFL]
    for number in fatal:
        signal.signal(number, partial(_end, os.getpid()))
    try:
        yield
    except SyntaxError as error:  # mmengine's for whatever happens while it formats a config
        if isinstance(error.__context__, KeyboardInterrupt):
            raise error.__context__ from None
        raise
    finally:
        for number in fatal:
            signal.signal(number, signal.SIG_DFL)


def _end(process: int, number: int, frame) -> None:
    if os.getpid() != process:  # in a forked child
        os._exit(128 + number)
    raise Ended(number)


def run(main: Callable[[], None]) -> int:
    """Run a tool and return its exit status; mistakes of the user are one message on stderr."""
    try:
        with _ended_by_signals():
            main()
    except InputError as error:
        # before the processes are joined, all of a machine stumble over the same thing
        if leads_machine() or is_distributed():
            rank = f' (process {process_rank()})' if process_rank() else ''
            print(f'error{rank}: {error}', file=sys.stderr)
        return 2
    except TrainingInterrupted as stop:
        if process_rank() == 0:
            print(f'{stop}\n{resume_hint()}', file=sys.stderr)
        leave_processes()
        return stop.status
    except KeyboardInterrupt as stop:
        print('interrupted', file=sys.stderr)
        return 128 + (stop.args[0] if isinstance(stop, Ended) else signal.SIGINT)
    except Exception as error:
        traceback.print_exception(error)
        print(
            'this looks like a bug of vitbackbones or of a library that it uses, not like a '
            f'mistake in your input; please report it with {write_report(error)}',
            file=sys.stderr,
        )
        return 1
    leave_processes()
    return 0
