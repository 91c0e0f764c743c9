"""What a training says at its end: where the weights are, how good they are, what to do next."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from mmengine.runner import Runner

from ..analysis.run_log import metrics_of
from ..configuration.settings import python_path
from ..tasks import find_task
from ..training.find_checkpoint import BEST
from ..utils.messages import command_line, from_here, plural
from ..utils.run_files import STEP
from .overfit import SHORT
from .result import TrainResult


def next_steps(runner: Runner, result: TrainResult) -> Iterator[str]:
    """Yield the lines; none without a checkpoint.

    The commands read the config that the run has saved, so they need no option of the run.
    """
    weights = result.best or result.checkpoint
    if weights is None:
        return
    metrics = metrics_of(weights) if runner.val_loop else {}
    named = {f'{BEST}_{name.replace("/", "_")}_': name for name in metrics}
    metric = named.get(STEP.sub('', weights.name), next(iter(metrics), ''))
    measured = ''
    if metric:
        images = plural(len(runner.val_dataloader.dataset), 'validation image')
        measured = f' ({metric} {metrics[metric]:.3f} on {images})'
    yield f'weights: {from_here(weights)}{measured}'
    if metric and result.best:
        yield from _advice(runner, metric, metrics[metric])
    if find_task(runner.cfg) and runner.cfg.get('test_dataloader'):
        saved = from_here(result.work_dir / Path(runner.cfg.filename).name)
        chosen = [saved, from_here(weights)]
        path = python_path(runner.cfg)
        yield f'next: {path}{command_line("test", *chosen, "--report", "report")}'
        yield f'then: {path}{command_line("predict", *chosen, "IMAGES", "--out", "out")}'


def _advice(runner: Runner, metric: str, best: float) -> Iterator[str]:
    """Say whether a longer training may help, where the evaluations tell."""
    measured = runner.message_hub.log_scalars.get(f'val/{metric}')
    values = measured.data[0] if measured else np.array([best])  # of a checkpoint without records
    since = len(values) - 1 - int(np.abs(values - best).argmin())
    if since > 1 and runner.iter >= SHORT:
        lately = f'has not improved in the last {since} evaluations'
        yield f'{metric} {lately}; a longer training is unlikely to help'
    elif since == 0 and len(values) > 1:
        yield f'{metric} improved until the last evaluation; a longer training may help'
