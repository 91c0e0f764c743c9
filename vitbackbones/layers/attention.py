"""Dot-product attention (Vaswani et al., 2017), always through the fused kernel.

The interface that every attention of this package keeps, so that a host network can hold
any of them: ``attention(tokens, context=None) -> tokens``. One whose class says ``takes_bias``
also takes ``bias``, which is added to the scores (Swin's windows hand over their positions so).
"""

import torch.nn.functional as F
from torch import Tensor, nn

from ..errors import OptionError
from .dropout import Dropout
from .grouped_linear import GroupedLinear
from .parts import ATTENTIONS, register


@register(ATTENTIONS)
class DotProductAttention(nn.Module):
    """softmax(q k^T / sqrt(head_dims)) v over all tokens.

    Args:
        embed_dims: width of the tokens, a multiple of ``num_heads``.
        num_heads: number of heads.
        qkv_bias: whether the query, key and value projections have a bias.
        cross: whether keys and values come from other tokens than the queries. The
            projection is then stored as ``q`` and ``kv``, else as one ``qkv``.
        attn_drop_rate: dropout on the attention weights.
        drop_rate: dropout on the output.
        proj_bias: whether the output projection has a bias.
        groups, layout: grouping of the query, key and value projections, see
            :class:`~vitbackbones.layers.GroupedLinear`.
    """

    takes_bias = True

    def __init__(
        self,
        embed_dims: int,
        num_heads: int,
        qkv_bias: bool = True,
        cross: bool = False,
        attn_drop_rate: float = 0.0,
        drop_rate: float = 0.0,
        proj_bias: bool = True,
        groups: int = 1,
        layout: str = 'interleave',
    ) -> None:
        super().__init__()
        if embed_dims % num_heads:
            raise OptionError(f'embed_dims={embed_dims} is no multiple of num_heads={num_heads}')
        self.num_heads = num_heads
        self.attn_drop_rate = attn_drop_rate
        self.cross = cross

        def linear(parts: int) -> GroupedLinear:
            return GroupedLinear(embed_dims, parts * embed_dims, qkv_bias, groups, layout, parts)

        if cross:
            self.q, self.kv = linear(1), linear(2)
        else:
            self.qkv = linear(3)
        self.proj = nn.Linear(embed_dims, embed_dims, bias=proj_bias)
        self.drop = Dropout(drop_rate)

    def forward(
        self, x: Tensor, context: Tensor | None = None, bias: Tensor | None = None
    ) -> Tensor:
        """Attend from ``x`` (N, L, C) to ``context`` (N, S, C), by default ``x`` itself.

        ``bias`` is added to the scores, broadcast to (N, heads, L, S).
        """
        q, k, v = self._project(x, context)
        dropout = self.attn_drop_rate if self.training else 0.0
        bias = None if bias is None else bias.to(q.dtype)
        out = F.scaled_dot_product_attention(q, k, v, bias, dropout)
        out = out.transpose(1, 2).flatten(2)  # (N, heads, L, c) -> (N, L, heads * c)
        return self.drop(self.proj(out))

    def _project(self, x: Tensor, context: Tensor | None) -> tuple[Tensor, ...]:
        if context is None:
            return self._heads(self.qkv(x), 3)
        if self.cross:
            q, kv = self.q(x), self.kv(context)
        else:
            q, kv = self.qkv(x, slice(0, 1)), self.qkv(context, slice(1, 3))
        return self._heads(q, 1) + self._heads(kv, 2)

    def _heads(self, x: Tensor, parts: int) -> tuple[Tensor, ...]:
        x = x.unflatten(2, (parts, self.num_heads, -1))  # (N, L, parts, heads, c)
        return x.permute(2, 0, 3, 1, 4).unbind(0)  # parts times (N, heads, L, c)
