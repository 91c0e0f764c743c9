"""Leaf equations of the plain references: materialised scores, every factor a multiply of its own.

Weights are a dict of tensors in this package's keys, such as ``dict(model.named_parameters())``.
"""

import torch
import torch.nn.functional as F


def linear(weights, name, x):
    return F.linear(x, weights[f'{name}.weight'], weights.get(f'{name}.bias'))


def layer_norm(weights, name, x, eps):
    weight = weights[f'{name}.weight']
    return F.layer_norm(x, weight.shape, weight, weights[f'{name}.bias'], eps)


def mlp(weights, name, x):
    return linear(weights, f'{name}.fc2', F.gelu(linear(weights, f'{name}.fc1', x)))


def scores_and_values(q, k, v, scale):
    """softmax(q k^T * scale) v with the scores written out."""
    scores = (q @ k.transpose(-2, -1)) * scale
    return scores.softmax(-1) @ v


def attention(weights, name, x, heads):
    """Multi-head attention with one projection for queries and keys, and one for values."""
    n, length, dims = x.shape
    weight, bias = weights[f'{name}.qkv.weight'], weights.get(f'{name}.qkv.bias')
    parts = (
        weight.split([2 * dims, dims]),
        (None, None) if bias is None else bias.split([2 * dims, dims]),
    )
    qk, v = (F.linear(x, w, b) for w, b in zip(*parts, strict=True))
    q, k = qk.reshape(n, length, 2, heads, -1).permute(2, 0, 3, 1, 4)
    v = v.reshape(n, length, heads, -1).permute(0, 2, 1, 3)
    out = scores_and_values(q, k, v, (dims // heads) ** -0.5)
    return linear(weights, f'{name}.proj', out.transpose(1, 2).reshape(n, length, dims))


def block(weights, name, x, heads, eps):
    """A pre-norm transformer block."""
    x = x + attention(weights, f'{name}.attn', layer_norm(weights, f'{name}.norm1', x, eps), heads)
    return x + mlp(weights, f'{name}.mlp', layer_norm(weights, f'{name}.norm2', x, eps))


def with_class_token(weights, x, position):
    token = weights['cls_token'].expand(len(x), -1, -1)
    return torch.cat([token, x], 1) + position
