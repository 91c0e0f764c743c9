"""``vitbackbones doctor``: what is wrong with this environment, and how to fix it.

It also runs in a broken environment: it imports only the standard library, and imports every other
package in a separate process.

example:
  %(prog)s

The exit status is 1 if there is a problem. How to install: docs/install.md
"""

import sys
from argparse import ArgumentParser, Namespace

from ..configuration.doctor import examine, look
from ..errors import printable


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""


def doctor(options: Namespace) -> None:
    """Print one line for each check; exit with status 1 where one is a problem."""
    print('checking Python, packages and devices: about ten seconds', file=sys.stderr, flush=True)
    findings = list(examine(look()))
    for each in findings:
        print(printable(f'{each.state:<8} {each.check:<15} {each.text}'))
        if each.remedy:
            print(printable(f'{"":<24} type: {each.remedy}'))
    if any(each.state == 'problem' for each in findings):
        sys.exit(1)
