"""torchvision's kernels, and the type that operators compute in."""

from functools import reduce

import torch
from torch import Tensor


def torchvision_kernels():
    """Return ``torch.ops.torchvision``, imported at the first call: it takes time."""
    import torchvision  # noqa: F401 (registers them)

    return torch.ops.torchvision


def widen(*tensors: Tensor) -> list[Tensor]:
    """Return the tensors in the type that holds all of them, at least float32.

    In half precision a coordinate near 1000 has steps of 1/2 or, in bfloat16, of 4. torchvision
    widens under autocast for the same reason, and its kernels take one type for all inputs.
    """
    common = reduce(torch.promote_types, (each.dtype for each in tensors), torch.float32)
    return [each.to(common) for each in tensors]
