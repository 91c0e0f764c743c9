"""``vitbackbones doctor``: what is wrong with this environment, and what to type.

It runs where nothing else does: it imports the standard library alone, and what may be broken is
imported in processes of their own.
"""

import json
import sys
from argparse import ArgumentParser, Namespace
from dataclasses import asdict

from ..configuration.doctor.facts import look
from ..configuration.doctor.findings import examine
from ..errors import printable
from ..utils.messages import page

EXAMPLES = f"""\
examples:
  %(prog)s
  %(prog)s --json

The status is 1 where something is wrong. {page('install')} says how to install.
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    parser.epilog = EXAMPLES
    parser.add_argument('--json', action='store_true', help='print the findings as JSON')


def doctor(options: Namespace) -> None:
    """Print one line for each check; exit with status 1 where one is a problem."""
    findings = list(examine(look()))
    if options.json:
        print(json.dumps([asdict(each) for each in findings], indent=2))
    else:
        for each in findings:
            print(printable(f'{each.state:<8} {each.check:<15} {each.text}'))
            if each.remedy:
                print(printable(f'{"":<24} type: {each.remedy}'))
    if any(each.state == 'problem' for each in findings):
        sys.exit(1)
