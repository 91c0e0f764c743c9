"""A work dir that holds the checkpoints of an earlier run: continue it, or start over.

Training in it without a word would replace them one by one, and leave a mixture of two runs.
"""

import shutil
from pathlib import Path

from mmengine.config import Config
from mmengine.dist import master_only
from mmengine.hooks import Hook

from ...errors import InputError
from ...training.find_checkpoint import POINTER
from ...training.hooks.interrupt import INTERRUPTED
from ...utils.messages import shorten

# What a run leaves; other files of the folder are the user's own.
LEFT = ('epoch_*.pth', 'iter_*.pth', 'best_*.pth', INTERRUPTED, POINTER)


def earlier_checkpoints(folder: Path) -> list[Path]:
    """Return the checkpoints that an earlier run left in ``folder``, kind by kind."""
    return [path for pattern in LEFT for path in sorted(folder.glob(pattern))]


def require_unused(folder: Path) -> None:
    """Refuse a work dir with checkpoints.

    Raises:
        InputError: names them and the options to choose from.
    """
    if found := earlier_checkpoints(folder):
        raise InputError(
            f'--work-dir {folder}: holds checkpoints of an earlier run ({_names(found)}). Continue '
            'it with --resume, start from the beginning and remove them with --overwrite, or '
            'choose another folder.'
        )


def require_kept(config: Config) -> None:
    """Refuse to remove the checkpoint that a run starts from.

    Raises:
        InputError: ``config.load_from`` is one of those that ``--overwrite`` removes.
    """
    if config.get('load_from') in map(str, earlier_checkpoints(Path(config.work_dir))):
        raise InputError(
            f'--overwrite would remove {config.load_from}, from which the run starts (load_from); '
            'move it elsewhere first'
        )


def remove_checkpoints(folder: Path) -> str:
    """Remove what an earlier run left in ``folder``; return the names."""
    found = earlier_checkpoints(folder)
    for path in found:
        # strategies that save a file for each process have a folder for each checkpoint
        is_folder = path.is_dir() and not path.is_symlink()
        shutil.rmtree(path) if is_folder else path.unlink()
    return _names(found)


def _names(paths: list[Path]) -> str:
    return shorten([path.name for path in paths])


class StartAnewHook(Hook):
    """Removes the checkpoints of an earlier run as late as possible: all else has passed by then.

    Not for configs: a run that continues from the dump of one would lose its own checkpoints.
    """

    priority = 'LOWEST'

    @master_only
    def before_train(self, runner) -> None:
        if names := remove_checkpoints(Path(runner.work_dir)):
            runner.logger.info(f'--overwrite: removed {names} of an earlier run')
