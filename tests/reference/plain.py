"""Leaf equations of the plain references: materialized scores, every factor a multiply of its own.

Weights are a dict of tensors in this package's keys, such as ``dict(model.named_parameters())``.
"""

from functools import cache

import torch
import torch.nn.functional as F


def below(weights, prefix):
    """The tensors of a part, without its name."""
    return {k.removeprefix(prefix): v for k, v in weights.items() if k.startswith(prefix)}


def linear(weights, name, x):
    return F.linear(x, weights[f'{name}.weight'], weights.get(f'{name}.bias'))


def layer_norm(weights, name, x, eps):
    weight = weights[f'{name}.weight']
    return F.layer_norm(x, weight.shape, weight, weights[f'{name}.bias'], eps)


def mlp(weights, name, x):
    return linear(weights, f'{name}.fc2', F.gelu(linear(weights, f'{name}.fc1', x)))


def scores_and_values(q, k, v, scale, bias=0.0):
    """softmax(q k^T * scale + bias) v with the scores written out."""
    scores = (q @ k.transpose(-2, -1)) * scale
    return (scores + bias).softmax(-1) @ v


def gaussian_attention(q, k, v, bias=0.0):
    """Average by exp(-|q - k|^2 / (2 sqrt(c)) + bias), without the part of |q|^2; (..., L, c)."""
    scores = q @ k.transpose(-2, -1) - 0.5 * k.square().sum(-1)[..., None, :]
    return (scores * q.shape[-1] ** -0.5 + bias).softmax(-1) @ v


def attention(weights, name, x, heads, maps=(3,)):
    """Multi-head attention; ``maps`` says how many of q, k, v each projection makes."""
    n, length, dims = x.shape
    weight, bias = weights[f'{name}.qkv.weight'], weights.get(f'{name}.qkv.bias')
    rows = [count * dims for count in maps]
    biases = [None] * len(rows) if bias is None else bias.split(rows)
    parts = []
    for w, b in zip(weight.split(rows), biases, strict=True):
        part = F.linear(x, w, b).reshape(n, length, -1, heads, dims // heads)
        parts.extend(part.permute(2, 0, 3, 1, 4))  # each (N, heads, L, c)
    out = scores_and_values(*parts, (dims // heads) ** -0.5)
    return linear(weights, f'{name}.proj', out.transpose(1, 2).reshape(n, length, dims))


def block(weights, name, x, heads, eps, maps=(3,)):
    """A pre-norm transformer block."""
    n = layer_norm(weights, f'{name}.norm1', x, eps)
    branch = attention(weights, f'{name}.attn', n, heads, maps)
    x = shortcut(weights, f'{name}.shortcut_attn', x, n, branch)
    n = layer_norm(weights, f'{name}.norm2', x, eps)
    return shortcut(weights, f'{name}.shortcut_mlp', x, n, mlp(weights, f'{name}.mlp', n))


def shortcut(weights, name, x, normed, branch):
    """x + branch; with one learned path + A(n); with two (x + branch + A1(n) + A2(n)) * factor."""
    if f'{name}.weight' not in weights:
        return x + branch
    columns, biases = weights[f'{name}.weight'], weights[f'{name}.bias']
    paths = [F.linear(normed, circulant(c), b) for c, b in zip(columns, biases, strict=True)]
    if len(paths) == 1:
        return x + branch + paths[0]
    factor = weights.get('shortcut_scale', 0.75)  # of Aug-ViT's code
    return (x + branch + F.gelu(paths[0]) + F.gelu(paths[1])) * factor


def circulant(columns):
    """Gather a dense (b * m, b * m) matrix from the (b, b, m) columns, entry by entry."""
    return columns.flatten()[index_matrix(len(columns), columns.shape[-1], columns.device)]


@cache
@torch.inference_mode(False)  # it is kept, and a later call may need gradients
def index_matrix(blocks, m, device):
    """(b * m, b * m) places (i * b + j) * m + (p - q) mod m in the flat columns."""
    place = torch.arange(blocks * m, device=device)
    block, offset = place // m, place % m
    return (block[:, None] * blocks + block) * m + (offset[:, None] - offset) % m


def with_class_token(weights, x, position):
    names = [name for name in ('cls_token', 'dist_token') if name in weights]
    return torch.cat([*(weights[n].expand(len(x), -1, -1) for n in names), x], 1) + position
