"""Low-rank adapters of linear layers (LoRA).

Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models", ICLR 2022, Eq. 3, with alpha = r: a
matrix W stays, and what is added to it learns, W + B A with a random A (r, in) and B (out, r) from
zeros. That sum is the ``weight`` of a layer with an adapter, so it is in whatever a network does
with it: one matrix in several roles, groups of rows, the passes of a recursion.
"""

from collections import Counter, OrderedDict
from functools import cache
from typing import Any

from torch import Tensor, nn

from ..errors import InputError
from ..utils.messages import shorten

# the ends of keys
WEIGHT = 'weight'
A = 'lora_A'
B = 'lora_B'
ADAPTERS = (A, B)
PLACES = ('attn', 'attention', 'mixer', 'mlp', 'ffn', 'intermediate', 'output')  # in names


def _sum(tensors: Any, place: str = '') -> Tensor:
    return tensors[place + WEIGHT] + tensors[place + B] @ tensors[place + A]


class Adapted(nn.Module):
    """What is added to the class of a linear layer; W stays the parameter ``weight``."""

    @property
    def weight(self) -> Tensor:
        """Return W + B A, (out, in)."""
        return _sum(self._parameters)

    def _load_from_state_dict(self, state: dict, prefix: str, *others: Any) -> None:
        """Take weights without adapters, too: they are W, and B is zero again."""
        own: Any = self._parameters
        if prefix + WEIGHT in state and prefix + B not in state:
            state |= {prefix + A: own[A].detach(), prefix + B: own[B].new_zeros(own[B].shape)}
        super()._load_from_state_dict(state, prefix, *others)


@cache
def _adapted(kind: type[nn.Linear]) -> type[nn.Linear]:
    return type(f'Adapted{kind.__name__}', (Adapted, kind), {})


def add_adapters(network: nn.Module, rank: int) -> None:
    """Freeze a network but for new adapters of its attentions and MLPs, where these are not frozen.

    Raises:
        InputError: there is no such layer, one cannot be adapted by itself, or is narrower than
            the rank.
    """
    layers = _layers(network)
    least = min(min(layer.weight.shape) for layer in layers)
    if rank > least:
        raise InputError(
            f'--lora {rank}: exceeds {least}, the smallest width of a layer. The layer itself '
            'has fewer parameters than such an adapter'
        )
    network.requires_grad_(False)
    for layer in layers:
        layer.lora_A = nn.Parameter(layer.weight.new_empty(rank, layer.weight.shape[1]))
        layer.lora_B = nn.Parameter(layer.weight.new_zeros(len(layer.weight), rank))
        nn.init.kaiming_uniform_(layer.lora_A, 5**0.5)  # as nn.Linear, and the published code
        layer.__class__ = _adapted(layer.__class__)
    if finish := getattr(network, 'finish', None):  # a backbone knows its parameters by name
        finish()


def _layers(network: nn.Module) -> list[Any]:
    parts = dict(network.named_modules())
    inside = {name: parts[name] for name in parts if any(place in name for place in PLACES)}
    linear = {name: part for name, part in inside.items() if isinstance(part, nn.Linear)}
    layers = {name: part for name, part in linear.items() if part.weight.requires_grad}
    owned = (each for part in parts.values() for each in part.parameters(recurse=False))
    uses: Counter[Tensor] = Counter(owned)
    bad = [name for name, part in layers.items() if uses[part.weight] > 1]
    bad += [name for name, part in parts.items() if isinstance(part, nn.MultiheadAttention)]
    if bad:
        raise InputError(
            '--lora: adapters do not support packed or shared weights, such as those of '
            f'{shorten(bad)}'
        )
    if not layers:
        raise InputError(
            f'--lora: no attention or MLP layer of {type(network).__name__} is trained'
        )
    return [*layers.values()]


def merged_state(state: dict[str, Tensor]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Return a state dict as of a network without adapters, and what their layers had in it."""
    places = [key.removesuffix(A) for key in state if key.endswith(A)]
    sums = {place + WEIGHT: _sum(state, place) for place in places}
    before = {place + key: state[place + key] for place in places for key in (WEIGHT, A, B)}
    plain = {key: value for key, value in state.items() if not key.endswith(ADAPTERS)}
    merged = OrderedDict(plain | sums)
    merged._metadata = getattr(state, '_metadata', {})  # type: ignore[attr-defined]
    return merged, before
