"""How a command ends: with one line for a mistake of its user, and an exit status.

=======  =====================================================================
status   meaning
=======  =====================================================================
0        done
1        a bug: the traceback is shown, and kept in a file with all that a report needs
2        wrong input (:class:`InputError`) or wrong arguments (argparse)
128 + n  ended by signal n: 130 Ctrl-C, 143 SIGTERM, 129 SIGHUP, 138 SIGUSR1
=======  =====================================================================

Nothing heavy is imported before it is needed: ``doctor`` runs where torch cannot be imported, and
lists of names are there at once.
"""

import errno
import os
import re
import select
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..errors import InputError, TrainingInterrupted
from ..preparing.bug_report import write_report
from ..utils.frames import calls, release
from ..utils.messages import in_one_line
from ..utils.processes import SIGNALS, leads_machine, leave_processes, others_joined, process_rank

# Of a path, and of a disk that is full or read-only
OF_THE_SYSTEM = (errno.ENAMETOOLONG, errno.ELOOP, errno.ENOSPC, errno.EDQUOT, errno.EROFS)
NO_LINK = re.compile('Symlink loop from ')  # pathlib's, before Python 3.13
NO_MEMORY = re.compile("out of memory|can't allocate|not enough memory", re.IGNORECASE)


class Ended(KeyboardInterrupt):
    """A signal that does what Ctrl-C does: files are closed and temporary ones removed."""


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Raise :class:`Ended` for signals that would end the process at once."""
    process = os.getpid()

    def end(number: int, frame) -> None:
        if os.getpid() != process:  # in a forked child
            os._exit(128 + number)
        raise Ended(number)

    fatal = [number for number in SIGNALS if signal.getsignal(number) is signal.SIG_DFL]
    for number in fatal:
        signal.signal(number, end)
    try:
        yield
    except SyntaxError as error:  # mmengine's for whatever happens while it formats a config
        if isinstance(error.__context__, KeyboardInterrupt):
            raise error.__context__ from None
        raise
    finally:
        for number in fatal:
            signal.signal(number, signal.SIG_DFL)


def _reader_is_gone() -> bool:
    """Return whether nobody reads what is printed any more, as behind ``| head``."""
    states = select.poll()
    states.register(sys.stdout.fileno(), 0)
    if not any(state & select.POLLERR for _, state in states.poll(0)):
        return False
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for Python's own flush
    return True


def run(main: Callable[[], None]) -> int:
    """Run a command and return its exit status; mistakes of the user are a message on stderr."""
    try:
        with _ended_by_signals():
            main()
            sys.stdout.flush()
    except InputError as error:
        # before the processes are joined, all of a machine stumble over the same thing
        if leads_machine() or others_joined():
            rank = f' (process {process_rank()})' if process_rank() else ''
            print(f'error{rank}: {error}', file=sys.stderr)
        return 2
    except TrainingInterrupted as stop:
        if process_rank() == 0:
            print(stop, file=sys.stderr)
        release(stop)  # its frames hold the model
        leave_processes()
        return stop.status
    except KeyboardInterrupt as stop:
        print('interrupted', file=sys.stderr)
        return 128 + (stop.args[0] if isinstance(stop, Ended) else signal.SIGINT)
    except SystemExit as stop:
        ender = calls(stop)[-1].file
        if stop.code or ender.endswith('argparse.py'):  # --help
            raise
        print(
            f'error: {ender} has ended this process with sys.exit; remove that call',
            file=sys.stderr,
        )
        return 1
    except Exception as error:
        full = isinstance(error, RuntimeError) and NO_MEMORY.search(str(error))
        if full or isinstance(error, MemoryError):
            print(f'error: there is not enough memory: {in_one_line(error)}', file=sys.stderr)
            return 2
        if isinstance(error, BrokenPipeError) and _reader_is_gone():
            return 128 + signal.SIGPIPE
        if isinstance(error, OSError) and error.errno in OF_THE_SYSTEM or NO_LINK.match(str(error)):
            print(f'error: {error}', file=sys.stderr)
            return 2
        traceback.print_exception(error)
        print(
            'this looks like a bug in vitbackbones or a library that it uses, not like a '
            f'mistake in your input; please report it with {write_report(error)}',
            file=sys.stderr,
        )
        return 1
    leave_processes()
    return 0
