"""Dot-product attention, and its form in slices.

**Attention** (Vaswani et al., 2017) always runs through the fused kernel, which never forms the
weights; ``weights`` computes them anew for those who want to see them.

**Slices** (Shen et al., "Sliced Recursive Transformer", ECCV 2022, Algorithm 1): the tokens are
cut into G consecutive runs and each run attends to itself alone, which divides the cost of the
scores by G. So that the runs still exchange information, a later pass shuffles the tokens before
it cuts them and puts them back in order afterwards; the published code never shuffles a first
pass, nor a pass with one group. The published form needs a token count that G divides. Here the
first (L mod G) runs are one token longer than the others, which is the same where the published
form is defined, leaves no run empty, and needs no mask, so that every run stays on the fused
kernel.
"""

from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..errors import OptionError
from .parts import ATTENTIONS, register, require_choice, require_size
from .projections import ProjectedAttention, read_sharing
from .projections import softmax_weights as softmax_weights  # its place in 1.0

_ROLES = 'QKVW'

# how a pass may shuffle its tokens, see Slicing
PERMUTATIONS = (
    'none',
    *(draw + form for draw in ('fixed', 'random') for form in ('', '_always', '_no_inverse')),
)

# of the polynomial that orders a fixed permutation
_PRIME = 2**31 - 1
_SPREAD = 1_640_531_527
_COEFFICIENTS = (1_103_527_591, 377_401_575, 1_918_273_645, 662_824_084)


@register(ATTENTIONS)
class DotProductAttention(ProjectedAttention):
    """softmax(q k^T / sqrt(head_dims)) v over all tokens.

    Args:
        embed_dims: width of the tokens, a multiple of ``num_heads``.
        num_heads: number of heads.
        cross: whether keys and values come from other tokens than the queries. The projections
            are then stored as ``q`` and ``kv``, else, and where matrices are shared, as one
            ``qkv``.
        sharing: which matrix serves each role, four letters for queries, keys, values and the
            output projection as in the MSF transformer's Table 2, see ``layers.projections``.
        options: further arguments of :class:`~vitbackbones.layers.projections.ProjectedAttention`.

    Raises:
        OptionError: a bad ``sharing``, and as ``ProjectedAttention``.
    """

    takes_bias = True
    supports = {'first_token'}

    def __init__(
        self, embed_dims: int, num_heads: int, cross: bool = False, sharing: str = _ROLES, **options
    ) -> None:
        letters = read_sharing(sharing, _ROLES)
        maps = ('q', 'kv') if cross and len(set(sharing)) == len(_ROLES) else ('qkv',)
        super().__init__(embed_dims, num_heads, maps, letters, **options)

    def forward(
        self, x: Tensor, context: Tensor | None = None, bias: Tensor | None = None
    ) -> Tensor:
        """Attend from ``x`` (N, L, C) to ``context`` (N, S, C), by default ``x`` itself.

        ``bias`` is added to the scores, broadcast to (N, heads, L, S).
        """
        roles = self.project(x, context)
        # (N, L, C) -> (N, heads, L, c)
        q, k, v = (roles[role].unflatten(2, (self.num_heads, -1)).transpose(1, 2) for role in 'QKV')
        dropout = self.attn_drop_rate if self.training else 0.0
        bias = None if bias is None else bias.to(q.dtype)
        out = F.scaled_dot_product_attention(q, k, v, bias, dropout)
        out = out.transpose(1, 2).flatten(2)  # (N, heads, L, c) -> (N, L, C)
        return self.drop(self.proj(out) if self.tied is None else self.back_project(out))


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
    return (key * length + index).argsort()  # all differ, as ONNX knows no stable sort


class Slicing(nn.Module):
    """Cut tokens into slices and apply an attention to each of them alone.

    Tokens before those of the grid, such as a class token, belong to every slice: the grid's tokens
    always see them, and each of their answers is the mean of those that it gets in the slices.

    Args:
        groups: number G of runs, at least 1.
        permutation: ``'none'`` cuts the tokens in raster order. ``'fixed'`` shuffles them anew in
            every training pass and always alike in eval mode. ``'random'`` shuffles anew in eval
            mode too, with draws from the global CPU generator, as the published code does. Both
            leave a single run as it is. For the rows of the paper's Table 7 both can end in
            ``'_always'``: a single run is shuffled too, which gives the same answers ("P+I"); or in
            ``'_no_inverse'``: so it is, and the answers are not put back in order ("P").

    Raises:
        OptionError: ``groups`` is not an integer from 1, or ``permutation`` is unknown.
    """

    def __init__(self, groups: int, permutation: str = 'none') -> None:
        super().__init__()
        require_size('groups', groups)
        require_choice('permutation', permutation, PERMUTATIONS)
        self.groups = groups
        self.permutation = permutation
        self.draw, _, self.form = permutation.partition('_')
        self.number = 0  # which of the fixed permutations; see number_slices

    def forward(self, attention: Callable[[Tensor], Tensor], x: Tensor, first: int = 0) -> Tensor:
        """Map tokens (N, first + L, C) to tokens of this shape; any number L of the grid."""
        if self.groups == 1 and not self.form:
            return attention(x)
        if self.draw == 'none':
            return self._slice(attention, x, first)
        order = self._order(x.shape[1] - first, x.device)
        if first:
            order = torch.cat([torch.arange(first, device=x.device), order + first])
        out = self._slice(attention, x.index_select(1, order), first)
        return out if self.form == 'no_inverse' else out.index_select(1, order.argsort())

    @property
    def fixed_size(self) -> str:
        """Return why a graph of it is for one size of images, '' where it need not be."""
        return 'the lengths of slices depend on the number of tokens' if self.groups > 1 else ''

    def apart(self, x: Tensor) -> Tensor:
        """Return the bias (L, L) of tokens (N, L, C): 0 within a slice, -inf between two."""
        return bias_between(self._order(x.shape[1], x.device).tensor_split(self.groups), x)

    def _order(self, length: int, device: torch.device) -> Tensor:
        """Return the order (length,) in which the tokens of the grid are cut."""
        if self.draw == 'none' or self.groups == 1 and not self.form:
            return torch.arange(length, device=device)
        if self.draw == 'random':  # drawn on the CPU, as published
            return torch.randperm(length).to(device, non_blocking=True)
        if self.training:
            return torch.randperm(length, device=device)
        return fixed_permutation(length, device, self.number)

    def _slice(self, attention: Callable[[Tensor], Tensor], x: Tensor, first: int) -> Tensor:
        return attend_in_runs(attention, x, equal_runs(x.shape[1] - first, self.groups), first)

    def extra_repr(self) -> str:
        return f'groups={self.groups}, permutation={self.permutation!r}'


def equal_runs(length: int, count: int) -> list[tuple[int, int]]:
    """Cut ``length`` tokens into ``count`` runs, the first ones a token longer than the others.

    Returns:
        How many tokens are in the runs of each length, and that length: 14 tokens in 4 runs are
        ``[(8, 4), (6, 3)]``.
    """
    short = length // count
    in_longer = length % count * (short + 1)  # tokens
    kinds = [(in_longer, short + 1), (length - in_longer, short)]
    return [(tokens, run) for tokens, run in kinds if tokens]


def attend_in_runs(
    attention: Callable[[Tensor], Tensor], x: Tensor, kinds: list[tuple[int, int]], first: int = 0
) -> Tensor:
    """Apply an attention to each run of consecutive tokens alone.

    Args:
        attention: maps (runs, L, C) to this shape.
        x: (N, first + L, C).
        kinds: how many of the L tokens are in runs of which length, in their order.
        first: number of tokens that are in every run; each of their answers is the mean over them.

    Returns:
        (N, first + L, C).
    """
    shared, *pieces = x.split([first, *(tokens for tokens, _ in kinds)], 1)
    of_shared = []
    of_pieces = []
    for piece, (_, length) in zip(pieces, kinds, strict=True):
        runs = piece.unflatten(1, (-1, length))  # (N, L, C) -> (N, runs, length, C)
        if first:
            copies = shared[:, None].expand(-1, runs.shape[1], -1, -1)  # (N, runs, first, C)
            runs = torch.cat([copies, runs], 2)
        answers = attention(runs.flatten(0, 1)).unflatten(0, runs.shape[:2])
        if first:
            of_shared.append(answers[:, :, :first])
            answers = answers[:, :, first:]
        of_pieces.append(answers.flatten(1, 2))
    if first:
        of_pieces.insert(0, torch.cat(of_shared, 1).mean(1))
    return torch.cat(of_pieces, 1) if len(of_pieces) > 1 else of_pieces[0]


def bias_between(runs: Sequence[Tensor], x: Tensor) -> Tensor:
    """Return the bias (L, L) of tokens (N, L, C): 0 within one of the runs of them, -inf between.

    ``runs`` are the places of their tokens; each of the L is in one.
    """
    run_of = torch.empty(x.shape[1], dtype=torch.long, device=x.device)
    for number, members in enumerate(runs):
        run_of[members] = number
    between = run_of[:, None] != run_of
    return x.new_zeros(between.shape).masked_fill(between, float('-inf'))


@register(ATTENTIONS)
class SlicedAttention(DotProductAttention):
    """Dot-product attention within ``slices`` slices of the tokens.

    Every layer of a backbone has a fixed permutation of its own (:func:`number_slices`), so that
    all tokens meet in depth; with one for all, tokens of two slices never would.

    Args:
        embed_dims, num_heads: as for :class:`DotProductAttention`.
        cross: must be false; queries and keys are cut into the same slices.
        slices: number of slices, the ``groups`` of :class:`Slicing`.
        permutation: see :class:`Slicing`.
        options: further arguments of :class:`DotProductAttention`; its ``groups`` are those of
            the projections.

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
                'SlicedAttention splits queries and keys into the same slices, so it cannot '
                'attend to other tokens (cross=True), such as spatially reduced ones'
            )
        super().__init__(embed_dims, num_heads, **options)
        self.slicing = Slicing(slices, permutation)

    def forward(self, x: Tensor, context: None = None) -> Tensor:
        """Attend within the slices of ``x`` (N, L, C); any L."""
        return self.slicing(super().forward, x)

    def weights(self, x: Tensor, context: None = None, bias: Tensor | None = None) -> Tensor:
        """Return the weights (N, heads, L, L) among all tokens, 0 between two slices.

        Where every call shuffles anew (in training, or ``'random'``), so does this one.
        """
        apart = self.slicing.apart(x)
        return super().weights(x, bias=apart if bias is None else apart + bias)


def number_slices(network: nn.Module) -> None:
    """Give each :class:`SlicedAttention` of a network the fixed permutation of its place in it.

    A number by place and not by chance is the same in every process and needs no checkpoint.
    """
    layers = (part for part in network.modules() if isinstance(part, SlicedAttention))
    for number, layer in enumerate(layers):
        layer.slicing.number = number
