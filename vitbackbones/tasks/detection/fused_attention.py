"""Multi-head attention of mmcv that reaches PyTorch's fused kernel.

mmcv's ``MultiheadAttention`` calls ``nn.MultiheadAttention`` with ``need_weights=True``, which
writes the whole score matrix to memory and then throws it away. The subclass here holds the
same parameters under the same names and computes the same function through
``scaled_dot_product_attention``.

On a GPU its memory-efficient kernel takes a mask and dropout; flash attention takes no mask. On a
CPU no fused kernel has dropout, and training keeps the scores.
"""

import torch
import torch.nn.functional as F
from mmcv.cnn.bricks.transformer import MultiheadAttention
from mmengine.model import BaseModule
from torch import Tensor, nn

ALIGNMENT = 8  # of the rows of a mask for the memory-efficient kernel, in numbers


def padding_bias(mask: Tensor, dtype: torch.dtype) -> Tensor:
    """Turn a key padding mask into a number that is added to the scores.

    A finite one, not minus infinity: the softmax makes an exact zero of it just the same, and
    a row that is padded all over gives a mean instead of NaN. Half the smallest number leaves
    kernels room to scale it by log2(e).

    Args:
        mask: (N, S), True where the key is padding.
        dtype: type of the queries.

    Returns:
        (N, 1, 1, S), to be broadcast over heads and queries.
    """
    length = mask.shape[1]
    # rows that start at multiples of ALIGNMENT, or torch copies them for every attention
    rows = F.pad(mask, (0, (length + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT - length))
    bias = torch.zeros_like(rows, dtype=dtype).masked_fill(rows, torch.finfo(dtype).min / 2)
    return bias[:, None, None, :length]  # (N, S) -> (N, 1, 1, S)


class FusedAttention(MultiheadAttention):
    """mmcv's ``MultiheadAttention`` (batch first) on the fused kernel.

    Args:
        built: mmcv's, which is of no use afterwards. All that it holds is taken over, so that
            parameters, initial values and state-dict keys are the same, and no random number is
            drawn.
    """

    def __init__(self, built: MultiheadAttention) -> None:
        BaseModule.__init__(self)
        vars(self).update(vars(built))

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        *,
        query_pos: Tensor,
        key_pos: Tensor,
        attn_mask: None = None,
        key_padding_mask: Tensor | None = None,
    ) -> Tensor:
        """Attend from ``query + query_pos`` to ``key + key_pos`` and add ``query``.

        Args:
            query, query_pos: (N, L, C).
            key, value, key_pos: (N, S, C).
            attn_mask: None. mmdet's layers pass it on, DETR never sets it.
            key_padding_mask: (N, S), True where the key is padding.

        Returns:
            (N, L, C).
        """
        assert attn_mask is None, 'FusedAttention supports only key padding masks'
        if query is key and query_pos is key_pos:
            q, k = self._project(query + query_pos, 0, 2).chunk(2, dim=-1)
        else:
            q = self._project(query + query_pos, 0, 1)
            k = self._project(key + key_pos, 1, 2)
        v = self._project(value, 2, 3)
        bias = None if key_padding_mask is None else padding_bias(key_padding_mask, q.dtype)
        dropout = self.attn.dropout if self.training else 0.0
        # (N, L, C) -> (N, L, heads, C / heads) -> (N, heads, L, C / heads)
        q, k, v = (x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for x in (q, k, v))
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=bias, dropout_p=dropout)
        out = out.transpose(1, 2).flatten(2)  # (N, heads, L, C / heads) -> (N, L, C)
        return query + self.dropout_layer(self.proj_drop(self.attn.out_proj(out)))

    def _project(self, x: Tensor, first: int, last: int) -> Tensor:
        """Apply the blocks ``first`` to ``last`` of the stacked projections of q, k and v."""
        rows = slice(first * self.embed_dims, last * self.embed_dims)
        return F.linear(x, self.attn.in_proj_weight[rows], self.attn.in_proj_bias[rows])


def fuse_attention(model: nn.Module) -> None:
    """Put a :class:`FusedAttention` in the place of every mmcv attention inside ``model``.

    Attentions with torch's rare extras, which the fused form leaves out, stay as they are.
    """
    for parent in list(model.modules()):
        for name, part in parent.named_children():
            if type(part) is not MultiheadAttention:
                continue
            attn = part.attn
            stacked = attn.in_proj_weight is not None and attn.in_proj_bias is not None
            if stacked and attn.bias_k is None and not attn.add_zero_attn:
                setattr(parent, name, FusedAttention(part))
