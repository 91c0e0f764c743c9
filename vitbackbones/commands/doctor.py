"""``vitbackbones doctor``: what is wrong with this environment or a config, and how to fix it.

With a config of mmdet, mmsegmentation, mmpretrain or mmcls, it says what the config needs and does
not find here. Without one, it also runs in a broken environment: it imports only the standard
library, and imports every other package in a separate process.

options:
  config  a config of any OpenMMLab toolbox (default: examine the environment)
  --fix   convert a config of version 2 (mmdet 2, mmsegmentation 0, mmcls) to version 3, and write
          it to OUT

examples:
  %(prog)s
  %(prog)s faster_rcnn_r50_fpn_1x_coco.py --fix fixed.py

The exit status is 1 if there is a problem. See docs/install.md for the installation.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable

from ..configuration.doctor import Finding, examine, look
from ..errors import InputError, printable


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    parser.add_argument('config', nargs='?')
    parser.add_argument('--fix', metavar='OUT')


def doctor(options: Namespace) -> None:
    """Print one line for each check; exit with status 1 where one is a problem.

    Raises:
        InputError: ``--fix`` without a config, or the config cannot be read.
    """
    if not _show(_findings(options)):
        sys.exit(1)


def _findings(options: Namespace) -> Iterable[Finding]:
    if options.config:
        from ..preparing.foreign_config import examine_config  # imports the toolboxes

        return examine_config(options.config, options.fix)
    if options.fix:
        raise InputError('--fix: give the config, too')
    print('checking Python, packages and devices: about ten seconds', file=sys.stderr, flush=True)
    return examine(look())


def _show(findings: Iterable[Finding]) -> bool:
    """Print findings as they come; return whether none is a problem."""
    fine = True
    for each in findings:
        print(printable(f'{each.state:<8} {each.check:<15} {each.text}'), flush=True)
        if each.remedy:
            print(printable(f'{"":<24} type: {each.remedy}'), flush=True)
        fine &= each.state != 'problem'
    return fine
