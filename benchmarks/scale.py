"""How time and memory grow with tokens, batch, depth and processes.

A line is one model and step along one axis; its points take turns. A power c * n**e is fitted to
the medians, and to the peaks of memory, by least squares of the logarithms. Each row has the
exponents e of its line, and how far the fitted power is off at its worst point. Along processes,
for training alone, each has one CPU thread and 4 images, and gradients are averaged by gloo.
"""

import copy
import statistics
import tempfile
from argparse import Namespace
from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from vitbackbones.commands.cli import image_size

from .command import start
from .comparing import STEPS, Case, make_step
from .model_sources import SOURCES, Size, build_model
from .timing import interleaved_seconds, peak_bytes

CPU = torch.device('cpu')
SIZES = tuple((side, side) for side in (224, 384, 640, 928, 1333))
BATCHES = (1, 2, 4, 8)
DEPTHS = (1, 2, 4)
PROCESSES = 2
TOGETHER = 4  # images of each process
STRIDE = 16  # a token is one patch of this side, also in the pyramids
# The blocks of each host (in each stage) at depth 1, which the other axes have: a third to a half
# of the published ones. What grows, grows alike in all blocks.
HOSTS = {
    'deit_ti': ('depth', [4]),
    'tnt_ti': ('depth', [4]),
    'sret_t': ('depths', [1, 2, 1]),
    'pvt_t': ('depths', [1, 1, 1, 1]),
    'swin_t': ('depths', [1, 1, 3, 1]),
}


class Point(NamedTuple):
    """A model in one case, ``value`` being its place on the axis."""

    value: int
    model: str
    case: Case


def lines(host: str, step: str, sizes: Sequence[Size]) -> Iterator[tuple[str, list[Point]]]:
    """Yield each axis, and the points along it."""

    def case(size: Size, batch: int) -> Case:
        return Case(step, 'eager', 'float32', size, batch)

    base, first = _model(host, 1), sizes[0]
    tokens = [-(-h // STRIDE) * -(-w // STRIDE) for h, w in sizes]
    yield 'tokens', [Point(n, base, case(size, 1)) for n, size in zip(tokens, sizes, strict=True)]
    yield 'batch', [Point(n, base, case(first, n)) for n in BATCHES]
    yield 'depth', [Point(n, _model(host, n), case(first, 1)) for n in DEPTHS]
    if step == 'train':
        yield 'processes', [Point(n, base, case(first, TOGETHER)) for n in (1, PROCESSES)]


def _model(host: str, depth: int) -> str:
    key, blocks = HOSTS[host]
    deeper = [depth * n for n in blocks]
    value = deeper[0] if key == 'depth' else f'[{",".join(map(str, deeper))}]'
    return f'ours:{host},arch.{key}={value}'


def rows(options: Namespace) -> Iterator[dict]:
    """Yield a row for every point of every line."""
    for host in HOSTS:
        for axis, points in lines(host, options.step, options.size):
            measure = _together if axis == 'processes' else _in_turns
            seconds, peaks = zip(*measure(points, options), strict=True)
            medians = [1e3 * statistics.median(each) for each in seconds]
            values = [point.value for point in points]
            fitted = {}
            for name, measured in (('time', medians), ('memory', peaks)):
                exponent, off = fit_power(values, measured)
                fitted |= {f'{name}_exponent': round(exponent, 2), f'{name}_off': round(off, 2)}
            for point, ms, peak in zip(points, medians, peaks, strict=True):
                place = {'axis': axis, 'host': host, 'value': point.value, 'model': point.model}
                found = {'median_ms': round(ms, 1), 'peak_MiB': round(peak / 2**20, 1)}
                yield place | point.case.columns() | found | fitted


def fit_power(values: Sequence[float], measured: Sequence[float]) -> tuple[float, float]:
    """Fit ``measured = c * values**e`` by least squares of the logarithms.

    Returns:
        The exponent e, and the largest distance of a point from the power, as a share of it.
    """
    x, y = np.log(values), np.log(measured)
    power = np.polyfit(x, y, 1)
    return power[0], np.exp(np.abs(y - np.polyval(power, x)).max()) - 1


def _in_turns(points: list[Point], options: Namespace) -> list[tuple[list[float], int]]:
    """Return the seconds of each point and its peak bytes."""
    steps = {}
    for point in points:
        model = build_model(point.model, point.case.size, SOURCES)
        steps[point] = make_step(model, point.case, options.device)
    peaks = [peak_bytes(step, options.device) for step in steps.values()]
    seconds = interleaved_seconds(steps, options.device, options.repeats, options.warm_up)
    return list(zip(seconds.values(), peaks, strict=True))


def _together(points: list[Point], options: Namespace) -> list[tuple[list[float], int]]:
    """Return the same of the first of several processes: of its step alone, and of a joint one."""
    results = get_context('spawn').SimpleQueue()
    with tempfile.TemporaryDirectory() as folder:
        given = (f'file://{folder}/meeting', points[0], options.warm_up, options.repeats, results)
        torch.multiprocessing.spawn(_take_part, given, nprocs=PROCESSES)
    return results.get()


def _take_part(rank: int, address: str, point: Point, warm_up: int, repeats: int, results) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(rank)
    dist.init_process_group('gloo', address, rank=rank, world_size=PROCESSES)
    model = build_model(point.model, point.case.size, SOURCES)
    alone = make_step(copy.deepcopy(model), point.case, CPU)
    joint = make_step(DistributedDataParallel(model), point.case, CPU)

    def together() -> None:
        dist.barrier()  # the others wait here while the first process takes its step alone
        joint()

    if rank == 0:
        steps = {1: alone, PROCESSES: together}
        peaks = [peak_bytes(step, CPU) for step in steps.values()]
        seconds = interleaved_seconds(steps, CPU, repeats, warm_up)
        results.put(list(zip(seconds.values(), peaks, strict=True)))
    else:
        for _ in range(1 + warm_up + repeats):  # 1: where the first process measures memory
            together()
    dist.destroy_process_group()


def _add_cases(add) -> None:
    add('--step', choices=STEPS, default='forward', help='default: forward')
    add('--size', nargs='+', type=image_size, default=SIZES, metavar='H[xW]', help='images')


if __name__ == '__main__':
    start(__doc__, rows, _add_cases)
