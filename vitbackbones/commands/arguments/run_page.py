"""``vitbackbones page``: show a run on one page: curves, metrics and images.

options:
  work_dir  work dir of a training, finished or running

example:
  %(prog)s work_dirs/quick_detector --out page.html
"""

from argparse import ArgumentParser

from ...trackers import RUN_PAGE


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    parser.add_argument('work_dir', metavar='WORK_DIR')
    place = f'write the page to this file (default: WORK_DIR/{RUN_PAGE})'
    parser.add_argument('--out', metavar='FILE', help=place)
