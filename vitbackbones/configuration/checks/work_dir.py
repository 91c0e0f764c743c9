"""The folder that a run writes to: chosen, tried before anything is built, and locked."""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mmengine.config import Config

from ...errors import InputError
from ...training.find_checkpoint import POINTER
from ...utils.files import folder_lock, prepare_folder, remove_parts
from ...utils.processes import process_rank
from ..names import config_name


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
        InputError: it cannot be written to, another run is writing there, or a link or a pipe has
            the name of a file that runs write.
    """
    create_work_dir(config)
    if process_rank():  # the first process locks for all of a run
        yield
        return
    folder = Path(config.work_dir)
    with folder_lock(folder, '--work-dir'):
        remove_parts(folder)
        for name in (POINTER, Path(config.filename).name):
            _require_own_file(folder / name)
        yield


def _require_own_file(file: Path) -> None:
    """Refuse what mmengine would write through: a link to a file elsewhere, or a pipe."""
    if file.is_symlink() or (file.exists() and not file.is_file()):
        raise InputError(
            f'{file}: is a link, a pipe or a folder, and a run writes a file of that name. Remove '
            'it, or choose another folder with --work-dir.'
        )
