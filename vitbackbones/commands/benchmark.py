"""``tools/benchmark.py``: time models side by side, in every case that was asked for."""

from argparse import Namespace
from collections.abc import Iterator, Mapping
from itertools import product

import torch

from ..benchmarking.model_sources import Source, build_model
from ..benchmarking.steps import Case, make_step, require_running
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
    """Yield a row of the table for every case and model."""
    axes = (options.step, options.engine, options.precision, options.size, options.batch)
    for case in (Case(*values) for values in product(*axes)):
        torch.compiler.reset()
        torch.manual_seed(0)
        steps = {}
        for spec in options.models:
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
