"""The folders that a run writes to, tried before anything is built."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mmengine.config import Config

from ..files import folder_lock, prepare_folder, remove_parts
from ..processes import process_rank


def prepare_work_dir(config: Config, given: str | None = None, below: str = '') -> None:
    """Choose and create the work dir: ``--work-dir``, that of the config, or the default.

    The default is ``work_dirs/<config name>`` in the current directory.

    Args:
        config: ``config.work_dir`` is set, absolute.
        given: ``--work-dir``.
        below: a folder inside of the chosen one, for what must not touch a run's own files.

    Raises:
        InputError: it cannot be written to.
    """
    default = Path('work_dirs', Path(config.filename).stem)
    chosen = Path(given or config.get('work_dir') or default, below)
    config.work_dir = str(prepare_folder(chosen, '--work-dir'))


@contextmanager
def only_writer(config: Config) -> Iterator[None]:
    """Keep other runs out of the work dir; what a killed one was writing there is removed.

    Raises:
        InputError: another run is writing there.
    """
    if process_rank():  # the first process locks for all of a run
        yield
        return
    folder = Path(config.work_dir)
    with folder_lock(folder, '--work-dir'):
        remove_parts(folder)
        yield
