"""Swin and MSF-Swin straight from their equations."""

from itertools import product

import torch
import torch.nn.functional as F

from .plain import gaussian_attention, layer_norm, linear, mlp, scores_and_values

EPS = 1e-5
WINDOW = 7


def relative_bias(table):
    """(heads, M * M, M * M), gathered entry by entry from the table of offsets."""
    places = list(product(range(WINDOW), repeat=2))
    rows = [
        (y - v + WINDOW - 1) * (2 * WINDOW - 1) + x - u + WINDOW - 1
        for (y, x), (v, u) in product(places, repeat=2)
    ]
    return table[rows].view(len(places), len(places), -1).permute(2, 0, 1)


def windows(x):
    """Cut (N, H, W, C) into (N, windows, M * M, C)."""
    n, rows, columns, dims = x.shape
    x = x.view(n, rows // WINDOW, WINDOW, columns // WINDOW, WINDOW, dims)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(n, -1, WINDOW * WINDOW, dims)


def whole(x, rows, columns):
    """Lay (N, windows, M * M, C) out as (N, H, W, C)."""
    x = x.view(len(x), rows // WINDOW, columns // WINDOW, WINDOW, WINDOW, -1)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(len(x), rows, columns, -1)


def strangers(rows, columns, steps, like):
    """(windows, 1, M * M, M * M): -100 between tokens that only the roll made neighbors."""
    y, x = torch.arange(rows, device=like.device), torch.arange(columns, device=like.device)
    region = 2 * (y >= rows - steps[0])[:, None] + (x >= columns - steps[1])  # (H, W)
    region = windows(region[None, :, :, None]).flatten(2)[0]  # (windows, M * M)
    return (region[:, :, None] != region[:, None])[:, None].to(like) * -100.0


def attention(weights, name, x, heads, bias):
    """Attention in windows (N, windows, L, C); ``bias`` is added to the scores."""
    shifted = f'{name}.qkvp.weight' in weights
    parts = linear(weights, f'{name}.{"qkvp" if shifted else "qkv"}', x)
    parts = parts.chunk(4 if shifted else 3, -1)
    q, k, v, *p = (y.unflatten(-1, (heads, -1)).transpose(2, 3) for y in parts)
    if shifted:
        z = gaussian_attention(q, k, v, bias) - p[0]
    else:
        z = scores_and_values(q, k, v, q.shape[-1] ** -0.5, bias)
    return linear(weights, f'{name}.proj', z.transpose(2, 3).flatten(3))


def attend(weights, name, n, heads, shift):
    """The attention branch on a map (N, H, W, C), zero-padded to whole windows."""
    h, w = n.shape[1:3]
    x = F.pad(n, (0, 0, 0, -w % WINDOW, 0, -h % WINDOW))
    rows, columns = x.shape[1:3]
    steps = [shift if side > WINDOW else 0 for side in (rows, columns)]
    bias = relative_bias(weights[f'{name}.relative_position_bias_table'])
    if any(steps):
        x = x.roll((-steps[0], -steps[1]), (1, 2))
        bias = bias + strangers(rows, columns, steps, x)
    x = whole(attention(weights, f'{name}.attn', windows(x), heads, bias), rows, columns)
    return x.roll(steps, (1, 2))[:, :h, :w]


def block(weights, name, x, heads, shift):
    x = x + attend(weights, name, layer_norm(weights, f'{name}.norm1', x, EPS), heads, shift)
    return x + mlp(weights, f'{name}.mlp', layer_norm(weights, f'{name}.norm2', x, EPS))


def merge(weights, name, x):
    """Join 2 x 2 neighbors of a map of even sides, column by column."""
    x = torch.cat([x[:, i::2, j::2] for j, i in product((0, 1), repeat=2)], -1)
    return linear(weights, f'{name}.reduction', layer_norm(weights, f'{name}.norm', x, EPS))


def swin(weights, image, depths, heads):
    """Logits of the mean over the last map."""
    kernel, bias = weights['patch_embed.proj.weight'], weights['patch_embed.proj.bias']
    x = F.conv2d(image, kernel, bias, kernel.shape[-1]).permute(0, 2, 3, 1)  # (N, h, w, C)
    x = layer_norm(weights, 'patch_embed.norm', x, EPS)
    for i, depth in enumerate(depths):
        if i:
            x = merge(weights, f'layers.{i}.downsample', x)
        for j in range(depth):
            shift = WINDOW // 2 if j % 2 else 0
            x = block(weights, f'layers.{i}.blocks.{j}', x, heads[i], shift)
    return linear(weights, 'head.fc', layer_norm(weights, 'norm', x, EPS).mean((1, 2)))


def logits(backbone, weights, image):
    """Logits (N, classes) of a classifier with this backbone, from its tensors."""
    depths = [len(layer.blocks) for layer in backbone.layers]
    heads = [layer.blocks[0].attn.num_heads for layer in backbone.layers]
    return swin(weights, image, depths, heads)
