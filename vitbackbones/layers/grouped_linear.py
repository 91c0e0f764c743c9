"""Grouped linear maps (MSF transformer, Sec. 3.3, Fig. 2): G groups, 1/G of the numbers.

Input channels are cut into G contiguous groups, and every output channel reads one of them. A
fused map is made of ``parts`` equal projections (q, k, v, ...); which output reads which group:

* ``'interleave'`` (Fig. 2b): output o reads group o mod G, so every head sees all of the input;
* ``'block'`` (Fig. 2a): within each part, the g-th of G contiguous pieces reads group g.

The weight is stored with the rows of a group together, (group, part, channel): as published, and
as in a grouped 1 x 1 convolution. With ``'interleave'`` that is row g * out / G + o // G for
output o of group g. The published code's own block mode is another one, which was never used: it
makes blocks of the fused map as a whole, so that queries and keys see one half of the input only.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..errors import OptionError

# input channel i of group g, output channel o of group g in part p
_PRODUCTS = {'interleave': '...gi,gpoi->...pog', 'block': '...gi,gpoi->...pgo'}


class GroupedLinear(nn.Linear):
    """A linear map of ``parts`` equal projections in ``groups`` groups; 1 group is dense.

    Args:
        in_features: width of the input.
        out_features: width of the output, all parts together.
        bias: whether there is a bias, one number per output channel in the output's order.
        groups: number of groups; divides the input and every part of the output.
        layout: ``'interleave'`` or ``'block'``.
        parts: number of projections in the output.

    Shape of ``weight``: (out_features, in_features / groups), initialised as torch does a dense
    map of that input width.

    Raises:
        OptionError: ``groups`` is no integer of at least 1 or does not divide the widths, or
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
        if layout not in _PRODUCTS:
            raise OptionError(f'layout={layout!r} is none of {", ".join(map(repr, _PRODUCTS))}')
        if not isinstance(groups, int) or groups < 1:
            raise OptionError(f'groups={groups!r}: a number of groups is an integer of at least 1')
        if in_features % groups or out_features // parts % groups:
            widths = f'{in_features} and {out_features // parts}'
            raise OptionError(
                f'groups={groups} does not divide the widths {widths} of a projection'
            )
        super().__init__(in_features // groups, out_features, bias)
        self.groups, self.layout, self.parts = groups, layout, parts

    def forward(self, x: Tensor, part: slice = slice(None)) -> Tensor:
        """Map (..., in_features) to (..., out_features), or to the parts in ``part`` alone."""
        weight = self.weight.unflatten(0, (self.groups, self.parts, -1))[:, part]
        bias = self.bias
        if bias is not None:
            bias = bias.unflatten(0, (self.parts, -1))[part].flatten()
        if self.groups == 1:
            return F.linear(x, weight.flatten(0, 2), bias)
        x = x.unflatten(-1, (self.groups, -1))  # (..., groups, in / groups)
        out = torch.einsum(_PRODUCTS[self.layout], x, weight).flatten(-3)
        return out if bias is None else out + bias

    def extra_repr(self) -> str:
        return f'{super().extra_repr()}, groups={self.groups}, layout={self.layout!r}'
