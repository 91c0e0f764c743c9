"""What would make a GPU wait for its host, or leave its fused attention, seen without a GPU.

Fake tensors can be on a GPU that is not there. They have no values, so whatever needs one fails,
and a copy between host and GPU is an operation with tensors on both. Each of those stops the host
until the GPU has done all that it was asked before.

Which attention kernel takes a call is decided by rules of torch (``sdp_utils.cpp``) on shapes and
strides. Those that no kernel for CUDA but the slow one is free of are checked on a CPU here.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


@contextmanager
def without_values() -> Iterator[None]:
    """Build and run networks on fake tensors, whose weights are left as they are.

    Some releases of torch initialize in ways that need values (2.15) or a driver (2.6).
    """
    with FakeTensorMode(), pytest.MonkeyPatch.context() as patch:
        for name in dir(nn.init):
            if name.endswith('_') and not name.startswith('_'):
                patch.setattr(nn.init, name, lambda tensor, *args, **options: tensor)
        yield


def tensors(tree):
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, Tensor)]


class HostCopies(TorchDispatchMode):
    """Notes the operations that have tensors both on the host and on the GPU, and wait."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        # a single number of the host goes along with a kernel
        places = {t.device.type for t in tensors((args, out)) if t.ndim or t.device.type == 'cuda'}
        queued = (kwargs or {}).get('non_blocking') and out.device.type == 'cuda'
        if len(places) > 1 and not queued:
            self.seen.append(str(func))
        return out


def copies_of(use, make=lambda device: device):
    """Return the copies in ``use(make(device))``, where a GPU is that is not there.

    Those of ``make`` do not count.
    """
    if torch.__version__ < '2.11':  # the first that was tried after 2.6, which asks the driver
        pytest.skip('fake tensors on a GPU that is not there: torch 2.11')
    # which fused kernel it would be, only a real GPU can say
    with without_values(), sdpa_kernel(SDPBackend.MATH):
        made = make(torch.device('cuda'))
        with HostCopies() as copies:
            use(made)
    return copies.seen


class Refusals(TorchFunctionMode):
    """Notes why calls of attention could not run in a fused kernel of CUDA."""

    def __init__(self):
        super().__init__()
        self.calls, self.seen = 0, []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is torch.nn.functional.scaled_dot_product_attention:
            self.calls += 1
            self.seen += refusals(*args, **(kwargs or {}))
        return func(*args, **(kwargs or {}))


def refusals(q, k, v, attn_mask=None, *others, **options):
    """Yield why no fused kernel of CUDA takes a call in half precision."""
    given = [q, k, v, *([] if attn_mask is None else [attn_mask])]
    if any(x.stride(-1) != 1 for x in given):
        yield f'strides {[x.stride() for x in given]}: the last one must be 1'
    if not q.shape[-1] == k.shape[-1] == v.shape[-1] <= 256:
        yield f'widths of heads {[x.shape[-1] for x in (q, k, v)]}: one for all, at most 256'
    if attn_mask is not None and q.shape[-1] % 8:
        yield f'heads of {q.shape[-1]} channels: kernels with a mask want a multiple of 8'
