"""What was run, so that a page can be told from another, and its numbers be made again."""

import platform
import shlex
import sys
import time
from pathlib import Path

import torch
from mmengine.config import Config

from ...configuration.data_paths import datasets
from ...export.runtime.card import digest
from ...utils.packages import versions


def facts(config: Config, checkpoint: Path, pictures: int) -> dict[str, str]:
    """Return what was run, under what it is called; ``pictures`` is how many were evaluated."""
    return {
        'config': str(config.filename),
        'checkpoint': f'{checkpoint.absolute()}\nSHA-256 {digest(checkpoint)}',
        'data set': '\n'.join(_describe(dataset) for _, dataset in datasets(config, ('test',))),
        'pictures': str(pictures),
        **made_by(),
    }


def made_by() -> dict[str, str]:
    """Return when this was run, by which command, with what."""
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else platform.machine()
    return {
        'date': time.strftime('%Y-%m-%d %H:%M:%S %z'),
        'command': shlex.join(sys.argv),
        'device': f'{device}, {platform.system()}',
        'versions': ', '.join(versions()),
    }


def _describe(dataset: dict) -> str:
    """Name a data set by its type and whatever says where its files are."""
    prefix = dataset.get('data_prefix') or {}
    parts = prefix.values() if isinstance(prefix, dict) else [prefix]
    places = [dataset.get('data_root'), dataset.get('ann_file'), *parts]
    return ' '.join(str(part) for part in (dataset['type'], *places) if part)
