"""Whether learning rate and length of a run are meant for its batch.

``auto_scale_lr.base_batch_size`` says how many images a step has that a config's rate is meant for.
mmengine reads it only when it is told to scale: the recipe of eight GPUs runs on one of them at
eight times the rate that belongs to its batch, and nothing says so.
"""

import os
from collections.abc import Iterator

from mmengine.config import Config

COUNTS = {'pytorch': 'WORLD_SIZE', 'slurm': 'SLURM_NTASKS'}  # set by the launcher


def check_batch_size(config: Config, launcher: str) -> list[str]:
    """Return a line where the images of a step are not those that the recipe is made for.

    Args:
        config: of a training run.
        launcher: ``none``, ``pytorch`` or ``slurm``, before its process group exists.
    """
    scaling = config.get('auto_scale_lr') or {}
    base, images = scaling.get('base_batch_size'), config.train_dataloader.get('batch_size')
    if not (base and images):
        return []
    loaded = images * int(os.environ.get(COUNTS.get(launcher, ''), 1))
    findings = [*_rate_findings(config, base, loaded), *_length_findings(config, base, loaded)]
    return ['; '.join(findings)] if findings else []


def _rate_findings(config: Config, base: int, loaded: int) -> Iterator[str]:
    """Say if the rate is that of another batch than the ``loaded`` images of an iteration."""
    repeats = config.optim_wrapper.get('accumulative_counts', 1)
    if config.auto_scale_lr.get('enable'):
        if repeats > 1:  # which mmengine does not count
            yield (
                f'auto_scale_lr makes the learning rate that of {loaded} images a step, and '
                f'optim_wrapper.accumulative_counts={repeats} makes them {loaded * repeats}: '
                'use one of the two'
            )
    elif loaded * repeats != base:
        remedies = _remedies(base, config.train_dataloader.batch_size * repeats, loaded)
        yield (
            f'the learning rate is meant for {base} images a step, here are {loaded * repeats}: '
            f'{remedies}'
        )


def _remedies(base: int, of_process: int, loaded: int) -> str:
    """Say what makes the rate that of the batch, or the batch that of the rate."""
    found = ['scale it with --cfg-options auto_scale_lr.enable=True']
    if base % of_process == 0:
        found.append(f'train in {base // of_process} processes')
    if base % loaded == 0:
        found.append(f'set optim_wrapper.accumulative_counts={base // loaded}')
    return ', or '.join(found)


def _length_findings(config: Config, base: int, loaded: int) -> Iterator[str]:
    """Say if the length is given in iterations, and each has another number of images."""
    if 'max_iters' in config.train_cfg and loaded != base:
        yield (
            f'{config.train_cfg.max_iters} iterations of {loaded} images see {loaded / base:.3g} '
            f'times the images of the recipe, whose iterations have {base}'
        )
