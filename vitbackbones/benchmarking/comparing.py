"""Several models in every case that was asked for, as rows of a table."""

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import torch

from ..errors import InputError
from .model_sources import Source, build_model
from .steps import Case, make_step, require_running
from .timing import compare


def cases(options: Namespace, batches: Mapping[tuple[int, int], Sequence[int]]) -> Iterator[Case]:
    """Yield what to measure.

    Args:
        options: the command line, which may name sizes and numbers of images.
        batches: the sizes (height, width) if it does not, and numbers of images for each.
    """
    for kind in product(options.step, options.engine, options.precision):
        for size in options.size or batches:
            for batch in options.batch or batches.get(size, (1, 8)):
                yield Case(*kind, size, batch)


def compared(
    models: Sequence[str], case: Case, options: Namespace, sources: Mapping[str, Source]
) -> Iterator[dict]:
    """Yield a row for each of several ``models`` that take turns in one case.

    Raises:
        InputError: a model is unknown or cannot run the case.
    """
    torch.compiler.reset()
    torch.manual_seed(0)
    steps = {}
    for spec in models:
        if case.step == 'train' and spec.startswith('fused:'):
            raise InputError(
                f'{spec}: a folded model cannot be trained; leave it out of --step train'
            )
        model = build_model(spec, case.size, sources, options.features)
        steps[spec] = make_step(model, case, options.device)
    for spec, step in steps.items():
        require_running(spec, case, step)
    for row in compare(steps, options.device, options.repeats, options.warm_up):
        throughput = round(1e3 * case.batch / row['median_ms'], 1)
        yield case.columns() | {'images_per_s': throughput} | row
