"""What a finished run leaves in its work dir: the config, the best weights, what they measured."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from mmengine.config import Config
from torch import Tensor

from ..analysis.run_log import metrics_of
from ..configuration.classes import config_meta
from ..configuration.data_paths import datasets
from ..configuration.read import read_config
from ..errors import InputError
from ..training.find_checkpoint import best_checkpoints, find_checkpoint
from ..utils.files import stays_inside
from ..utils.run_files import STEP
from ..weights.filling import require_finite
from ..weights.read.load import load_file

BACKBONE = 'backbone.'  # of keys
SECRET = re.compile(r'(token|secret|password|credential|api_?key|access_key)s?$', re.I)  # of keys


@dataclass(frozen=True)
class TrainedRun:
    """A run and the weights that are taken from it."""

    config: Config  # as it was run
    checkpoint: Path
    state: dict[str, Tensor]  # the weights that validation evaluated
    meta: dict[str, list]  # classes and, where it is known, palette
    metrics: dict[str, float]  # what the log has for these weights, if they were evaluated

    @property
    def name(self) -> str:
        """The name of the config."""
        return Path(self.config.filename).stem

    @property
    def is_backbone(self) -> bool:
        """Whether the weights are those of a backbone alone."""
        return all(key.startswith(BACKBONE) for key in self.state)

    @property
    def after(self) -> str:
        """How long the weights were trained, such as ``'epoch 18'``; '' if the name is another."""
        step = STEP.search(self.checkpoint.name)
        return f'{step[1]} {step[2]}' if step else ''


def read_run(work_dir: Path, given: str | None = None) -> TrainedRun:
    """Read a work dir and a checkpoint in it; by default the best one, or else the latest.

    Raises:
        InputError: there is no config or no checkpoint, or it cannot be read, or is no result.
    """
    own = [file for file in work_dir.glob('*.py') if stays_inside(file, work_dir)]
    files = sorted(own, key=lambda file: file.stat().st_mtime)
    if not files:
        raise InputError(
            f'WORK_DIR {work_dir}: contains no config that train wrote; give the work dir of a '
            'training'
        )
    config = read_config(files[-1])
    best = next(iter(best_checkpoints(work_dir)), work_dir)
    checkpoint = find_checkpoint(given or str(best), 'WORK_DIR')
    content = load_file(checkpoint)
    if 'state_dict' not in content:
        raise InputError(f'{checkpoint}: has no state_dict, so it is not a checkpoint of train')
    require_finite(checkpoint, content['state_dict'])
    about = (content.get('meta') or {}).get('dataset_meta') or config_meta(config)
    meta = {key: list(about[key]) for key in ('classes', 'palette') if about.get(key)}
    return TrainedRun(config, checkpoint, content['state_dict'], meta, metrics_of(checkpoint))


def portable_text(run: TrainedRun) -> str:
    """Return the config's text without the places and passwords of this machine.

    What lies in a folder of data stays beside its other files; of any other file the name stays.
    """
    config = run.config.copy()
    for key in ('work_dir', 'load_from', 'resume'):
        config.pop(key, None)
    text = config.pretty_text
    roots = {Path(dataset.get('data_root') or '') for _, dataset in datasets(config)}
    places = {str(root): f'data/{root.name}' for root in roots if root.is_absolute() and root.name}
    places[str(Path(run.config.work_dir).absolute())] = f'work_dirs/{run.name}'
    for place in sorted(places, key=len, reverse=True):  # a folder before the one that it lies in
        text = text.replace(place, places[place])
    for key, value in _texts(config.to_dict()):
        if SECRET.search(key):
            text = text.replace(repr(value), "''")
        elif value.startswith(('/', 'file:/')):
            text = text.replace(repr(value), repr(Path(value).name))
    return text


def _texts(value: object, key: str = '') -> Iterator[tuple[str, str]]:
    """Yield every text in a config that is not empty, after its key."""
    if isinstance(value, str) and value:
        yield key, value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _texts(inner, str(name))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner, key)
