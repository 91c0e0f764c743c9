"""``--fsdp``: split weights, gradients and optimizer state among all processes.

Blocks and the rest of the model are given to torch's FSDP2 (``fully_shard``), which brings the
weights of a block together for as long as it computes. Weights are initialized before that, so a
run starts from the numbers that it starts from under DDP. A checkpoint has whole tensors, in the
form of every other run: it is read and resumed by one process, by several under DDP, or with
``--fsdp`` on any number.
"""

import copy
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager

import torch
from mmengine.config import Config
from mmengine.dist import get_rank, is_main_process
from mmengine.hooks import EMAHook
from torch import Tensor, nn
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.distributed.tensor import DTensor
from torch.optim import Optimizer

from ..errors import InputError
from ..registry import bare_name
from .hooks.compile import regions


def use_fsdp(config: Config, wanted: bool) -> Config:
    """Return a copy of ``config`` for sharded weights (its key ``fsdp``) if they are wanted.

    Raises:
        InputError: the config has what does not go with it, or a strategy of mmengine.
    """
    if config.get('strategy'):
        raise InputError(
            f'strategy.type={config.strategy.type!r}: a run with a strategy of mmengine cannot '
            'be resumed; remove it. --fsdp shards the weights and supports bit-exact resuming'
        )
    if not (wanted or config.get('fsdp')):
        return config
    kind = bare_name(config.optim_wrapper.get('type', 'OptimWrapper'))
    if kind not in ('OptimWrapper', 'Bf16OptimWrapper'):
        raise InputError(
            f'--fsdp: optim_wrapper.type={kind!r} does not support sharded weights; use '
            'OptimWrapper, or --amp on a GPU with bfloat16'
        )
    if config.get('lora'):
        raise InputError(
            '--fsdp: low-rank adapters are not sharded, because they are small; remove --fsdp'
        )
    config = copy.deepcopy(config)
    config.fsdp = True
    return config


def shard(model: nn.Module, optimizer: Optimizer, averages: Iterable[EMAHook]) -> None:
    """Shard a model, its EMA weights and the groups of its optimizer, in place.

    Raises:
        InputError: a parameter is a number without a dimension, or the optimizer has a state.
    """
    names = {parameter: name for name, parameter in model.named_parameters()}
    for name, parameter in model.named_parameters():
        if not parameter.ndim:
            raise InputError(f'--fsdp: {name} is a single number, which cannot be sharded')
    # a head is asked for its loss, not called, which FSDP would not see; it stays in the rest
    parts = [part for part in regions(model) if not hasattr(part, 'loss')]
    for part in [*parts, model]:
        # False of the whole model would leave it together between an evaluation and a checkpoint
        fully_shard(part, reshard_after_forward=True)
    model.register_load_state_dict_pre_hook(_divide_weights)
    divided = dict(model.named_parameters())
    for group in optimizer.param_groups:
        group['params'] = [divided[names[parameter]] for parameter in group['params']]
    optimizer.register_load_state_dict_pre_hook(_divide_states)
    for hook in averages:
        average = hook.ema_model
        fully_shard(average.module, reshard_after_forward=True)
        average.module.register_load_state_dict_pre_hook(_divide_weights)
        kept = average.module.state_dict() if average.update_buffers else None
        average.avg_parameters = kept or dict(average.module.named_parameters())


def whole(tensor: Tensor) -> Tensor:
    """Return a tensor with the parts of all processes; all processes must call this."""
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


@contextmanager
def whole_states(modules: Iterable[nn.Module], optimizer: Optimizer) -> Iterator[None]:
    """Let ``state_dict`` of these return whole tensors, on the CPU of the first process alone.

    All processes must ask for the same states in the same order.
    """

    def gather(value):
        if not isinstance(value, DTensor):
            return value
        gathered = value.full_tensor()
        return gathered.cpu() if is_main_process() else torch.empty(0)

    def gather_weights(module, state: dict, prefix: str, metadata) -> None:
        state.update({name: gather(value) for name, value in state.items()})

    def gather_states(optimizer: Optimizer, state: dict) -> dict:
        numbers = state['state'].items()
        whole = {n: {key: gather(each[key]) for key in each} for n, each in numbers}
        return {**state, 'state': whole}

    with ExitStack() as stack:
        for module in modules:
            stack.callback(module.register_state_dict_post_hook(gather_weights).remove)
        stack.callback(optimizer.register_state_dict_post_hook(gather_states).remove)
        yield


def is_sharded(model: nn.Module) -> bool:
    """Return whether a model was sharded by :func:`shard`."""
    return isinstance(model, FSDPModule)


# ------------------------------------------------------------------------ loading


def _divide_weights(module: nn.Module, state: dict, prefix: str, *_) -> None:
    for name, parameter in module.named_parameters():
        if (value := state.get(prefix + name)) is not None:
            state[prefix + name] = _own_part(value, parameter)


def _divide_states(optimizer: Optimizer, saved: dict) -> dict:
    parameters = [each for group in optimizer.param_groups for each in group['params']]
    numbers = [number for group in saved['param_groups'] for number in group['params']]
    states = dict(saved['state'])
    for number, parameter in zip(numbers, parameters, strict=True):
        states[number] = {
            key: _own_part(value, parameter) for key, value in states.get(number, {}).items()
        }
    return {**saved, 'state': states}


def _own_part(value, parameter: DTensor):
    """Return the part of a whole tensor that is this process's of ``parameter``."""
    if not isinstance(value, Tensor) or value.shape != parameter.shape:  # such as a count of steps
        return value
    parts = value.to(parameter.device).chunk(parameter.device_mesh.size())
    rank = get_rank()
    own = parts[rank] if rank < len(parts) else parts[0][:0]
    shape = {'shape': value.shape, 'stride': value.contiguous().stride()}
    return DTensor.from_local(
        own.contiguous(), parameter.device_mesh, parameter.placements, run_check=False, **shape
    )
