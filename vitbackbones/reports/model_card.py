"""The card of a model: Markdown with YAML in front, as the Hugging Face hub reads it."""

import html
from collections.abc import Mapping
from pathlib import Path

import yaml

from ..configuration.data_paths import datasets
from ..configuration.settings import model_settings
from ..errors import printable
from ..utils.packages import versions
from .trained_run import TrainedRun

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
