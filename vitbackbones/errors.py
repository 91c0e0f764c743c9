"""The one exception that means "the user can mend this"."""


class InputError(ValueError):
    """Bad input: a file, a configuration key, a checkpoint.

    The message names what is wrong, where (file or key), and what to do. The tools
    print it without a traceback and exit with status 2.
    """

    def __init__(self, message: str = '') -> None:
        # A data worker's exception reaches the main process with its traceback as the
        # message (torch.utils.data); what the user needs is the part after our own name.
        super().__init__(str(message).rsplit(f'{type(self).__name__}: ', 1)[-1].strip())
