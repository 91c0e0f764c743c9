"""MLP-Mixer straight from its equations, images of the size of its weights only."""

import torch.nn.functional as F

from .plain import layer_norm, linear, mlp

EPS = 1e-6


def add(weights, name, x, branch):
    """x + branch or, with learned coefficients, a x + b branch."""
    if f'{name}.identity' not in weights:
        return x + branch
    return weights[f'{name}.identity'] * x + weights[f'{name}.branch'] * branch


def mixer_block(weights, name, x):
    n = layer_norm(weights, f'{name}.norm1', x, EPS)
    mixed = mlp(weights, f'{name}.mlp_tokens', n.transpose(1, 2)).transpose(1, 2)  # over the L
    x = add(weights, f'{name}.shortcut_tokens', x, mixed)
    n = layer_norm(weights, f'{name}.norm2', x, EPS)
    branch = mlp(weights, f'{name}.mlp_channels', n)
    return add(weights, f'{name}.shortcut_channels', x, branch)


def mixer(weights, image, depth, passes):
    """Logits of the mean over the tokens."""
    kernel, bias = weights['stem.proj.weight'], weights['stem.proj.bias']
    x = F.conv2d(image, kernel, bias, kernel.shape[-1]).flatten(2).transpose(1, 2)  # (N, n, d)
    for i in range(depth):
        for _ in range(passes):
            x = mixer_block(weights, f'blocks.{i}', x)
    return linear(weights, 'head.fc', layer_norm(weights, 'norm', x, EPS).mean(1))


def logits(backbone, weights, image):
    """Logits (N, classes) of a classifier with this backbone, from its tensors."""
    passes = 1 if backbone.recursion is None else backbone.recursion.passes
    return mixer(weights, image, len(backbone.blocks), passes)
