"""What a data worker does that cannot hand over a batch, and how torch learns of its death."""

import os
import sys
from collections.abc import Callable
from typing import NoReturn


def end_with_error(original: Callable) -> Callable:
    """End the worker where a batch cannot be handed over, in place of going on without it."""

    def end(error: Exception, batch: object) -> NoReturn:
        print(f'data worker {os.getpid()}: {error}', file=sys.stderr, flush=True)
        os._exit(1)

    return end


def set_handler_first(set_handler: Callable[[], None]) -> None:
    """Let torch set its handler of SIGCHLD now, once; with the first worker it would be late.

    torch would wrap the handler that is there then, and raise before that is asked.
    """
    set_handler()
