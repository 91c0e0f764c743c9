"""The attentions of the Tokens-to-Token module: exact, and linear in the number of tokens.

Both forms of T2T-ViT (Yuan et al., 2021, Sec. 3.1) change the width of the tokens and take the
values, not the tokens, as their shortcut: x = v + proj(attention(q, k, v)), with one head.

The linear form is the Performer's (Choromanski et al., 2021): softmax's kernel exp(q.k) is the
expectation of phi(q).phi(k) over random features w, with
phi(u) = exp(w u - |u|^2 / 2) / sqrt(number of features), so that

    y = phi(q) (phi(k)^T v) / (phi(q) sum phi(k))

never forms the scores. The features are drawn once and kept in the checkpoint.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .dropout import Dropout


class TokenAttention(nn.Module):
    """Softmax attention with one head; as published, the scale is ``in_dims`` ** -0.5.

    Args:
        in_dims: width of the tokens that come in.
        embed_dims: width of queries, keys, values and of the tokens that go out.
        drop_rate: dropout on the branch beside the values.
    """

    qkv_bias = False  # as published

    def __init__(self, in_dims: int, embed_dims: int, drop_rate: float) -> None:
        super().__init__()
        self.scale = in_dims**-0.5
        self.qkv = nn.Linear(in_dims, 3 * embed_dims, bias=self.qkv_bias)
        self.proj = nn.Linear(embed_dims, embed_dims)
        self.drop = Dropout(drop_rate)

    def forward(self, x: Tensor) -> Tensor:
        """Map tokens (N, L, in_dims) to (N, L, embed_dims)."""
        q, k, v = self.qkv(x).chunk(3, -1)
        return v + self.drop(self.proj(self.attend(q, k, v)))

    def attend(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """Return (N, L, C) from queries, keys and values of that shape."""
        q, k, v = (x[:, None] for x in (q, k, v))  # (N, 1 head, L, C)
        return F.scaled_dot_product_attention(q, k, v, scale=self.scale)[:, 0]


class PerformerAttention(TokenAttention):
    """Linear attention by positive random features, always in float32.

    Arguments as :class:`TokenAttention`; as published, half as many features as ``embed_dims``.
    """

    qkv_bias = True

    def __init__(self, in_dims: int, embed_dims: int, drop_rate: float) -> None:
        super().__init__(in_dims, embed_dims, drop_rate)
        features = torch.empty(embed_dims // 2, embed_dims)
        nn.init.orthogonal_(features, gain=math.sqrt(len(features)))
        self.w = nn.Parameter(features, requires_grad=False)

    def attend(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """Return (N, L, C) from queries, keys and values of that shape, in O(L)."""
        dtype = v.dtype
        with torch.autocast(q.device.type, enabled=False):
            q, k, v = self._features(q), self._features(k), v.float()
            total = q @ k.sum(1)[:, :, None]  # (N, L, 1)
            out = q @ (k.transpose(1, 2) @ v) / (total + 1e-8)  # (N, L, features) (.., C)
        return out.to(dtype)

    def _features(self, x: Tensor) -> Tensor:
        """phi: (N, L, C) -> (N, L, features)."""
        x, w = x.float(), self.w.float()
        norm = x.square().sum(-1, keepdim=True) / 2
        return torch.exp(x @ w.T - norm) / math.sqrt(len(w))
