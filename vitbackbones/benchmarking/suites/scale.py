"""How time and memory grow with tokens, batch, depth and processes.

A line is one model and step along one axis; its points take turns. A power c * n**e is fitted to
the medians, and to the peaks of memory, by least squares of the logarithms. Each row has the
exponents e of its line, and how far the fitted power is off at its worst point.

A run that was stopped goes on: whole lines that the CSV file holds are not measured again. Lines
of other steps, sizes or batches that are in it stay there.
"""

import statistics
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import torch

from ...errors import InputError
from .. import data_parallel
from ..model_sources import Source, build_model
from ..steps import Case, make_step
from ..tables import read_csv
from ..timing import interleaved_seconds, peak_bytes

SIZES = tuple((side, side) for side in (224, 384, 640, 928, 1333))
BATCHES = (1, 2, 4, 8)
DEPTHS = (1, 2, 4)
PROCESSES = 2
KEYS = {'axis', 'host', 'value', 'time_exponent'}  # columns that no other table has together
TOGETHER = 4  # images of each process
SIZE = (224, 224)  # along the axes other than tokens
STRIDE = 16  # a token is one patch of this side, also in the pyramids
# The blocks of each host (in each stage) at depth 1, which the other axes have: a third to a half
# of the published ones. What grows, grows alike in all blocks.
HOSTS: dict[str, dict] = {
    'deit_ti': {'depth': 4},
    'tnt_ti': {'depth': 4},
    'sret_t': {'depths': [1, 2, 1]},
    'pvt_t': {'depths': [1, 1, 1, 1]},
    'swin_t': {'depths': [1, 1, 3, 1]},
}


@dataclass(frozen=True)
class Point:
    """A model in one case, ``value`` being its place on the axis."""

    value: int
    model: str
    case: Case
    processes: int = 1


@dataclass(frozen=True)
class Line:
    """Points of one host along one axis, which take turns."""

    axis: str
    host: str
    points: tuple[Point, ...]

    def columns(self, point: Point) -> dict:
        """Return what tells the row of a point from all others."""
        place = {'axis': self.axis, 'host': self.host, 'value': point.value}
        return place | {'model': point.model, 'processes': point.processes} | point.case.columns()


def rows(options: Namespace, sources: Mapping[str, Source]) -> Iterator[dict]:
    """Yield the rows of the CSV file, and then one for every point of every line that it lacks.

    Along processes there are lines for training alone.

    Raises:
        InputError: the file holds another table.
    """
    earlier = _read(options.out)
    lacking = [line for line in lines(options) if not _has_whole(earlier, line)]
    again = [line.columns(point) for line in lacking for point in line.points]
    yield from (row for row in earlier if not any(_has(row, columns) for columns in again))
    for line in lacking:
        yield from _measured(line, options, sources)


def lines(options: Namespace) -> Iterator[Line]:
    """Yield what to measure; the command line may name sizes and batches."""
    for kind in product(options.step, options.engine, options.precision):
        for host in HOSTS:
            yield from _lines_of(host, kind, options)


def _lines_of(host: str, kind: tuple[str, str, str], options: Namespace) -> Iterator[Line]:
    model = _model(host, 1)
    by_axis = {
        'tokens': [
            Point(_tokens(size), model, Case(*kind, size, 1)) for size in options.size or SIZES
        ],
        'batch': [
            Point(batch, model, Case(*kind, SIZE, batch)) for batch in options.batch or BATCHES
        ],
        'depth': [Point(depth, _model(host, depth), Case(*kind, SIZE, 1)) for depth in DEPTHS],
    }
    if kind[0] == 'train':
        case = Case(*kind, SIZE, TOGETHER)
        by_axis['processes'] = [Point(n, model, case, n) for n in (1, PROCESSES)]
    for axis, points in by_axis.items():
        yield Line(axis, host, tuple(points))


def fit_power(values: Sequence[float], measured: Sequence[float]) -> tuple[float, float]:
    """Fit ``measured = c * values**e`` by least squares of the logarithms.

    Returns:
        The exponent e, and the largest distance of a point from the power, as a share of it.
    """
    x, y = np.log(values), np.log(measured)
    power = np.polyfit(x, y, 1)
    return power[0], np.exp(np.abs(y - np.polyval(power, x)).max()) - 1


def _tokens(size: tuple[int, int]) -> int:
    return -(-size[0] // STRIDE) * -(-size[1] // STRIDE)


def _model(host: str, depth: int) -> str:
    [(key, blocks)] = HOSTS[host].items()
    deeper = [depth * n for n in blocks] if isinstance(blocks, list) else depth * blocks
    return f'ours:{host},arch.{key}={str(deeper).replace(" ", "")}'


def _measured(line: Line, options: Namespace, sources: Mapping[str, Source]) -> Iterator[dict]:
    measure = _processes if line.axis == 'processes' else _in_turns
    results = measure(line.points, options, sources)
    values = [point.value for point in line.points]
    medians = [1e3 * statistics.median(seconds) for seconds, _ in results]
    peaks = [peak / 2**20 for _, peak in results]
    time, memory = fit_power(values, medians), fit_power(values, peaks)
    for point, median, peak in zip(line.points, medians, peaks, strict=True):
        yield line.columns(point) | {
            'median_ms': round(median, 1),
            'peak_MiB': round(peak, 1),
            'time_exponent': round(time[0], 2),
            'time_off': round(time[1], 2),
            'memory_exponent': round(memory[0], 2),
            'memory_off': round(memory[1], 2),
        }


def _in_turns(
    points: Sequence[Point], options: Namespace, sources: Mapping[str, Source]
) -> list[tuple[list[float], int]]:
    """Return the seconds of each point and its peak bytes."""
    torch.compiler.reset()
    steps = {}
    for point in points:
        model = build_model(point.model, point.case.size, sources)
        steps[point] = make_step(model, point.case, options.device)
    peaks = [peak_bytes(step, options.device) for step in steps.values()]
    seconds = interleaved_seconds(steps, options.device, options.repeats, options.warm_up)
    return list(zip(seconds.values(), peaks, strict=True))


def _processes(
    points: Sequence[Point], options: Namespace, sources: Mapping[str, Source]
) -> list[tuple[list[float], int]]:
    last = points[-1]
    found = data_parallel.measure(
        last.model, last.case, last.processes, options.warm_up, options.repeats
    )
    return [found[point.processes] for point in points]


def _read(file: str | None) -> list[dict]:
    """Return the rows of a file, none if it does not exist."""
    if not file or not Path(file).exists():
        return []
    found = read_csv(Path(file))
    if found and not found[0].keys() >= KEYS:
        raise InputError(f'--out {file}: holds another table. Remove it, or choose another file.')
    return found


def _has_whole(rows: Sequence[dict], line: Line) -> bool:
    return all(any(_has(row, line.columns(point)) for row in rows) for point in line.points)


def _has(row: dict, columns: dict) -> bool:
    return all(row.get(name) == str(value) for name, value in columns.items())
