"""What a checkpoint may hold besides lists, dicts, texts and numbers.

:data:`NAMES` is the whole list: tensors, numpy's arrays and numbers, mmengine's history of losses
and the ``argparse.Namespace`` of DeiT's code. A name that a file may call is a ``Maker`` whose
function or class below takes nothing but what such an object holds; any other name is a constant.
"""

import math
from argparse import Namespace
from collections import Counter, OrderedDict
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from .pickles import Draft, Maker, Refused, flat_keys


def _require(condition: bool, what: str) -> None:
    if not condition:
        raise Refused(what)


def _are_counts(*values: Any) -> bool:
    return all(type(value) is int and 0 <= value < 2**63 for value in values)


# ------------------------------------------------------------------------ tensors

MOST_DIMS = 64  # as in torch's operations
EXPANDED = 10**6  # numbers in a tensor that repeats those of the file, as ``expand`` makes it


@dataclass(frozen=True)
class Storage:
    """The bytes (N,) of one or several tensors and the type of their elements."""

    data: Tensor
    dtype: torch.dtype


def _tensor(
    storage: Any, offset: Any, size: Any, stride: Any, grad=None, hooks=None, flags=None
) -> Tensor:
    """Return a view of a storage; gradients and hooks are no part of a checkpoint."""
    _require(type(storage) is Storage and not flags, 'a tensor of an unknown kind')
    _require(type(size) is tuple and type(stride) is tuple, 'a tensor without a shape')
    _require(len(size) <= MOST_DIMS, 'a tensor with an impossible shape')
    _require(_are_counts(offset, *size, *stride), 'a tensor with an impossible shape')
    values = storage.data.view(storage.dtype)
    most = max(len(values), EXPANDED)
    _require(math.prod(size) <= most, 'a tensor of more numbers than the file has')
    return values.as_strided(size, stride, offset)


def _tensor_of_type(
    storage: Any, offset: Any, size: Any, stride: Any, grad: Any, hooks: Any, dtype: Any, flags=None
) -> Tensor:
    """Do as :func:`_tensor`, for types that torch stores as bytes."""
    _require(type(storage) is Storage, 'a tensor of an unknown kind')
    _require(type(dtype) is torch.dtype, 'a tensor of an unknown type')
    return _tensor(Storage(storage.data, dtype), offset, size, stride, grad, hooks, flags)


def _tensor_of_class(maker: Any, kind: Any, arguments: Any, state: Any) -> Tensor:
    """Return a tensor without its attributes, such as FSDP sets: no part of a checkpoint."""
    _require(kind is TENSOR and maker in (TENSOR_V2, TENSOR_V3), 'a tensor of an unknown class')
    _require(type(arguments) is tuple, 'a tensor of an unknown kind')
    return maker.make(*arguments)


def _parameter(data: Any, *_) -> Tensor:
    _require(isinstance(data, Tensor), 'a parameter without a tensor')
    return data


TENSOR = object()  # torch.Tensor, which files name as an argument
TENSOR_V2 = Maker(_tensor)
TENSOR_V3 = Maker(_tensor_of_type)

# ------------------------------------------------------------------------ numpy

ARRAY = object()  # numpy.ndarray, which files name as an argument
KINDS = ('b1', 'u1', 'i1', 'u2', 'i2', 'u4', 'i4', 'u8', 'i8', 'f2', 'f4', 'f8')


class _DType(Draft):
    """A numpy type that holds numbers, never objects."""

    def __init__(self, kind: Any, *_) -> None:
        _require(kind in KINDS, 'a numpy array that does not hold numbers')
        self.kind = kind

    def fill(self, state: Any) -> None:
        _require(type(state) is tuple and len(state) > 5, 'a damaged numpy type')
        _require(state[1] in ('<', '|'), 'a numpy array in big-endian order')
        plain = all(part is None for part in state[2:5]) and state[5:] == (-1, -1, 0)
        _require(plain, 'a numpy array of records')
        self.value = np.dtype(self.kind)


class _Array(Draft):
    """A numpy array, filled from its shape, type and bytes."""

    def __init__(self, kind: Any, *_) -> None:
        _require(kind is ARRAY, 'a numpy array of an unknown kind')

    def fill(self, state: Any) -> None:
        _require(type(state) is tuple and len(state) == 5, 'a damaged numpy array')
        _, shape, dtype, by_column, data = state
        _require(isinstance(dtype, np.dtype) and type(data) is bytes, 'a damaged numpy array')
        _require(type(shape) is tuple and len(shape) <= MOST_DIMS, 'a damaged numpy array')
        _require(_are_counts(*shape), 'a damaged numpy array')
        _require(math.prod(shape) * dtype.itemsize == len(data), 'a damaged numpy array')
        order = 'F' if by_column is True else 'C'
        self.value = np.frombuffer(data, dtype).reshape(shape, order=order).copy(order)


def _number(dtype: Any, data: Any) -> np.generic:
    _require(isinstance(dtype, np.dtype) and type(data) is bytes, 'a damaged numpy number')
    _require(len(data) == dtype.itemsize, 'a damaged numpy number')
    return np.frombuffer(data, dtype)[0]


# ------------------------------------------------------------------------ other objects


class LossHistory(NamedTuple):
    """The values of a loss (N,), how many steps each stands for (N,), and how many are kept."""

    values: np.ndarray
    counts: np.ndarray
    longest: int


class _History(Draft):
    """mmengine's record of a loss: its values, and how many of them each one stands for."""

    def fill(self, state: Any) -> None:
        _require(type(state) is dict, 'a damaged loss history')
        values = state.get('_log_history')
        counts = state.get('_count_history')
        longest = state.get('max_length')
        arrays = isinstance(values, np.ndarray) and isinstance(counts, np.ndarray)
        _require(arrays and values.ndim == 1 == counts.ndim, 'a damaged loss history')
        _require(len(values) == len(counts), 'a damaged loss history')
        _require(_are_counts(longest) and len(values) <= longest, 'a damaged loss history')
        self.value = history_class()(values, counts, longest)


def history_class() -> type:
    """Return mmengine's class of loss histories; without mmengine one that holds the same."""
    try:
        from mmengine.logging import HistoryBuffer
    except ImportError:
        return LossHistory
    return HistoryBuffer


class _Namespace(Draft):
    """The command line that a model was trained with."""

    def __init__(self) -> None:
        self.value = Namespace()

    def fill(self, state: Any) -> None:
        _require(type(state) is dict, 'a damaged Namespace')
        plain = all(type(key) is str and not key.startswith('_') for key in state)
        _require(plain, 'a damaged Namespace')
        vars(self.value).update(state)


HISTORY = Maker(_History)


def _statistic(owner: Any, name: Any) -> str:
    """Stand for ``getattr``, which a loss history names its methods with; it has its own."""
    _require(owner is HISTORY and name in ('min', 'max', 'current', 'mean'), 'getattr')
    return name


def _ordered(items: Any = ()) -> OrderedDict:
    _require(type(items) in (list, tuple), 'a damaged OrderedDict')
    pairs = all(type(pair) in (list, tuple) and len(pair) == 2 for pair in items)
    _require(pairs, 'a damaged OrderedDict')
    flat_keys([key for key, _ in items])
    return OrderedDict(items)


def _counter(counts: Any) -> Counter:
    _require(type(counts) is dict, 'a damaged Counter')
    return Counter(counts)


def _set(items: Any = ()) -> set:
    _require(type(items) in (list, tuple), 'a damaged set')
    return set(flat_keys(items))


def _bytes(text: Any, encoding: Any) -> bytes:
    _require(type(text) is str and encoding == 'latin1', 'damaged bytes')
    return text.encode('latin1')


def _device(*words: Any) -> torch.device:
    _require(all(type(word) in (str, int) for word in words), 'a damaged device')
    return torch.device(*words)


def _size(dims: Any) -> torch.Size:
    _require(type(dims) is tuple and _are_counts(*dims), 'a damaged size')
    return torch.Size(dims)


def _path(*parts: Any) -> str:
    _require(all(type(part) is str for part in parts), 'a damaged path')
    return '/'.join(parts).replace('//', '/', 1)


# ------------------------------------------------------------------------ the list

STORAGES = {'Byte': torch.uint8, 'Char': torch.int8}  # torch names the other types alike
STORAGES |= {
    name: getattr(torch, name.lower())
    for name in ('Bool', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double')
}
DTYPES = {*STORAGES.values(), torch.uint16, torch.uint32, torch.uint64}
DTYPES |= {torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz}

NAMES = {
    'collections.OrderedDict': Maker(_ordered),
    'collections.Counter': Maker(_counter),  # the milestones of a schedule
    'builtins.set': Maker(_set),
    'builtins.bytes': Maker(lambda: b''),  # how empty ones are written
    '_codecs.encode': Maker(_bytes),
    'argparse.Namespace': Maker(_Namespace),
    'pathlib.PosixPath': Maker(_path),  # among the arguments of a command line; a text here
    'pathlib._local.PosixPath': Maker(_path),
    'numpy.ndarray': ARRAY,
    'numpy.dtype': Maker(_DType),
    'numpy.core.multiarray._reconstruct': Maker(_Array),
    'numpy.core.multiarray.scalar': Maker(_number),
    'builtins.getattr': Maker(_statistic),
    'mmengine.logging.history_buffer.HistoryBuffer': HISTORY,
    'torch.Size': Maker(_size),
    'torch.device': Maker(_device),
    'torch._utils._rebuild_tensor': Maker(_tensor),
    'torch._utils._rebuild_tensor_v2': TENSOR_V2,
    'torch._utils._rebuild_tensor_v3': TENSOR_V3,
    'torch._tensor._rebuild_from_type_v2': Maker(_tensor_of_class),
    'torch.Tensor': TENSOR,
    'torch._utils._rebuild_parameter': Maker(_parameter),
    'torch._utils._rebuild_parameter_with_state': Maker(_parameter),
    'torch.storage.UntypedStorage': torch.uint8,
    **{f'torch.{name}Storage': dtype for name, dtype in STORAGES.items()},
    **{f'torch.cuda.{name}Storage': dtype for name, dtype in STORAGES.items()},
    **{str(dtype): dtype for dtype in DTYPES},
}
