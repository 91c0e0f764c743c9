"""The exceptions that are no bugs: what the user can fix, and what the user has asked for."""


def printable(text: str, kept: str = '\n\t') -> str:
    """Write what a terminal would obey rather than show, as files may bring along, as escapes.

    Of such characters, those that are ``kept`` stay.
    """
    return ''.join(c if c.isprintable() or c in kept else ascii(c)[1:-1] for c in text)


class InputError(ValueError):
    """Bad input: a file, a configuration key, a checkpoint.

    The message names what is wrong, where (file or key), and what to do. The tools
    print it without a traceback and exit with status 2.
    """

    def __init__(self, message: str = '') -> None:
        super().__init__(printable(str(message).strip()))


class TrainingInterrupted(Exception):
    """A run was stopped from outside, and its checkpoint is written.

    Args:
        message: what stopped it, and what was saved.
        signal_number: of the signal. ``status`` is the exit status of the process.
    """

    def __init__(self, message: str, signal_number: int) -> None:
        super().__init__(message)
        self.status = 128 + signal_number


class OptionError(ValueError):
    """An option that a network, or a part of one, refuses.

    The message names the option and what it may be. Which key of a config it stands at is not known
    where it is raised; the tools add it.
    """
