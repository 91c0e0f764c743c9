"""The Tokens-to-Token stem (Yuan et al., "Tokens-to-Token ViT", 2021, Sec. 3.1, Fig. 2).

Overlapping windows of the image become tokens; twice, these attend to each other at width 64, are
laid out as a map again and re-cut by overlapping windows, at strides 4, 8 and 16 in the end:

    image -(7x7, stride 4)-> 147 -attention-> 64 -(3x3, stride 2)-> 576 -attention-> 64
          -(3x3, stride 2)-> 576 -linear-> embed_dims

Both forms of its attention, exact and linear in the number of tokens, change the width of the
tokens and take the values, not the tokens, as their shortcut: x = v + proj(attention(q, k, v)),
with one head.

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

from ..errors import OptionError
from .block import Mlp
from .drop import make_dropout
from .parts import STEMS, register, require_choice
from .tokens import pad_to_multiple, require_channels, to_map


class T2TAttention(nn.Module):
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
        self.drop = make_dropout(drop_rate)

    def forward(self, x: Tensor) -> Tensor:
        """Map tokens (N, L, in_dims) to (N, L, embed_dims)."""
        q, k, v = self.qkv(x).chunk(3, -1)
        return v + self.drop(self.proj(self.attend(q, k, v)))

    def attend(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """Return (N, L, C) from queries, keys and values of that shape."""
        q, k, v = (x[:, None] for x in (q, k, v))  # (N, 1 head, L, C)
        return F.scaled_dot_product_attention(q, k, v, scale=self.scale)[:, 0]


class PerformerAttention(T2TAttention):
    """Linear attention by positive random features, always in float32.

    Arguments as :class:`T2TAttention`; as published, half as many features as ``embed_dims``.
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
            q = self._features(q)
            k = self._features(k)
            v = v.float()
            total = q @ k.sum(1)[:, :, None]  # (N, L, 1)
            out = q @ (k.transpose(1, 2) @ v) / (total + 1e-8)  # (N, L, features) (.., C)
        return out.to(dtype)

    def _features(self, x: Tensor) -> Tensor:
        """Return phi of queries or keys, (N, L, C) -> (N, L, features)."""
        x = x.float()
        w = self.w.float()
        norm = x.square().sum(-1, keepdim=True) / 2
        return torch.exp(x @ w.T - norm) / math.sqrt(len(w))


_WIDTH = 64
_STRIDE = 16
_ATTENTIONS = {'performer': PerformerAttention, 'transformer': T2TAttention}
# the published Performer has these two dropouts whatever the model's drop_rate
_DROP_RATES = {'performer': 0.1, 'transformer': 0.0}


def _soft_split(x: Tensor, side: int, stride: int) -> Tensor:
    """Cut a map (N, C, H, W) into overlapping windows (N, L, C * side * side), zeros around it."""
    return F.unfold(x, side, stride=stride, padding=(side - stride + 1) // 2).transpose(1, 2)


class TokenTransformer(nn.Module):
    """x = v + attention(LN(x)); x = x + mlp(LN(x)), from ``in_dims`` to ``embed_dims``."""

    def __init__(self, in_dims: int, embed_dims: int, tokens: str, drop_rate: float) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(in_dims, eps=1e-5)
        self.attn = _ATTENTIONS[tokens](in_dims, embed_dims, drop_rate)
        self.norm2 = nn.LayerNorm(embed_dims, eps=1e-5)
        self.mlp = Mlp(embed_dims, embed_dims)
        self.drop = make_dropout(drop_rate)

    def forward(self, x: Tensor) -> Tensor:
        """Map tokens (N, L, in_dims) to (N, L, embed_dims)."""
        x = self.attn(self.norm1(x))
        return x + self.drop(self.mlp(self.norm2(x)))


@register(STEMS)
class TokensToToken(nn.Module):
    """Image to patch tokens of stride 16 through two re-structured token layers.

    Args:
        in_channels: channels of the image.
        embed_dims: width of the tokens that go out.
        patch_size: 16, the stride that the three splits make.
        tokens: ``'performer'`` (linear in the image's area) or ``'transformer'`` (quadratic).
        drop_rate: dropout on the branches of both token layers; as published by default, 0.1 in
            the Performer and 0 in the transformer.

    Raises:
        OptionError: ``patch_size`` is not 16 or ``tokens`` is unknown.
    """

    def __init__(
        self,
        in_channels: int,
        embed_dims: int,
        patch_size: int = _STRIDE,
        tokens: str = 'performer',
        drop_rate: float | None = None,
    ) -> None:
        super().__init__()
        if patch_size != _STRIDE:
            raise OptionError(
                f'patch_size={patch_size}: tokens-to-token requires patches of {_STRIDE}'
            )
        require_choice('tokens', tokens, _ATTENTIONS)
        self.in_channels = in_channels
        drop_rate = _DROP_RATES[tokens] if drop_rate is None else drop_rate
        self.attention1 = TokenTransformer(in_channels * 7 * 7, _WIDTH, tokens, drop_rate)
        self.attention2 = TokenTransformer(_WIDTH * 3 * 3, _WIDTH, tokens, drop_rate)
        self.project = nn.Linear(_WIDTH * 3 * 3, embed_dims)

    def forward(self, x: Tensor) -> tuple[Tensor, tuple[int, int]]:
        """Map (N, in_channels, H, W) to tokens (N, h * w, C) and (h, w), rounded up."""
        require_channels(x, self.in_channels)
        x = pad_to_multiple(x, _STRIDE)
        h, w = x.shape[-2] // _STRIDE, x.shape[-1] // _STRIDE
        x = self.attention1(_soft_split(x, 7, 4))  # (N, 4h * 4w, 64)
        x = self.attention2(_soft_split(to_map(x, (4 * h, 4 * w)), 3, 2))  # (N, 2h * 2w, 64)
        return self.project(_soft_split(to_map(x, (2 * h, 2 * w)), 3, 2)), (h, w)
