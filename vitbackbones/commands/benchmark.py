"""``tools/benchmark.py``: time models side by side, in every case that was asked for."""

from argparse import Namespace
from collections.abc import Iterator, Mapping

from ..benchmarking.comparing import cases, compared
from ..benchmarking.model_sources import Source
from ..benchmarking.suites import FOLDERS, suite_rows
from ..benchmarking.tables import report, require_room


def benchmark(options: Namespace, sources: Mapping[str, Source]) -> None:
    """Do what ``tools/benchmark.py --help`` describes.

    Args:
        options: the command line.
        sources: where models come from, by the word before the colon.

    Raises:
        InputError: a model is unknown or cannot run a case, or ``--out`` cannot be written.
    """
    if options.suite in FOLDERS:
        report(suite_rows(options.suite)(options, sources), None)
        return
    require_room(options.out)
    rows = suite_rows(options.suite) if options.suite else _rows
    report(rows(options, sources), options.out)


def _rows(options: Namespace, sources: Mapping[str, Source]) -> Iterator[dict]:
    """Yield a row of the table for every case and model."""
    for case in cases(options, {(224, 224): (1, 8)}):
        yield from compared(options.models, case, options, sources)
