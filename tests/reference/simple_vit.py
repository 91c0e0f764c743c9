"""The mean-shift networks written out plainly, from the paper's equations and published keys.

Scores are materialized, projections of a group are multiplied one by one, nothing is fused. The
ViT reads a state dict in the published layout, so it checks the converter as well.
"""

import torch
import torch.nn.functional as F

from vitbackbones.backbones import MSFViT
from vitbackbones.weights.convert import FORMATS

from .plain import below, gaussian_attention, scores_and_values


def grouped_product(x, weight, groups):
    """Multiply group by group; output o comes from group o mod G."""
    if groups == 1:
        return x @ weight.T
    rows = weight.chunk(groups)  # G times (out / G, in / G)
    outputs = [part @ row.T for part, row in zip(x.chunk(groups, -1), rows, strict=True)]
    return torch.stack(outputs, -1).flatten(-2)  # (..., out / G, G) -> (..., out)


def attention_branch(state, x, num_heads):
    x = F.layer_norm(x, x.shape[-1:], state['norm.weight'], state['norm.bias'])
    with_probe = 'to_qkvp.weight' in state
    weight = state['to_qkvp.weight' if with_probe else 'to_qkv.weight']
    parts = grouped_product(x, weight, x.shape[-1] // weight.shape[1])
    parts = parts.chunk(4 if with_probe else 3, -1)
    parts = [part.unflatten(-1, (num_heads, -1)).transpose(1, 2) for part in parts]
    if with_probe:
        z = gaussian_attention(*parts[:3]) - parts[3]
    else:
        z = scores_and_values(*parts, parts[0].shape[-1] ** -0.5)
    return z.transpose(1, 2).flatten(2) @ state['to_out.weight'].T


def mlp_branch(state, x):
    x = F.layer_norm(x, x.shape[-1:], state['net.0.weight'], state['net.0.bias'])
    x = F.gelu(F.linear(x, state['net.1.weight'], state['net.1.bias']))
    return F.linear(x, state['net.3.weight'], state['net.3.bias'])


def embed(state, image, patch=16):
    """Patches in row-major order, pixels as (row, column, channel); LN, linear, LN."""
    n, channels, height, width = image.shape
    rows = image.reshape(n, channels, height // patch, patch, width // patch, patch)
    x = rows.permute(0, 2, 4, 3, 5, 1).reshape(n, -1, patch * patch * channels)
    x = F.layer_norm(x, x.shape[-1:], state['1.weight'], state['1.bias'])
    x = F.linear(x, state['2.weight'], state['2.bias'])
    return F.layer_norm(x, x.shape[-1:], state['3.weight'], state['3.bias'])


def position(rows, columns, dims):
    """sin and cos of the column, then of the row, in integer coordinates."""
    y, x = torch.meshgrid(torch.arange(rows), torch.arange(columns), indexing='ij')
    frequencies = 10000 ** -torch.linspace(0, 1, dims // 4)
    angles = [place.flatten()[:, None] * frequencies for place in (x, y)]  # each (L, dims / 4)
    return torch.cat([f(a) for a in angles for f in (torch.sin, torch.cos)], 1)


def plain_tokens(state, image, num_heads):
    """Residual stream (N, h * w, C) after the last layer."""
    x = embed(below(state, 'to_patch_embedding.'), image)
    x = x + position(image.shape[2] // 16, image.shape[3] // 16, x.shape[2]).to(x)
    depth = 1 + max(int(key.split('.')[2]) for key in state if key.startswith('transformer.'))
    for i in range(depth):
        x = x + attention_branch(below(state, f'transformer.layers.{i}.0.'), x, num_heads)
        x = x + mlp_branch(below(state, f'transformer.layers.{i}.1.'), x)
    return x


def plain_logits(state, image, num_heads):
    x = plain_tokens(state, image, num_heads).mean(1)
    x = F.layer_norm(x, x.shape[-1:], state['linear_head.0.weight'], state['linear_head.0.bias'])
    return F.linear(x, state['linear_head.1.weight'], state['linear_head.1.bias'])


def published_state(dims, depth, groups=1, with_probe=True, classes=10, seed=0):
    """A random state dict in the published layout, with norms that are not the identity."""
    generator = torch.Generator().manual_seed(seed)
    fused = 'to_qkvp' if with_probe else 'to_qkv'
    shapes = {f'to_patch_embedding.{i}': s for i, s in ((1, 768), (2, (dims, 768)), (3, dims))}
    for i in range(depth):
        layer = f'transformer.layers.{i}'
        shapes |= {f'{layer}.0.norm': dims, f'{layer}.1.net.0': dims}
        shapes |= {f'{layer}.0.{fused}': ((3 + with_probe) * dims, dims // groups)}
        shapes |= {f'{layer}.0.to_out': (dims, dims)}
        shapes |= {f'{layer}.1.net.1': (4 * dims, dims), f'{layer}.1.net.3': (dims, 4 * dims)}
    shapes |= {'linear_head.0': dims, 'linear_head.1': (classes, dims)}
    state = {}
    for name, shape in shapes.items():
        norm = isinstance(shape, int)
        weight = torch.randn(shape, generator=generator)
        state[f'{name}.weight'] = 1 + 0.1 * weight if norm else weight * shape[1] ** -0.5
        if '.to_' not in name:
            size = shape if norm else shape[0]
            state[f'{name}.bias'] = 0.1 * torch.randn(size, generator=generator)
    return state


def logits(backbone, weights, image):
    """Logits (N, classes) of a classifier with this backbone, from its tensors."""
    return plain_logits(weights, image, backbone.blocks[0].attn.num_heads)


def in_published_keys(backbone, weights):
    """The tensors of a classifier under the names that :func:`logits` knows."""
    with_probe = isinstance(backbone, MSFViT)
    published = published_state(4, len(backbone.blocks), with_probe=with_probe)
    ours = FORMATS['msf'].convert({name: name for name in published})
    return {name: weights[key.replace('head.', 'head.fc.')] for key, name in ours.items()}
