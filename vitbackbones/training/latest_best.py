"""The best checkpoint of a run that was killed between writing it and naming it.

A run writes a new best checkpoint, then its regular checkpoint again, which names it, and deletes
the best one of before. Killed in between, it leaves two, and the regular checkpoint may name the
older one. A run that resumes after the evaluation does not repeat it, so the score would be lost
as well.

Files with such names may also be of another run, or put there by hand. The histories that a
checkpoint holds tell: those of one run begin alike, with the times of its iterations, which no two
runs share.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from mmengine.logging import HistoryBuffer
from mmengine.runner import Runner

from ..errors import InputError
from ..weights.read.load import load_file, require_form
from .find_checkpoint import best_checkpoints
from .hooks.exact_resume import SETTINGS, fingerprints

# Names in mmengine's records; with several metrics, _METRIC follows.
PATH, SCORE = 'best_ckpt', 'best_score'
FORM = {
    'meta': dict,
    'meta.iter': int,
    'message_hub': dict,
    'message_hub.log_scalars': dict,
    'message_hub.runtime_info': dict,
}


@dataclass(frozen=True)
class Best:
    """What a best checkpoint says: for which record it is the best, and when it was written."""

    path: Path
    key: str
    score: Any
    iteration: int
    settings: Any
    histories: dict[str, np.ndarray]  # each (N,)


def latest_best(runner: Runner, folder: Path) -> tuple[dict[str, Any], list[str]]:
    """Look for best checkpoints of a resumed run in ``folder`` that its records do not name.

    One that was written after the place where the run resumes counts if the run comes there again.
    With changed settings it does not, and both are left.

    Returns:
        what to enter into the records, and the names of the files that the run had replaced.
    """
    newer, replaced = {}, []
    known = _histories(runner.message_hub.log_scalars)
    records = runner.message_hub.runtime_info
    named = {Path(records[key]).name for key in records if key.startswith(PATH)}
    files = [file for file in best_checkpoints(folder) if file.name not in named]
    found = [best for file in files for best in _read(file)]
    for best in sorted(found, key=lambda best: best.iteration):  # in the order of the run
        ahead = best.iteration > runner.iter
        comes_there = not ahead or best.settings == fingerprints(runner.cfg)
        if comes_there and _begins_as(best.histories, known):
            replaced.append(Path((records | newer).get(best.key, '')).name)
            newer |= {best.key: str(best.path), best.key.replace(PATH, SCORE): best.score}
            known = best.histories
        elif _begins_as(known, best.histories):
            replaced.append(best.path.name)
    return newer, replaced


def _read(file: Path) -> Iterator[Best]:
    """Yield what a best checkpoint says, nothing of a file that is none."""
    try:
        content = load_file(file)
        require_form(file, content, FORM, complete=True)
    except InputError:
        return
    records = content['message_hub']['runtime_info']
    for key in [key for key in records if type(key) is str and key.startswith(PATH)]:
        score = key.replace(PATH, SCORE)
        if Path(str(records[key])).name == file.name and score in records:
            yield Best(
                path=file,
                key=key,
                score=records[score],
                iteration=content['meta']['iter'],
                settings=content.get(SETTINGS),
                histories=_histories(content['message_hub']['log_scalars']),
            )


def _histories(scalars: dict) -> dict[str, np.ndarray]:
    return {k: buffer.data[0] for k, buffer in scalars.items() if isinstance(buffer, HistoryBuffer)}


def _begins_as(longer: dict[str, np.ndarray], shorter: dict[str, np.ndarray]) -> bool:
    """Return whether each history of ``shorter`` begins one of ``longer``."""
    return bool(shorter) and all(
        np.array_equal(longer.get(name, [])[: len(part)], part, equal_nan=True)
        for name, part in shorter.items()
    )
