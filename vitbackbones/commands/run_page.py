"""``vitbackbones page``: write the page of a run."""

from argparse import Namespace
from pathlib import Path

from ..configuration.names import resolve
from ..trackers import RUN_PAGE
from ..trackers.run_page import write_run_page
from ..utils.files import prepare_folder


def write(options: Namespace) -> None:
    """Do what ``vitbackbones page --help`` describes.

    Raises:
        InputError: nothing was logged in the work dir, or the page cannot be written.
    """
    work_dir = resolve(options.work_dir).absolute()
    file = Path(options.out or work_dir / RUN_PAGE).expanduser().absolute()
    if options.out:
        prepare_folder(file.parent, '--out')
    print(f'page: {write_run_page(work_dir, file)}')
