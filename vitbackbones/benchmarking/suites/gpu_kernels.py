"""What a step runs: the kernel behind every call of attention, and how many kernels in all.

Both are read from torch's profiler. ``scaled_dot_product_attention`` chooses a kernel by shapes,
strides and types; the slow one, ``math``, writes all scores to memory and is taken where no other
can be, without a word.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd import DeviceType
from torch.autograd.profiler_util import FunctionEvent
from torch.overrides import TorchFunctionMode
from torch.profiler import ProfilerActivity

from ..profiling import recording

ATTENTION = 'aten::scaled_dot_product_attention'
# by the beginning of the operator's name; on a CPU it goes on with '_for_cpu'
KERNELS = {
    'aten::_scaled_dot_product_flash_attention': 'flash',
    'aten::_scaled_dot_product_efficient_attention': 'efficient',
    'aten::_scaled_dot_product_cudnn_attention': 'cudnn',
    'aten::_scaled_dot_product_fused_attention_overrideable': 'fused',
    'aten::_scaled_dot_product_attention_math': 'math',
}


@dataclass(frozen=True)
class Call:
    """A call of attention.

    Attributes:
        query, key: their shapes, (N, heads, L, c) and (N, heads, S, c), as 'N x heads x L x c'.
        mask: the shape of what is added to the scores, '' for nothing.
        mask_stride: of its last dimension; the kernels for CUDA take none but 1.
        mask_learns: whether the mask needs a gradient.
        dropout: rate on the weights.
    """

    query: str
    key: str
    mask: str
    mask_stride: int | str
    mask_learns: bool
    dropout: float


class _Calls(TorchFunctionMode):
    """Notes the calls of attention, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Call] = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func is F.scaled_dot_product_attention:
            self.seen.append(_describe(*args, **kwargs))
        return func(*args, **kwargs)


def _describe(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    *others,
    **options,
) -> Call:
    given = attn_mask is not None
    return Call(
        query=_shape(query),
        key=_shape(key),
        mask=_shape(attn_mask) if given else '',
        mask_stride=attn_mask.stride(-1) if given else '',
        mask_learns=given and attn_mask.requires_grad,
        dropout=dropout_p,
    )


def _shape(x: Tensor) -> str:
    return ' x '.join(map(str, x.shape))


def attention_rows(step: Callable[[], object], device: torch.device) -> Iterator[dict]:
    """Yield a row for each kind of call of attention in a step, with the kernel that took it."""
    with _Calls() as calls:
        events = _profiled(step, device)
    entries = [e for e in events if e.name == ATTENTION and not _inside_another(e)]
    entries.sort(key=lambda event: event.time_range.start)
    kernels = [_kernel(event) for event in entries]
    counted = Counter(zip(calls.seen, kernels, strict=True))
    for (call, kernel), count in counted.items():
        verdict = 'fail' if kernel in ('math', '') else 'pass'
        yield {**asdict(call), 'calls': count, 'kernel': kernel, 'verdict': verdict}


def _inside_another(event: FunctionEvent) -> bool:
    """Whether this is the second entry of one call, as autocast makes."""
    parent = event.cpu_parent
    return parent is not None and (parent.name == ATTENTION or _inside_another(parent))


def _kernel(event: FunctionEvent) -> str:
    for child in event.cpu_children:
        named = (kernel for name, kernel in KERNELS.items() if child.name.startswith(name))
        if found := next(named, '') or _kernel(child):
            return found
    return ''


def launches(step: Callable[[], object], device: torch.device) -> int:
    """Return how many kernels a step launches; on a CPU, how many operators do the work in it."""
    step()  # what is done once is not counted
    events = _profiled(step, device)
    if device.type == 'cuda':
        return sum(
            e.device_type == DeviceType.CUDA
            and not e.is_user_annotation
            and not e.name.startswith(('Memcpy', 'Memset'))
            for e in events
        )
    return sum(e.name.startswith('aten::') and not e.cpu_children for e in events)


def _profiled(step: Callable[[], object], device: torch.device) -> list[FunctionEvent]:
    activities = [ProfilerActivity.CPU]
    if device.type == 'cuda':
        activities.append(ProfilerActivity.CUDA)
    with recording(activities) as profiler:
        step()
        if device.type == 'cuda':
            torch.cuda.synchronize(device)
    return profiler.events()
