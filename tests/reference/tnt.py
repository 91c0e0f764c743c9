"""TNT straight from its equations (Han et al., 2021, Sec. 2.2), images of whole patches only."""

import torch.nn.functional as F

from .plain import attention, block, layer_norm, linear, mlp, with_class_token

EPS = 1e-5
MAPS = (2, 1)  # as published, one projection for queries and keys, and one for values


def pixel_tokens(weights, image, stem, pixels=4, patch=16):
    """Words of every patch, (N * n, 16, c)."""
    n, channels = image.shape[:2]
    kernel, bias = weights['pixel_embed.proj.weight'], weights['pixel_embed.proj.bias']
    if stem == 'conv':
        image = F.conv2d(image, kernel, bias, pixels, 3)
        patch, channels = patch // pixels, len(kernel)
    windows = F.unfold(image, patch, stride=patch).transpose(1, 2)  # (N, n, C * p * p)
    x = windows.reshape(-1, channels, patch, patch)
    if stem == 'unfold':
        x = F.conv2d(x, kernel, bias, pixels, 3)
    return (x + weights.get('pixel_pos', 0)).flatten(2).transpose(1, 2)


def to_patch(weights, name, pixels, n, projection='patch'):
    """A patch's words as the update of its sentence, (N, n, d)."""
    if projection == 'pixel':
        pixels = layer_norm(weights, f'{name}.norm1', pixels, EPS)
    x = pixels.reshape(n, -1, pixels.shape[1:].numel())
    if projection != 'patch':
        return linear(weights, f'{name}.proj', x)
    x = linear(weights, f'{name}.proj', layer_norm(weights, f'{name}.norm1', x, EPS))
    return layer_norm(weights, f'{name}.norm2', x, EPS)


def excite(weights, name, x):
    """t + t * s(t) of the variant with squeeze-and-excitation, where it is one."""
    if f'{name}.norm.weight' not in weights:
        return x
    gate = layer_norm(weights, f'{name}.norm', x.mean(1, keepdim=True), EPS)
    gate = linear(weights, f'{name}.fc2', linear(weights, f'{name}.fc1', gate).relu()).tanh()
    return x + x * gate


def outer(weights, name, x, heads):
    n = layer_norm(weights, f'{name}.norm1', x, EPS)
    x = x + attention(weights, f'{name}.attn', n, heads, MAPS)
    t = mlp(weights, f'{name}.mlp', layer_norm(weights, f'{name}.norm2', x, EPS))
    return x + excite(weights, f'{name}.mlp.se', t)


def tnt(weights, image, heads=6, inner_heads=4, stem='unfold', projection='patch', pixels=4):
    """Tokens after the last norm, (N, 1 + n, d)."""
    pixels = pixel_tokens(weights, image, stem, pixels)
    if 'to_patch.proj.weight' in weights:
        x = to_patch(weights, 'to_patch', pixels, len(image))
    else:
        x = pixels.new_zeros(len(image), len(pixels) // len(image), weights['cls_token'].shape[2])
    x = with_class_token(weights, x, weights.get('patch_pos', 0))
    depth = 1 + max(int(name.split('.')[1]) for name in weights if name.startswith('blocks.'))
    for name in (f'blocks.{i}' for i in range(depth)):
        if f'{name}.inner.norm1.weight' in weights:
            pixels = block(weights, f'{name}.inner', pixels, inner_heads, EPS, MAPS)
            update = to_patch(weights, f'{name}.to_patch', pixels, len(image), projection)
            x[:, 1:] = x[:, 1:] + update
        x = outer(weights, f'{name}.outer', x, heads)
    return layer_norm(weights, 'norm', x, EPS)


def logits(backbone, weights, image):
    """Logits (N, classes) of a classifier with this backbone, from its tensors."""
    block = backbone.blocks[0]
    heads = (block.outer.attn.num_heads, block.inner.attn.num_heads)
    forms = {'stem': backbone.pixel_embed.stem, 'projection': block.to_patch.form}
    return linear(weights, 'head.fc', tnt(weights, image, *heads, **forms)[:, 0])
