"""``vitbackbones page``: what a work dir says of its run, on one page."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from ..configuration.paths import resolve
from ..files import prepare_folder
from ..tracking.run_page import NAME, write_run_page

EXAMPLES = """\
examples:
  %(prog)s work_dirs/detr_aug_vit_s_shapes
  %(prog)s work_dirs/quick_detector --out page.html

The page has the curves of a run, its pictures of predictions (train --track), its evaluations, and
the newest report that "test --report" wrote into the work dir. It opens without a network.
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    parser.epilog = EXAMPLES
    parser.add_argument(
        'work_dir', metavar='WORK_DIR', help='the folder of a training, finished or under way'
    )
    place = f'where the page goes (default: WORK_DIR/{NAME})'
    parser.add_argument('--out', metavar='FILE', help=place)


def write(options: Namespace) -> None:
    """Do what ``vitbackbones page --help`` describes.

    Raises:
        InputError: nothing was logged in the work dir, or the page cannot be written.
    """
    work_dir = resolve(options.work_dir).absolute()
    file = Path(options.out).expanduser().absolute() if options.out else work_dir / NAME
    if options.out:
        prepare_folder(file.parent, '--out')
    print(f'page: {write_run_page(work_dir, file)}')
