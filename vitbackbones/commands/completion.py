"""``vitbackbones --print-completion SHELL``: what a shell needs to complete a command line.

Verbs, options, their choices and files are in the script that is printed; the names of configs are
asked for when they are completed.
"""

from argparse import PARSER, Action, ArgumentParser
from types import ModuleType

from ..utils.packages import import_optional

SHELLS = ('bash', 'zsh', 'tcsh')
NAMES = 'vitbackbones configs --names'
NAMES_AND_FILES = f"""
_vitbackbones_configs() {{
  compgen -W "$({NAMES})" -- "$1"
  compgen -f -- "$1"
}}
"""
FOLDERS = ('DIR', 'FOLDER', 'OUT')  # by their names in help texts


def completion(parser: ArgumentParser, shell: str) -> str:
    """Return a script that completes what a parser reads.

    Args:
        parser: has the verbs as subparsers.
        shell: one of ``SHELLS``.

    Raises:
        InputError: the package shtab is not installed.
    """
    shtab = import_optional('shtab', 'shtab')
    for each in (parser, *subparsers(parser).values()):
        for action in each._actions:
            _complete(action, shtab)
    return shtab.complete(parser, shell)


def subparsers(parser: ArgumentParser) -> dict[str, ArgumentParser]:
    """Return the parsers of a parser's verbs."""
    (verbs,) = (action for action in parser._actions if action.dest == 'verb')
    return verbs.choices


def _complete(action: Action, shtab: ModuleType) -> None:
    """Say what is completed where an action takes a value."""
    if action.nargs in (0, PARSER):  # a switch, the verbs
        return
    if action.choices:
        action.choices = list(action.choices)  # shtab takes dicts for subparsers
    elif action.dest == 'config':
        names = {'bash': '_vitbackbones_configs', 'preamble': {'bash': NAMES_AND_FILES}}
        action.complete = shtab.cmd(NAMES) | names
    elif action.metavar in FOLDERS:
        action.complete = shtab.DIRECTORY
    elif action.type is None or not action.option_strings:
        action.complete = shtab.FILE
