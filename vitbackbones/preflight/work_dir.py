"""The folder that a run writes to: chosen, tried before anything is built, and locked."""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mmengine.config import Config

from ..catalog import config_name
from ..files import folder_lock, prepare_folder, remove_parts
from ..processes import process_rank


def choose_work_dir(config: Config, given: str | None = None, below: str = '') -> Config:
    """Return a copy of ``config`` with the absolute path of the work dir; create nothing.

    It is ``--work-dir``, that of the config, or ``work_dirs/<config name>`` in the current
    directory.

    Args:
        config: of any run.
        given: ``--work-dir``.
        below: a folder inside of the chosen one, for what must not touch a run's own files.
    """
    config = copy.deepcopy(config)
    default = Path('work_dirs', config_name(config.filename))
    chosen = Path(given or config.get('work_dir') or default, below)
    config.work_dir = str(chosen.expanduser().absolute())
    return config


def create_work_dir(config: Config) -> None:
    """Create the work dir.

    Raises:
        InputError: it cannot be written to.
    """
    prepare_folder(config.work_dir, '--work-dir')


@contextmanager
def only_writer(config: Config) -> Iterator[None]:
    """Create the work dir and keep other runs out of it; what a killed one left half is removed.

    Raises:
        InputError: it cannot be written to, or another run is writing there.
    """
    create_work_dir(config)
    if process_rank():  # the first process locks for all of a run
        yield
        return
    folder = Path(config.work_dir)
    with folder_lock(folder, '--work-dir'):
        remove_parts(folder)
        yield
