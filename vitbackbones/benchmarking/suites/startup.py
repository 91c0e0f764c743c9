"""What the beginning of a training run takes, and an evaluation: Shapes, one config per task.

Each run is a fresh process (:mod:`vitbackbones.commands.start_times`), the configs take turns, and
the medians count. One further run of each, with Python's ``-X importtime``, says how long each
package takes to import, without the others that it imports.
"""

import json
import re
import subprocess
import sys
import tempfile
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median

from ...datasets import shapes
from ...errors import InputError
from ..model_sources import Source

# name of a config: what its data set is written with
CONFIGS: dict[str, dict] = {
    'detr_aug_vit_s_shapes': {},
    'setr_mla_msf_vit_ti_shapes': {},
    'cls_deit_ti_shapes': {'layout': 'folders', 'size': 64},
}
AFTERWARDS = ('later steps', 'evaluation: answers', 'evaluation: metric')
CHILD = 'vitbackbones.commands.start_times'
IMPORT = re.compile(r'^import time: +(\d+) \| +\d+ \| +(\S+)$', re.MULTILINE)
PACKAGES = 12  # so many are listed, those that take longest


def rows(options: Namespace, sources: Mapping[str, Source]) -> Iterator[dict]:
    """Yield a row for each part of each config's beginning, then one for each package."""
    with tempfile.TemporaryDirectory() as folder:
        data = {name: shapes.write(Path(folder, name), **kind) for name, kind in CONFIGS.items()}
        runs: dict[str, list[dict]] = {name: [] for name in CONFIGS}
        for _ in range(options.repeats):
            for name, found in runs.items():
                found.append(json.loads(_run(name, data[name]).stdout.splitlines()[-1]))
        for name, found in runs.items():
            yield _row(name, 'command to first step', median(map(_beginning, found)))
            for part in found[0]:
                yield _row(name, part, median(run[part] for run in found))
        for name in CONFIGS:
            packages = _by_package(_run(name, data[name], '-X', 'importtime').stderr)
            for package, seconds in packages.most_common(PACKAGES):
                yield _row(name, f'import: {package}', seconds)


def _beginning(run: dict[str, float]) -> float:
    return sum(seconds for part, seconds in run.items() if part not in AFTERWARDS)


def _row(name: str, part: str, seconds: float) -> dict:
    return {'config': name, 'part': part, 'seconds': round(seconds, 3)}


def _run(name: str, data: Path, *flags: str) -> subprocess.CompletedProcess:
    """Begin a run in a process of its own.

    Raises:
        InputError: it failed.
    """
    with tempfile.TemporaryDirectory() as work_dir:
        command = [sys.executable, '-W', 'ignore', *flags, '-m', CHILD, name, str(data), work_dir]
        result = subprocess.run([*command, str(time.time())], capture_output=True, text=True)
    if result.returncode:
        raise InputError(f'{name}: the run ended with\n{result.stderr[-2000:]}')
    return result


def _by_package(report: str) -> Counter:
    """Add up what ``-X importtime`` has printed: seconds of their own by top-level package."""
    seconds: Counter = Counter()
    for own, name in IMPORT.findall(report):
        seconds[name.partition('.')[0]] += int(own) / 1e6
    return seconds
