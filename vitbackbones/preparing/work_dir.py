"""The folder that a run writes to: chosen, tried before anything is built, and locked.

If it holds the checkpoints of an earlier run, the user continues that run or starts over. Training
without a word would replace them one by one, and leave a mixture of two runs.
"""

import copy
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mmengine.config import Config
from mmengine.dist import master_only
from mmengine.hooks import Hook

from ..configuration.names import config_name
from ..errors import InputError
from ..utils.files import folder_lock, prepare_folder, remove_parts
from ..utils.messages import shorten
from ..utils.processes import process_rank
from ..utils.run_files import LEFT, POINTER


def choose_work_dir(config: Config, given: str | None = None, below: str = '') -> Config:
    """Return a copy of ``config`` with the absolute path of the work dir; create nothing.

    It is ``given`` (``--work-dir``), else that of the config, else ``work_dirs/<config name>`` in
    the current directory. What must not touch a run's own files gets a folder ``below``, inside.
    """
    config = copy.deepcopy(config)
    default = Path('work_dirs', config_name(config.filename))
    chosen = Path(given or config.get('work_dir') or default, below)
    config.work_dir = str(chosen.expanduser().absolute())
    return config


@contextmanager
def only_writer(config: Config) -> Iterator[None]:
    """Create the work dir and keep other runs out of it; what a killed one left half is removed.

    Raises:
        InputError: it cannot be written to, another run is writing there, or a link or a pipe has
            the name of a file that runs write.
    """
    folder = prepare_folder(config.work_dir, '--work-dir')
    if process_rank():  # the first process locks for all of a run
        yield
        return
    with folder_lock(folder, '--work-dir'):
        remove_parts(folder)
        for name in (POINTER, Path(config.filename).name):
            file = folder / name
            # mmengine would write through a link to a file elsewhere, or wait for a pipe
            if file.is_symlink() or (file.exists() and not file.is_file()):
                raise InputError(
                    f'{file}: is a link, a pipe or a folder, but a run writes a file with this '
                    'name. Remove it, or choose another folder with --work-dir.'
                )
        yield


def earlier_checkpoints(folder: Path) -> list[Path]:
    """Return the checkpoints that an earlier run left in ``folder``, kind by kind."""
    return [path for pattern in LEFT for path in sorted(folder.glob(pattern))]


def require_unused(folder: Path) -> None:
    """Refuse a work dir with checkpoints.

    Raises:
        InputError: names them and the options to choose from.
    """
    found = shorten(path.name for path in earlier_checkpoints(folder))
    if found:
        raise InputError(
            f'--work-dir {folder}: contains checkpoints of an earlier run ({found}). Continue '
            'that run with --resume, remove it and start from the beginning with --overwrite, '
            'or choose another folder.'
        )


def require_kept(config: Config) -> None:
    """Refuse to remove the checkpoint that a run starts from.

    Raises:
        InputError: ``config.load_from`` is one of those that ``--overwrite`` removes.
    """
    if config.get('load_from') in map(str, earlier_checkpoints(Path(config.work_dir))):
        raise InputError(
            f'--overwrite would remove {config.load_from}, from which the run starts '
            '(load_from); move it elsewhere first'
        )


def remove_checkpoints(folder: Path) -> str:
    """Remove what an earlier run left in ``folder``; return the names."""
    found = earlier_checkpoints(folder)
    for path in found:
        # checkpoints of strategies that are gone have one
        is_folder = path.is_dir() and not path.is_symlink()
        shutil.rmtree(path) if is_folder else path.unlink()
    return shorten(path.name for path in found)


class StartAnewHook(Hook):
    """Removes the checkpoints of an earlier run as late as possible: all else has passed by then.

    Not for configs: a run that continues from the dump of one would lose its own checkpoints.
    """

    priority = 'LOWEST'

    @master_only
    def before_train(self, runner) -> None:
        if names := remove_checkpoints(Path(runner.work_dir)):
            runner.logger.info(f'--overwrite: removed {names} of an earlier run')
