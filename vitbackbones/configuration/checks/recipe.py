"""Whether batch, length and images of a run are those that its recipe and weights are made for.

mmengine reads ``auto_scale_lr.base_batch_size``, the images of a step that a learning rate is meant
for, only when it is told to scale: the recipe of eight GPUs runs on one of them at eight times the
rate that belongs to its batch, and nothing says so.

The shipped configs normalize images as their weights saw them, but for SETR's, whose published
recipe does not. Weights from elsewhere may have seen other images. Nothing is changed here: a mean
that only training took from the table would be missing in every later test of the same config.
"""

import os
from collections.abc import Iterator, Mapping

from mmengine.config import Config

from ...backbones.names import MODELS
from ...backbones.preprocessing import named_config
from ...weights import PUBLISHED
from ...weights.by_name import name_of
from ...weights.filling import INITIALIZERS
from ..settings import value_at

COUNTS = {'pytorch': 'WORLD_SIZE', 'slurm': 'SLURM_NTASKS'}  # set by the launcher
PREPROCESSOR = 'model.data_preprocessor'


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
    findings = [*_rate_findings(config, base, loaded)]
    if 'max_iters' in config.train_cfg and loaded != base:
        findings.append(
            f'{config.train_cfg.max_iters} iterations of {loaded} images see {loaded / base:.3g} '
            f'times the images of the recipe, whose iterations have {base}'
        )
    return ['; '.join(findings)] if findings else []


def _rate_findings(config: Config, base: int, loaded: int) -> Iterator[str]:
    """Say if the rate is that of another batch than the ``loaded`` images of an iteration."""
    repeats = config.optim_wrapper.get('accumulative_counts', 1)
    if config.auto_scale_lr.get('enable'):
        if repeats > 1:  # which mmengine does not count
            yield (
                f'auto_scale_lr sets the learning rate for {loaded} images a step, but with '
                f'optim_wrapper.accumulative_counts={repeats} a step has {loaded * repeats}: '
                'use one of the two'
            )
    elif loaded * repeats != base:
        remedies = ['scale it with --cfg-options auto_scale_lr.enable=True']
        of_process = config.train_dataloader.batch_size * repeats
        if base % of_process == 0:
            remedies.append(f'train in {base // of_process} processes')
        if base % loaded == 0:
            remedies.append(f'set optim_wrapper.accumulative_counts={base // loaded}')
        yield (
            f'the learning rate is meant for {base} images a step, but this run has '
            f'{loaded * repeats}: {", or ".join(remedies)}'
        )


def check_normalization(config: Mapping) -> list[str]:
    """Return a line where mean or deviation are not those of the weights that a run starts from.

    Weights are known by the name of their file, as published or of the model.
    """
    name = name_of(_start(config['model']) or '')
    images = value_at(config, PREPROCESSOR)
    if name not in {*MODELS, *PUBLISHED} or not value_at(images, 'mean'):
        return []
    seen = {key: [round(255 * x, 3) for x in named_config(name)[key]] for key in ('mean', 'std')}
    if all(_agree(seen[key], images[key]) for key in seen):
        return []
    options = ' '.join(f'{PREPROCESSOR}.{key}={_listed(seen[key])}' for key in seen)
    return [
        f'the weights of {name} were trained on images of mean {_listed(seen["mean"])} and std '
        f'{_listed(seen["std"])}, but {PREPROCESSOR} has {_listed(images["mean"])} and '
        f'{_listed(images["std"])}, as some published recipes do; to normalize as for the weights: '
        f'--cfg-options {options}'
    ]


def _start(model: Mapping) -> str | None:
    """Return the checkpoint that a model or its backbone starts from."""
    for key in ('init_cfg', 'backbone.init_cfg'):
        if value_at(model, f'{key}.type') in INITIALIZERS:
            return value_at(model, f'{key}.checkpoint')
    return None


def _agree(ours: list[float], theirs: list[float]) -> bool:
    """Return whether two are the same to half a level of 8 bits, as RGB or as BGR."""
    pairs = zip(sorted(ours), sorted(theirs), strict=False)
    return all(abs(a - b) < 0.5 for a, b in pairs)


def _listed(values: list[float]) -> str:
    """Write numbers as --cfg-options reads them."""
    return f'[{",".join(f"{value:g}" for value in values)}]'
