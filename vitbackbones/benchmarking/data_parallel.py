"""A training step that several processes share, against the same step of one of them alone.

Each process computes on one CPU thread and has a batch of its own; gradients are averaged by gloo.
"""

import copy
import tempfile
from multiprocessing import get_context
from multiprocessing.queues import SimpleQueue

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from .model_sources import SOURCES, build_model
from .steps import Case, make_step
from .timing import interleaved_seconds, peak_bytes

CPU = torch.device('cpu')


def measure(
    spec: str, case: Case, processes: int, warm_up: int, repeats: int
) -> dict[int, tuple[list[float], int]]:
    """Time the step of one process alone and of all together, in turns.

    Args:
        spec: the model, as ``build_model`` reads it.
        case: with the batch of each process.
        processes: how many train together, 2 or more.
        warm_up, repeats: unmeasured and measured rounds.

    Returns:
        For 1 and for ``processes``: seconds of the rounds, and peak bytes, of the first process.
    """
    results = get_context('spawn').SimpleQueue()
    with tempfile.TemporaryDirectory() as folder:
        options = (f'file://{folder}/meeting', processes, spec, case, warm_up, repeats, results)
        torch.multiprocessing.spawn(_take_part, options, nprocs=processes)
    return results.get()


def _take_part(
    rank: int,
    address: str,
    processes: int,
    spec: str,
    case: Case,
    warm_up: int,
    repeats: int,
    results: SimpleQueue,
) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(rank)
    dist.init_process_group('gloo', address, rank=rank, world_size=processes)
    steps = _steps(build_model(spec, case.size, SOURCES), case, processes)
    if rank == 0:
        peaks = {n: peak_bytes(step, CPU) for n, step in steps.items()}
        seconds = interleaved_seconds(steps, CPU, repeats, warm_up)
        results.put({n: (seconds[n], peaks[n]) for n in steps})
    else:
        for _ in range(1 + warm_up + repeats):  # 1: where the first process measures memory
            steps[processes]()
    dist.destroy_process_group()


def _steps(model: nn.Module, case: Case, processes: int) -> dict:
    alone = make_step(copy.deepcopy(model), case, CPU)
    joint = make_step(DistributedDataParallel(model), case, CPU)

    def together() -> None:
        dist.barrier()  # the others wait here while the first process takes its step alone
        joint()

    return {1: alone, processes: together}
