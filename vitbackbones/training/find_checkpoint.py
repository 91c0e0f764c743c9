"""Find the checkpoint to continue from or to evaluate.

A work dir stands for its latest checkpoint, ``WORK_DIR/best`` for the one that did best in an
evaluation (``default_hooks.checkpoint.save_best``).
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from zipfile import is_zipfile

from mmengine.config import Config

from ..configuration.names import looked_in, resolve
from ..configuration.settings import python_path
from ..errors import InputError
from ..utils import started
from ..utils.files import read_small
from ..utils.messages import command_line, did_you_mean, show_warnings
from ..utils.processes import process_rank
from ..utils.run_files import BEST_FILES, LATEST, POINTER, PUBLISHED, SUFFIXES
from ..weights import fetch
from ..weights.table import find_detector
from ..weights.trained import included

BEST = 'best'


def find_resume(config: Config, path: str) -> Path:
    """Return the checkpoint of ``--resume [PATH]``; without a path the latest of the work dir.

    Raises:
        InputError: there is no such checkpoint.
    """
    if path != LATEST:
        return find_checkpoint(path, '--resume')
    found = latest_checkpoint(Path(config.work_dir))
    if found is None:
        raise InputError(
            f'--resume: no checkpoint in {config.work_dir}. Remove --resume to start from the '
            'beginning, or give the folder with --work-dir, or the file with --resume FILE.'
        )
    return found


def find_checkpoint(path: str, role: str) -> Path:
    """Return a checkpoint file.

    Args:
        path: the file, a work dir for its latest, ``WORK_DIR/best``, a folder that ``publish``
            wrote, the name of weights that come with the package, or of a published detector.
        role: of ``path``, for messages.

    Raises:
        InputError: there is no such file; ``role`` begins the message.
    """
    place = resolve(path)
    work_dir = _with_best(path)
    if not place.exists():
        place = fetch(path) if find_detector(path) else included().get(path, place)
    if work_dir:
        found = _best_of(work_dir, role)
    else:
        found = checkpoint_in(place) if place.is_dir() else place
    if found is None or not found.is_file():
        files = {file.name: str(file) for file in place.parent.glob('*') if file.suffix in SUFFIXES}
        near = did_you_mean(place.name, files)
        raise InputError(f'{role} {path}: no checkpoint there (looked for {looked_in(path)}){near}')
    return found


def choose_checkpoint(path: str, role: str) -> Path:
    """Return a checkpoint as :func:`find_checkpoint` does, and print which one of a work dir it is.

    Raises:
        InputError: as :func:`find_checkpoint`.
    """
    place = resolve(path)
    found = find_checkpoint(path, role)
    if process_rank() != 0:
        return found
    if place.is_dir() and found.name != PUBLISHED:
        best = best_checkpoints(place)
        other = f'; {place / BEST} is {best[0].name}' if len(best) == 1 else ''
        print(f'checkpoint: {found}, the latest{other}')
    elif _with_best(path):
        print(f'checkpoint: {found}, the best')
    return found


def best_checkpoints(work_dir: Path) -> list[Path]:
    """Return the best checkpoints of a work dir, one for each metric, the newest first."""
    return _newest_first(work_dir.glob(BEST_FILES))


def _with_best(path: str) -> Path | None:
    """Return the work dir of ``WORK_DIR/best``, None for any other path."""
    place = Path(path)
    if place.name != BEST or resolve(path).exists():
        return None
    folder = resolve(place.parent)
    return folder if folder.is_dir() else None


def _best_of(work_dir: Path, role: str) -> Path:
    """Return the only best checkpoint.

    Raises:
        InputError: there is none, or there are several.
    """
    found = best_checkpoints(work_dir)
    if not found:
        raise InputError(
            f'{role} {work_dir / BEST}: no {BEST_FILES} there. A run saves its best checkpoint '
            f'only with default_hooks.checkpoint.save_best. Give {work_dir} for the latest '
            'checkpoint.'
        )
    if len(found) > 1:
        names = ', '.join(file.name for file in found)
        raise InputError(
            f'{role} {work_dir / BEST}: there are several best checkpoints; give one of {names}'
        )
    return found[0]


def checkpoint_in(folder: Path) -> Path | None:
    """Return the checkpoint that a folder stands for, None if there is none in it."""
    published = folder / PUBLISHED
    return published if published.is_file() else latest_checkpoint(folder)


def latest_checkpoint(work_dir: Path) -> Path | None:
    """Return the file that ``last_checkpoint`` names, or else the newest checkpoint.

    ``last_checkpoint`` holds an absolute path, which is wrong once the folder was moved, and is
    empty when a run was killed while writing it. A file that is truncated is passed over with a
    warning.
    """
    pointer = work_dir / POINTER
    damaged = None
    saved = _newest_first({*work_dir.glob('*.pth')} - {*work_dir.glob(BEST_FILES)})
    if pointer.exists():
        try:
            name = Path(read_small(pointer).decode().strip()).name
            if name and pointer.with_name(name).is_file():
                saved.insert(0, pointer.with_name(name))
        except (OSError, ValueError):  # a folder or pipe; bytes that are not text
            damaged = pointer
    found = next((file for file in saved if file.is_file() and is_zipfile(file)), None)
    if found is None:
        return None
    if found != saved[0]:
        damaged = damaged or saved[0]
    if damaged:
        show_warnings(
            [f'{damaged} is damaged or truncated; using {found}, the newest complete checkpoint']
        )
    return found


def _newest_first(files: Iterable[Path]) -> list[Path]:
    """Return the files that are there, without links that lead nowhere, the newest first."""
    times = {}
    for file in files:
        with suppress(OSError):  # a run may remove an outdated one meanwhile
            times[file] = file.stat().st_mtime
    return sorted(times, key=times.__getitem__, reverse=True)


def resume_hint(config: Config) -> str:
    """Return how to continue the run of a config in this process; a smoke test must start again."""
    if started.is_part():
        return 'continue with the same command'
    command = started.words()
    if '--smoke' in command:
        return 'start again with the same command'
    if started.is_call():
        return 'continue with the same call and resume=True, without pretrained or overwrite'
    if 'WORLD_SIZE' in os.environ or '--launcher' in command:  # of a command that is not seen here
        return 'continue with the same command and --resume, without --pretrained or --overwrite'
    words = iter(command[1:] if command[1:2] != ['train'] else command[2:])
    kept = []
    for word in words:
        if word in ('--pretrained', '--resume'):
            following = next(words, '')
            kept += [following] * following.startswith('-')
        elif not word.startswith(('--pretrained=', '--resume=', '--overwrite')):
            kept.append(word)
    again = command_line('train', *kept, '--resume')
    return f'continue with: {python_path(config)}{again}'
