"""The projections of an attention: dense or grouped, and one matrix in several roles.

Both are the MSF transformer's (Kobayashi, "Mean-Shift Feature Transformer", CVPR 2024).

**Grouped projections** (Sec. 3.3, Fig. 2) have 1/G of the numbers of dense ones.
Input channels are cut into G contiguous groups, and every output channel reads one of them. A
fused map is made of ``parts`` equal projections (q, k, v, ...); which output reads which group:

* ``'interleave'`` (Fig. 2b): output o reads group o mod G, so every head sees all of the input;
* ``'block'`` (Fig. 2a): within each part, the g-th of G contiguous pieces reads group g.

The weight is stored with the rows of a group together, (group, part, channel): as published, and
as in a grouped 1 x 1 convolution. With ``'interleave'`` that is row g * out / G + o // G for
output o of group g. The published code's own block mode is another one, which was never used: it
makes blocks of the fused map as a whole, so that queries and keys see one half of the input only.

**Shared projections** (Tables 1 and 2). One letter says which matrix serves each role: Q(uery),
K(ey), V(alue), in mean-shift attention P(robe), and last W(eight), the back-projection. Equal
letters share: ``'QKKW'`` has one matrix for keys and values. Letters are names only, so
``'QKKW'`` and ``'KVVQ'`` are the same. Where W shares, it is the transpose of the other's matrix.
"""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..errors import OptionError
from .drop import make_dropout, require_dropout
from .parts import require_choice, require_size

# input channel i of group g, output channel o of group g in part p
_PRODUCTS = {'interleave': '...gi,gpoi->...pog', 'block': '...gi,gpoi->...pgo'}


def softmax_weights(q: Tensor, k: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return softmax(q k^T / sqrt(c) + bias), the weights that the fused kernel averages by.

    Args:
        q: (N, heads, L, c).
        k: (N, heads, S, c).
        bias: added to the scores, broadcast to (N, heads, L, S).

    Returns:
        (N, heads, L, S); each row sums to 1.
    """
    scores = q @ k.transpose(2, 3) * q.shape[-1] ** -0.5
    return (scores if bias is None else scores + bias).softmax(-1)


class GroupedLinear(nn.Linear):
    """A linear map of ``parts`` equal projections in ``groups`` groups.

    Args:
        in_features: width of the input.
        out_features: width of the output, all parts together.
        bias: whether there is a bias, one number per output channel in the output's order.
        groups: number of groups; divides the input and every part of the output.
        layout: ``'interleave'`` or ``'block'``.
        parts: number of projections in the output.

    Shape of ``weight``: (out_features, in_features / groups), initialized as torch does a dense
    map of that input width.

    Raises:
        OptionError: ``groups`` is not an integer from 1 or does not divide the widths, or
            ``layout`` is unknown.
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        groups: int = 1,
        layout: str = 'interleave',
        parts: int = 1,
    ) -> None:
        require_choice('layout', layout, _PRODUCTS)
        require_size('groups', groups)
        if in_features % groups or out_features // parts % groups:
            widths = f'{in_features} and {out_features // parts}'
            raise OptionError(
                f'groups={groups} does not divide the widths {widths} of a projection'
            )
        super().__init__(in_features // groups, out_features, bias)
        self.groups = groups
        self.layout = layout
        self.parts = parts

    def forward(self, x: Tensor, part: slice = slice(None)) -> Tensor:
        """Map (..., in_features) to (..., out_features), or to the parts in ``part`` alone."""
        # (parts * out, in / groups) -> (groups, parts, out / groups, in / groups)
        weight = self.weight.unflatten(0, (self.groups, self.parts, -1))[:, part]
        bias = self.bias
        if bias is not None:
            bias = bias.unflatten(0, (self.parts, -1))[part].flatten()  # (parts * out,)
        x = x.unflatten(-1, (self.groups, -1))  # (..., groups, in / groups)
        out = torch.einsum(_PRODUCTS[self.layout], x, weight).flatten(-3)
        return out if bias is None else out + bias

    def extra_repr(self) -> str:
        return f'{super().extra_repr()}, groups={self.groups}, layout={self.layout!r}'


def read_sharing(sharing: str, roles: str) -> dict[str, str]:
    """Return the letter of each of the ``roles``.

    Raises:
        OptionError: ``sharing`` is not one letter for each role, out of theirs.
    """
    fits = isinstance(sharing, str) and len(sharing) == len(roles)
    if not fits or set(sharing) - set(roles):
        count = 'five' if 'P' in roles else 'four'
        raise OptionError(f'sharing={sharing!r}: must be {count} letters out of {roles}')
    return dict(zip(roles, sharing, strict=True))


class ProjectedAttention(nn.Module):
    """Heads between projections: what the attentions share.

    Args:
        embed_dims: width of the tokens, a multiple of ``num_heads``.
        num_heads: number of heads.
        maps: names of the maps of the input, each spelled by the roles that it serves.
        letters: the letter of each role, W's too.
        qkv_bias, proj_bias: whether the maps of the input, and the back-projection, have a bias.
        attn_drop_rate: dropout on the attention weights.
        drop_rate: dropout on the output.
        groups, layout: grouping of the maps of the input, see :class:`GroupedLinear`; the
            back-projection is never grouped.

    Attributes:
        numbers: for each map, which of its projections serves each of its roles.

    Raises:
        OptionError: ``embed_dims`` is not a multiple of ``num_heads``, bad ``groups``, ``layout``
            or rate, or W shares with a grouped matrix.
    """

    def __init__(
        self,
        embed_dims: int,
        num_heads: int,
        maps: tuple[str, ...],
        letters: dict[str, str],
        /,
        qkv_bias: bool = True,
        proj_bias: bool = True,
        attn_drop_rate: float = 0.0,
        drop_rate: float = 0.0,
        groups: int = 1,
        layout: str = 'interleave',
    ) -> None:
        super().__init__()
        if embed_dims % num_heads:
            raise OptionError(f'embed_dims={embed_dims} is not a multiple of num_heads={num_heads}')
        require_dropout('attn_drop_rate', attn_drop_rate)
        require_choice('layout', layout, _PRODUCTS)
        require_size('groups', groups)
        self.num_heads = num_heads
        self.attn_drop_rate = attn_drop_rate
        self.maps = maps
        self.numbers: dict[str, dict[str, int]] = {}
        for name in maps:
            own = {role: letter for role, letter in letters.items() if role in name.upper()}
            distinct = list(dict.fromkeys(own.values()))
            self.numbers[name] = {role: distinct.index(letter) for role, letter in own.items()}
            width = len(distinct) * embed_dims
            parts = len(distinct)
            if groups == 1:
                layer = nn.Linear(embed_dims, width, qkv_bias)
            else:
                layer = GroupedLinear(embed_dims, width, qkv_bias, groups, layout, parts)
            setattr(self, name, layer)
        *others, _ = letters
        # the role that W has its matrix from, None where W has its own
        self.tied: Any = next((role for role in others if letters[role] == letters['W']), None)
        if self.tied is None:
            self.proj = nn.Linear(embed_dims, embed_dims, bias=proj_bias)
        elif groups == 1:
            self.proj_bias = nn.Parameter(torch.zeros(embed_dims)) if proj_bias else None
        else:
            problem = 'W is never grouped, so no other role may use its letter in sharing'
            raise OptionError(f'groups={groups}: {problem}')
        self.drop = make_dropout(drop_rate)

    def project(self, x: Tensor, context: Tensor | None = None) -> dict[str, Tensor]:
        """Return what the tokens are in each role but W's.

        Keys and values are those of ``context`` (N, S, C), (N, S, C) each; everything else, and all
        without a context, is of ``x`` (N, L, C), (N, L, C) each.
        """
        first = self.maps[0]
        numbers = self.numbers[first]
        if context is None:
            parts = getattr(self, first)(x).chunk(1 + max(numbers.values()), -1)
            return {role: parts[number] for role, number in numbers.items()}
        found = self._project_roles(self.maps[-1], context, 'KV')
        for role in numbers:
            if role not in 'KV':
                found |= self._project_roles(first, x, role)
        return found

    def _project_roles(self, name: str, x: Tensor, roles: str) -> dict[str, Tensor]:
        """Apply no more of a map than ``roles`` need."""
        numbers = {role: self.numbers[name][role] for role in roles}
        first, end = min(numbers.values()), max(numbers.values()) + 1
        layer = getattr(self, name)
        rows = slice(first * x.shape[-1], end * x.shape[-1])
        if isinstance(layer, GroupedLinear):
            out = layer(x, slice(first, end))
        elif rows == slice(0, layer.out_features):
            out = layer(x)
        else:
            out = F.linear(x, layer.weight[rows], None if layer.bias is None else layer.bias[rows])
        parts = out.chunk(end - first, -1)  # (N, L, C) each
        return {role: parts[number - first] for role, number in numbers.items()}

    def weights(
        self, x: Tensor, context: Tensor | None = None, bias: Tensor | None = None
    ) -> Tensor:
        """Return the weights (N, heads, L, S) that the fused kernel averages by, without dropout.

        They are softmax(q k^T / sqrt(c) + bias); each row sums to 1. ``bias`` is broadcast.
        """
        roles = self.project(x, context)
        # (N, L, C) -> (N, heads, L, c)
        q, k = (roles[role].unflatten(2, (self.num_heads, -1)).transpose(1, 2) for role in 'QK')
        return softmax_weights(q, k, self.added_to_scores(k, bias))

    def added_to_scores(self, k: Tensor, bias: Tensor | None) -> Tensor | None:
        """Return what is added to the scores of keys (N, heads, S, c); for subclasses."""
        return bias

    def back_project(self, z: Tensor) -> Tensor:
        """Map (N, L, C) to (N, L, C) by the transposed matrix of the role that W shares with."""
        (name,) = self.maps
        matrices = getattr(self, name).weight.unflatten(0, (-1, z.shape[-1]))  # (parts, C, C)
        return F.linear(z, matrices[self.numbers[name][self.tied]].T, self.proj_bias)
