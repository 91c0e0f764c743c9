"""``tools/benchmark_detr.py``: time mmdet's DETR transformer against this project's."""

from argparse import Namespace
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from ..benchmarking.detr import GRIDS, build_pair, make_step
from ..benchmarking.tables import report, require_room
from ..benchmarking.timing import compare


def benchmark(options: Namespace, config: Path) -> None:
    """Do what ``tools/benchmark_detr.py --help`` describes.

    Args:
        options: the command line.
        config: a file with the model's settings.

    Raises:
        InputError: ``--out`` cannot be written.
    """
    require_room(options.out)
    report(_rows(options, config), options.out)


def _rows(options: Namespace, config: Path) -> Iterator[dict]:
    """Yield a row of the table for every case and form."""
    models = build_pair(config, options.device, not options.no_dropout)
    for tokens, batch, mode in product(options.tokens, options.batch, options.modes):
        steps = {
            name: make_step(model, GRIDS[tokens], batch, mode == 'train')
            for name, model in models.items()
        }
        case = {'tokens': tokens, 'batch': batch, 'mode': mode}
        for row in compare(steps, options.device, options.repeats):
            yield case | row
