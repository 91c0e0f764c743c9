"""The exceptions that mean "the user can fix this"."""


def printable(text: str) -> str:
    """Write what a terminal would obey rather than show, as files may bring along, as escapes."""
    return ''.join(c if c.isprintable() or c in '\n\t' else ascii(c)[1:-1] for c in text)


class InputError(ValueError):
    """Bad input: a file, a configuration key, a checkpoint.

    The message names what is wrong, where (file or key), and what to do. The tools
    print it without a traceback and exit with status 2.
    """

    def __init__(self, message: str = '') -> None:
        super().__init__(printable(str(message).strip()))


class OptionError(ValueError):
    """An option that a network, or a part of one, refuses.

    The message names the option and what it may be. Which key of a config it stands at is not known
    where it is raised; the tools add it.
    """
