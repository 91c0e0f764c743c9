"""``vitbackbones page``: show a run on one page: curves, metrics and images.

options:
  work_dir  work dir of a training, finished or running

example:
  %(prog)s work_dirs/quick_detector --out page.html
"""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from ..configuration.names import resolve
from ..trackers.run_page import NAME, write_run_page
from ..utils.files import prepare_folder


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    parser.add_argument('work_dir', metavar='WORK_DIR')
    place = f'write the page to this file (default: WORK_DIR/{NAME})'
    parser.add_argument('--out', metavar='FILE', help=place)


def write(options: Namespace) -> None:
    """Do what ``vitbackbones page --help`` describes.

    Raises:
        InputError: nothing was logged in the work dir, or the page cannot be written.
    """
    work_dir = resolve(options.work_dir).absolute()
    file = Path(options.out or work_dir / NAME).expanduser().absolute()
    if options.out:
        prepare_folder(file.parent, '--out')
    print(f'page: {write_run_page(work_dir, file)}')
