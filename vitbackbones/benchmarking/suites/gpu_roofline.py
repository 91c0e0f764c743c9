"""How near a step comes to what the device can do: its arithmetic, and its memory.

The peaks are measured, not read from a data sheet: a large product of matrices and a large copy.
A step's share of each is what it must do in its time: the operations of its matrix products and
convolutions, and the bytes that its operators read and write if nothing stays in a cache. A step
near neither peak waits for the host, or has kernels too small for the device.
"""

import statistics
from functools import partial

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import FlopCounterMode

from ..timing import interleaved_seconds
from .gpu_models import Step


def peaks(device: torch.device, dtype: torch.dtype, side: int) -> dict:
    """Return the measured TFLOP/s of a product of ``side`` x ``side`` matrices, and GB/s of a copy.

    The copy is of ``side`` * ``side`` bytes times 8, which are read and written.
    """
    a, b = torch.randn(2, side, side, device=device).to(dtype)
    source = torch.zeros(side, side, dtype=torch.float64, device=device)
    target = torch.empty_like(source)
    steps = {'product': partial(torch.mm, a, b), 'copy': partial(target.copy_, source)}
    seconds = interleaved_seconds(steps, device, repeats=20, warm_up=3)
    return {
        'tflops': round(2e-12 * side**3 / min(seconds['product']), 3),
        'gb_per_s': round(2e-9 * source.nbytes / min(seconds['copy']), 1),
    }


class _Traffic(TorchDispatchMode):
    """Adds up the bytes that operators read and write."""

    def __init__(self) -> None:
        super().__init__()
        self.bytes = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        if not func.is_view:
            given = tree_leaves((args, kwargs, out))
            self.bytes += sum(x.numel() * x.itemsize for x in given if isinstance(x, Tensor))
        return out


def work(step: Step) -> tuple[int, int]:
    """Return the operations of a step, and the bytes that its operators read and write."""
    # the counter knows matrix products, and not every fused kernel of attention
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as operations:
        step()
    with _Traffic() as traffic:
        step()
    return operations.get_total_flops(), traffic.bytes


def shares(step: Step, device: torch.device, peak: dict, repeats: int) -> dict:
    """Return what a step does, its time, and its shares of the peaks.

    Args:
        step: what runs on the device.
        device: where.
        peak: what :func:`peaks` returned.
        repeats: measured rounds.
    """
    seconds = statistics.median(interleaved_seconds({'': step}, device, repeats)[''])
    flops, traffic = work(step)
    return {
        'gflop': round(flops / 1e9, 1),
        'gbyte': round(traffic / 1e9, 2),
        'median_ms': round(1e3 * seconds, 3),
        'arithmetic_share': round(flops / seconds / (1e12 * peak['tflops']), 3),
        'bandwidth_share': round(traffic / seconds / (1e9 * peak['gb_per_s']), 3),
    }
