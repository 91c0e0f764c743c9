"""Sliced group attention (Shen et al., "Sliced Recursive Transformer", ECCV 2022, Algorithm 1).

The tokens are cut into G consecutive runs and each run attends to itself alone, which divides the
cost of the scores by G. So that the runs still exchange information, a later pass shuffles the
tokens before it cuts them and puts them back in order afterwards; the published code never
shuffles a first pass, nor a pass with one group.

The published form needs a token count that G divides. Here the first (L mod G) runs are one token
longer than the others, which is the same where the published form is defined, leaves no run
empty, and needs no mask, so that every run stays on the fused kernel.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from ..errors import OptionError
from .attention import DotProductAttention
from .parts import ATTENTIONS, register

PERMUTATIONS = ('fixed', 'random', 'none')
_PRIME = 2**31 - 1
_SPREAD = 1_640_531_527
_COEFFICIENTS = (1_103_527_591, 377_401_575, 1_918_273_645, 662_824_084)


def fixed_permutation(length: int, device: torch.device, number: int = 0) -> Tensor:
    """Return the permutation (length,) of 0 ... length - 1 that eval mode uses.

    The indices in the order of a random polynomial modulo a prime: a function of the length and
    the ``number`` (every number has its own) alone, the same on every machine, without a
    generator, a cache or a copy from the host, so that it also traces into one graph.
    """
    index = torch.arange(length, device=device)
    key = torch.full_like(index, number * _SPREAD % _PRIME)
    for coefficient in _COEFFICIENTS:
        key = (key * index + coefficient) % _PRIME
    return key.argsort(stable=True)


class Slicing(nn.Module):
    """Applies any attention of its own tokens to slices of them; has no parameters.

    Args:
        groups: number G of runs, at least 1.
        permutation: ``'none'`` cuts the tokens in raster order. ``'fixed'`` shuffles them anew in
            every training pass and always alike in eval mode. ``'random'`` shuffles anew in eval
            mode too, with draws from the global CPU generator, as the published code does.
    """

    def __init__(self, groups: int, permutation: str = 'none') -> None:
        super().__init__()
        if not isinstance(groups, int) or groups < 1:
            raise OptionError(f'groups={groups!r}: a number of groups is an integer of at least 1')
        if permutation not in PERMUTATIONS:
            raise OptionError(f'permutation={permutation!r} is none of {PERMUTATIONS}')
        self.groups = groups
        self.permutation = permutation
        self.number = 0  # which of the fixed permutations; see number_slices

    def forward(self, attention: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
        """Map tokens (N, L, C) to (N, L, C); any L."""
        if self.groups == 1:
            return attention(x)
        if self.permutation == 'none':
            return self._slice(attention, x)
        order = self._order(x.shape[1], x.device)
        out = self._slice(attention, x.index_select(1, order))
        return out.index_select(1, order.argsort())

    def _order(self, length: int, device: torch.device) -> Tensor:
        if self.permutation == 'random':
            return torch.randperm(length).to(device)
        if self.training:
            return torch.randperm(length, device=device)
        return fixed_permutation(length, device, self.number)

    def _slice(self, attention: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
        short, longer = x.shape[1] // self.groups, x.shape[1] % self.groups
        if longer == 0:
            return _attend_in_runs(attention, x, short)
        cut = longer * (short + 1)
        parts = [_attend_in_runs(attention, x[:, :cut], short + 1)]
        if short > 0:
            parts.append(_attend_in_runs(attention, x[:, cut:], short))
        return torch.cat(parts, 1)

    def extra_repr(self) -> str:
        return f'groups={self.groups}, permutation={self.permutation!r}'


def _attend_in_runs(attention: Callable[[Tensor], Tensor], x: Tensor, length: int) -> Tensor:
    runs = x.unflatten(1, (-1, length)).flatten(0, 1)  # (N, L, C) -> (N * L / length, length, C)
    return attention(runs).reshape(x.shape)  # (N * L / length, length, C) -> (N, L, C)


@register(ATTENTIONS)
class SlicedAttention(DotProductAttention):
    """Dot-product attention within ``slices`` slices of the tokens.

    Every layer of a backbone has a fixed permutation of its own (``number_slices``), so that all
    tokens meet in depth; alike, tokens of two slices never would.

    Args:
        embed_dims, num_heads, cross: as for :class:`~vitbackbones.layers.DotProductAttention`.
        slices: number of slices, the ``groups`` of :class:`Slicing`.
        permutation: see :class:`Slicing`.
        options: further arguments of :class:`~vitbackbones.layers.DotProductAttention`; its
            ``groups`` are those of the projections.

    Raises:
        OptionError: ``cross`` is set, or a bad ``slices`` or ``permutation``.
    """

    takes_bias = False  # it would have to be cut and shuffled like the tokens

    def __init__(
        self,
        embed_dims: int,
        num_heads: int,
        cross: bool = False,
        slices: int = 2,
        permutation: str = 'fixed',
        **options,
    ) -> None:
        if cross:
            raise OptionError(
                'SlicedAttention cuts queries and keys into the same slices, so it cannot read '
                'keys of other tokens (cross=True), such as spatially reduced ones'
            )
        super().__init__(embed_dims, num_heads, **options)
        self.slicing = Slicing(slices, permutation)

    def forward(self, x: Tensor, context: None = None) -> Tensor:
        """Attend within the slices of ``x`` (N, L, C); any L."""
        return self.slicing(super().forward, x)


def number_slices(network: nn.Module) -> None:
    """Give each :class:`SlicedAttention` of a network the fixed permutation of its place in it.

    A number by place and not by chance is the same in every process and needs no checkpoint.
    """
    layers = (part for part in network.modules() if isinstance(part, SlicedAttention))
    for number, layer in enumerate(layers):
        layer.slicing.number = number
