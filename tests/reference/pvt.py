"""PVT and Aug-PVT straight from their equations, images of multiples of 32 pixels only."""

import torch.nn.functional as F

from .plain import attention, layer_norm, linear, mlp, scores_and_values, shortcut, with_class_token


def reduce(weights, name, x, size):
    """Keys' tokens: a convolution whose patches do not overlap, then a LayerNorm."""
    kernel, bias = weights[f'{name}.conv.weight'], weights[f'{name}.conv.bias']
    maps = x.transpose(1, 2).unflatten(2, size)  # (N, C, h, w)
    maps = F.conv2d(maps, kernel, bias, kernel.shape[-1])
    return layer_norm(weights, f'{name}.norm', maps.flatten(2).transpose(1, 2), 1e-5)


def attention_to(weights, name, x, context, heads):
    """Multi-head attention of ``x`` to the keys and values of ``context``."""
    n, length, dims = x.shape
    q = linear(weights, f'{name}.q', x).reshape(n, length, heads, -1).transpose(1, 2)
    kv = linear(weights, f'{name}.kv', context).reshape(n, -1, 2, heads, dims // heads)
    k, v = kv.permute(2, 0, 3, 1, 4)  # each (N, heads, S, c)
    out = scores_and_values(q, k, v, (dims // heads) ** -0.5)
    return linear(weights, f'{name}.proj', out.transpose(1, 2).reshape(n, length, dims))


def block(weights, name, x, size, heads):
    n = layer_norm(weights, f'{name}.norm1', x, 1e-6)
    if f'{name}.reduction.conv.weight' in weights:
        context = reduce(weights, f'{name}.reduction', n, size)
        branch = attention_to(weights, f'{name}.attn', n, context, heads)
    else:
        branch = attention(weights, f'{name}.attn', n, heads)
    x = shortcut(weights, f'{name}.shortcut_attn', x, n, branch)
    n = layer_norm(weights, f'{name}.norm2', x, 1e-6)
    return shortcut(weights, f'{name}.shortcut_mlp', x, n, mlp(weights, f'{name}.mlp', n))


def embed(weights, name, maps):
    """Tokens (N, h * w, C) of the patches of a map, and their grid (h, w)."""
    kernel, bias = (weights[f'{name}.proj.{key}'] for key in ('weight', 'bias'))
    maps = F.conv2d(maps, kernel, bias, kernel.shape[-1])
    tokens = layer_norm(weights, f'{name}.norm', maps.flatten(2).transpose(1, 2), 1e-5)
    return tokens, maps.shape[2:]


def pvt(weights, image, depths, heads):
    """Tokens after the last norm, (N, 1 + n, d)."""
    x = image
    for i, depth in enumerate(depths):
        stage = f'stages.{i}'
        x, size = embed(weights, f'{stage}.patch_embed', x)
        last, position = i == len(depths) - 1, weights[f'{stage}.pos_embed']
        below = {'cls_token': weights[f'{stage}.cls_token']} if last else None
        x = with_class_token(below, x, position) if last else x + position
        for j in range(depth):
            x = block(weights, f'{stage}.blocks.{j}', x, size, heads[i])
        x = x if last else x.transpose(1, 2).unflatten(2, size)  # (N, C, h, w)
    return layer_norm(weights, 'norm', x, 1e-6)


def logits(backbone, weights, image):
    """Logits (N, classes) of a classifier with this backbone, from its tensors."""
    depths = [len(stage.blocks) for stage in backbone.stages]
    heads = [stage.blocks[0].attn.num_heads for stage in backbone.stages]
    return linear(weights, 'head.fc', pvt(weights, image, depths, heads)[:, 0])
