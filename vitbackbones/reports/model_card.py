"""What a finished run leaves in its work dir, and the card of its model.

The card is Markdown with YAML in front, as the Hugging Face hub reads it.
"""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml
from mmengine.config import Config
from torch import Tensor

from ..analysis.run_log import metrics_of
from ..configuration.classes import config_meta
from ..configuration.data_paths import datasets
from ..configuration.read import read_config
from ..configuration.settings import model_settings, walk
from ..errors import InputError, printable
from ..training.find_checkpoint import best_checkpoints, find_checkpoint
from ..utils.files import stays_inside
from ..utils.packages import versions
from ..utils.run_files import STEP
from ..weights.filling import require_finite
from ..weights.read.load import load_file

BACKBONE = 'backbone.'  # of keys
# of dotted keys, which may end in a place in a list
SECRET = re.compile(r'(token|secret|password|credential|api_?key|access_key)s?(\.\d+)*$', re.I)


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
    for key, value in walk(config.to_dict()):
        if isinstance(value, str) and SECRET.search(key):
            text = text.replace(repr(value), "''")
        elif isinstance(value, str) and value.startswith(('/', 'file:/')):
            text = text.replace(repr(value), repr(Path(value).name))
    return text


# ------------------------------------------------------------------------ the card


PIPELINE_TAGS = {
    'mmdet': 'object-detection',
    'mmseg': 'image-segmentation',
    'mmpretrain': 'image-classification',
}
LIBRARY = 'vitbackbones'
EVALUATED = ('val', 'test')  # a run without validation, as the last one of --smoke, has test alone


def write_card(run: TrainedRun, file: str, size: int, sha256: str, license: str) -> str:
    """Return the text of a card; ``size`` and ``sha256`` are those of the ``file`` of weights."""
    front = yaml.safe_dump(_front(run, license), sort_keys=False, allow_unicode=True)
    metrics = 'The log of the run contains no metrics for these weights.'
    if run.metrics:
        rows = {f'`{name}`': f'{value:.4g}' for name, value in run.metrics.items()}
        data = _data_name(run, *EVALUATED)
        metrics = f'On val of {data}, from the log of the run.\n\n{_table(rows)}'
    return f"""---
{front}---

# {run.name}

Trained with vitbackbones. With this folder:

{_usage(run, file)}

{_table(_facts(run, file, size, sha256))}

## Metrics

{metrics}
"""


def _usage(run: TrainedRun, file: str) -> str:
    if run.is_backbone:
        return f'    vitbackbones train CONFIG --pretrained {file}'
    return f"""    vitbackbones predict config.py {file} photo.jpg --out out
    vitbackbones test config.py {file} --data-root FOLDER"""


def _front(run: TrainedRun, license: str) -> dict:
    front = {
        'license': license,
        'library_name': LIBRARY,
        'datasets': [_data_name(run, 'train')],
        'tags': [LIBRARY],
    }
    tag = PIPELINE_TAGS.get(run.config.get('default_scope'))
    if tag is None:  # of another toolbox: the hub takes metrics together with a task alone
        return front
    front |= {'pipeline_tag': tag, 'tags': [LIBRARY, tag]}
    if run.metrics:
        data = _data_name(run, *EVALUATED)
        result = {
            'task': {'type': tag},
            'dataset': {'name': data, 'type': data.lower()},
            'metrics': [{'type': name, 'value': value} for name, value in run.metrics.items()],
        }
        front['model-index'] = [{'name': run.name, 'results': [result]}]
    return front


def _data_name(run: TrainedRun, *splits: str) -> str:
    """Return the name of the folder of the first dataset, or of its type if it names none."""
    _, dataset = next(datasets(run.config, splits))
    return Path(dataset.get('data_root') or dataset['type']).name


def _facts(run: TrainedRun, file: str, size: int, sha256: str) -> dict[str, str]:
    model = model_settings(run.config)
    preprocessor = model.get('data_preprocessor') or {}
    rgb = preprocessor.get('bgr_to_rgb') or preprocessor.get('to_rgb')
    count = sum(value.numel() for value in run.state.values())
    classes = {} if run.is_backbone else {'classes': ', '.join(run.meta.get('classes', ()))}
    return {
        'config': f'`{run.name}`',
        'model': f'`{model["type"]}` on `{model["backbone"]["type"]}`',
        'numbers in all tensors': f'{count:,}',
        **classes,
        'mean, std of pixels (0 to 255)': f'{preprocessor.get("mean")}, {preprocessor.get("std")}',
        'order of colors': 'RGB' if rgb else 'BGR',
        'trained on': f'{_data_name(run, "train")}, until {run.after or run.checkpoint.name}',
        'file': f'`{file}`, {size:,} bytes',
        'SHA-256': f'`{sha256}`',
        'written with': ', '.join(versions()),
    }


def _table(rows: Mapping[str, str]) -> str:
    lines = ['| | |', '|---|---|']
    for key, value in rows.items():
        # the name of a class may be any text, which has to stay in its cell
        text = html.escape(printable(value), quote=False)
        lines.append(f'| {key} | {text.replace("|", "&#124;").replace(chr(10), " ")} |')
    return '\n'.join(lines)
