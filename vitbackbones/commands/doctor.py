"""``vitbackbones doctor``: what is wrong with this environment, and what to type.

It runs where nothing else does: it imports the standard library alone, and what may be broken is
imported in processes of their own.

example:
  %(prog)s

The status is 1 where something is wrong. docs/install.md says how to install.
"""

import sys
from argparse import ArgumentParser, Namespace

from ..configuration.doctor import examine, look
from ..errors import printable


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""


def doctor(options: Namespace) -> None:
    """Print one line for each check; exit with status 1 where one is a problem."""
    print('looking at Python, packages and devices: about ten seconds', file=sys.stderr, flush=True)
    findings = list(examine(look()))
    for each in findings:
        print(printable(f'{each.state:<8} {each.check:<15} {each.text}'))
        if each.remedy:
            print(printable(f'{"":<24} type: {each.remedy}'))
    if any(each.state == 'problem' for each in findings):
        sys.exit(1)
