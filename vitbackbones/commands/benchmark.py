"""``tools/benchmark.py``: time models side by side, in every case that was asked for."""

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import torch

from ..benchmarking.model_sources import Source, build_model
from ..benchmarking.steps import Case, make_step, require_running
from ..benchmarking.suites import SUITES
from ..benchmarking.timing import compare, report, require_room
from ..errors import InputError


def benchmark(options: Namespace, sources: Mapping[str, Source]) -> None:
    """Do what ``tools/benchmark.py --help`` describes.

    Args:
        options: the command line.
        sources: where models come from, by the word before the colon.

    Raises:
        InputError: a model is unknown or cannot run a case, or ``--out`` cannot be written.
    """
    require_room(options.out)
    report(_rows(options, sources), options.out)


def _rows(options: Namespace, sources: Mapping[str, Source]) -> Iterator[dict]:
    """Yield a row of the table for every case, group and model."""
    groups = SUITES[options.suite].groups if options.suite else [options.models]
    for case in _cases(options):
        for models in groups:
            yield from _compared(models, case, options, sources)


def _cases(options: Namespace) -> Iterator[Case]:
    """Yield what to measure; sizes and batches by default as the suite says, or 224 and 1, 8."""
    batches = SUITES[options.suite].batches if options.suite else {(224, 224): (1, 8)}
    for kind in product(options.step, options.engine, options.precision):
        for size in options.size or batches:
            for batch in options.batch or batches.get(size, (1, 8)):
                yield Case(*kind, size, batch)


def _compared(
    models: Sequence[str], case: Case, options: Namespace, sources: Mapping[str, Source]
) -> Iterator[dict]:
    """Yield a row for each of several models that take turns in one case."""
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
