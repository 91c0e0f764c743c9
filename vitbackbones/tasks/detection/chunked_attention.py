"""Attention with dropout for training on a CPU, some queries at a time.

    out = dropout(softmax(q k^T / sqrt(c) + bias)) v

torch's kernel for this keeps three matrices of scores for the backward pass. Here the scores of a
few queries exist at a time, small enough for the cache, and the backward pass computes them again
(Dao et al., "FlashAttention", 2022), with P the weights, D the mask of dropout over 1 - rate and g
the gradient of the output:

    dv = (P D)^T g        dP = D (g v^T)        dS = P (dP - rowsum(g out))

so the memory is linear in the number of tokens. Random numbers take most of the time of torch's
own dropout on a CPU. Here a number of 32 bits decides about each weight, drawn from a seed, so that
the backward pass draws the same ones.
"""

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

CHUNK = 2**18  # weights at a time: 1 MiB of float32
LOWEST = -(2**31)  # of the numbers that decide


def chunked_attention(
    q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None, dropout: float
) -> Tensor:
    """Return the attention of all heads, differentiable once.

    Args:
        q: (N, heads, L, c).
        k, v: (N, heads, S, c).
        bias: (N, 1, 1, S), added to the scores; it gets no gradient.
        dropout: rate in (0, 1), on the weights. The seed comes from torch's global generator.

    Returns:
        (N, heads, L, c).
    """
    count, heads, _, _ = q.shape
    if bias is not None:
        # (N, 1, 1, S) -> (N, heads, 1, S) -> (N * heads, 1, S)
        bias = bias.expand(-1, heads, -1, -1).flatten(0, 1)
    seed = int(torch.randint(2**62, ()))
    q, k, v = (each.flatten(0, 1) for each in (q, k, v))  # (N * heads, ..., c)
    return _Chunked.apply(q, k, v, bias, dropout, seed).unflatten(0, (count, heads))


class _Chunked(Function):
    """The formula above for (N * heads, L, c); dropped weights are zeroed, the output scaled."""

    @staticmethod
    def forward(ctx, q, k, v, bias, dropout, seed):
        ctx.dropout, ctx.seed = dropout, seed
        out = torch.empty_like(q)
        for rows, weights, kept in _chunks(q, k, bias, dropout, seed):
            out[:, rows] = weights.mul_(kept) @ v
        out /= 1 - dropout
        ctx.save_for_backward(q, k, v, bias, out)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        q, k, v, bias, out = ctx.saved_tensors
        mean = (grad * out).sum(-1, keepdim=True)  # (N * heads, L, 1), of dP over the weights
        grad = grad / (1 - ctx.dropout)
        exact = torch.promote_types(q.dtype, torch.float32)  # of the sums over chunks
        dq, dk, dv = torch.empty_like(q), *(torch.zeros_like(x, dtype=exact) for x in (k, v))
        for rows, weights, kept in _chunks(q, k, bias, ctx.dropout, ctx.seed):
            scores = (grad[:, rows] @ v.transpose(1, 2)).mul_(kept)
            scores.sub_(mean[:, rows]).mul_(weights)  # (N * heads, l, S), gradient of the scores
            dv += weights.mul_(kept).transpose(1, 2) @ grad[:, rows]
            dk += scores.transpose(1, 2) @ q[:, rows]
            dq[:, rows] = scores @ k
        scale = q.shape[-1] ** -0.5
        return dq * scale, (dk * scale).to(k.dtype), dv.to(v.dtype), None, None, None


def _chunks(
    q: Tensor, k: Tensor, bias: Tensor | None, dropout: float, seed: int
) -> Iterator[tuple[slice, Tensor, Tensor]]:
    """Yield l queries at a time, their weights (N * heads, l, S), and which are kept."""
    generator = torch.Generator().manual_seed(seed)
    keys = (k * k.shape[-1] ** -0.5).transpose(1, 2)  # (N * heads, c, S)
    length = max(1, CHUNK // (len(k) * k.shape[1]))
    for start in range(0, q.shape[1], length):
        rows = slice(start, start + length)
        scores = q[:, rows] @ keys
        if bias is not None:
            scores += bias
        yield rows, scores.softmax(-1), _draw(scores.shape, dropout, generator)


def _draw(shape: torch.Size, rate: float, generator: torch.Generator) -> Tensor:
    """Return booleans of a shape, each false with probability ``rate``."""
    words = torch.empty(-(-shape.numel() // 2), dtype=torch.int64)
    words.random_(-(2**63), None, generator=generator)  # all 64 bits
    numbers = words.view(torch.int32)[: shape.numel()].view(shape)
    return numbers >= LOWEST + round(rate * 2**32)
