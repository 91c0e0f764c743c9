"""Exceptions that are not bugs: problems that the user can fix, and stops the user asked for."""


def printable(text: str, kept: str = '\n\t') -> str:
    """Replace control characters in a text, which files may contain, by visible escapes.

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
    """A run was stopped from outside, after its checkpoint was saved.

    Args:
        message: what stopped it, and what was saved.
        signal_number: of the signal. ``status`` is the exit status of the process.
    """

    def __init__(self, message: str, signal_number: int) -> None:
        super().__init__(message)
        self.status = 128 + signal_number


class OptionError(ValueError):
    """An option that a network, or a part of one, does not support.

    The message names the option and what it may be. Which key of a config it stands at is not known
    where it is raised; the tools add it.
    """
