"""SETR written out plainly, from the description of the released code, in its keys.

A state dict holds ``backbone.*``, ``decode_head.*`` and ``auxiliary_head.<i>.*`` as the released
checkpoints do. ``training`` is that of the batch norms: statistics of the batch, or stored ones.
Maps are tokens (N, L, C) until a head lays them out on the grid of patches.
"""

import torch
import torch.nn.functional as F

from .plain import below, block, layer_norm

# what the heads read of 12 blocks; the main head of Naive and PUP reads the last
INDICES = {'naive': (2, 5, 8, 11), 'pup': (4, 7, 9, 11), 'mla': (2, 5, 8, 11)}


def resize(x, size, align_corners=False):
    return F.interpolate(x, size=size, mode='bilinear', align_corners=align_corners)


def batch_norm(state, name, x, training):
    mean, var = state[f'{name}.running_mean'], state[f'{name}.running_var']
    if training:
        mean, var = x.mean((0, 2, 3)), x.var((0, 2, 3), unbiased=False)
    x = (x - mean[:, None, None]) / (var[:, None, None] + 1e-5).sqrt()
    return x * state[f'{name}.weight'][:, None, None] + state[f'{name}.bias'][:, None, None]


def conv(state, name, x):
    weight = state[f'{name}.weight']
    return F.conv2d(x, weight, state.get(f'{name}.bias'), padding=weight.shape[-1] // 2)


def lay_out(tokens, grid):
    return tokens.transpose(1, 2).reshape(len(tokens), -1, *grid)


# ---------------------------------------------------------------------------- encoder


def encode(state, image, heads, with_cls_token):
    """Tokens after every block, with the class token if it goes through the blocks."""
    weight, bias = state['patch_embed.proj.weight'], state['patch_embed.proj.bias']
    x = F.conv2d(image, weight, bias, stride=16).flatten(2).transpose(1, 2)
    x = torch.cat([state['cls_token'].expand(len(x), -1, -1), x], 1) + state['pos_embed']
    x = x if with_cls_token else x[:, 1:]
    outputs = []
    for i in range(1 + max(int(k.split('.')[1]) for k in state if k.startswith('blocks.'))):
        x = block(state, f'blocks.{i}', x, heads, 1e-6)
        outputs.append(x)
    return outputs


# ---------------------------------------------------------------------------- heads


def convolve(state, i, x, training):
    return batch_norm(state, f'syncbn_fc_{i}', conv(state, f'conv_{i}', x), training).relu()


def naive_head(state, x, grid, size, training):
    x = lay_out(layer_norm(state, 'norm', x[:, 1:], 1e-6), grid)
    return resize(conv(state, 'conv_1', convolve(state, 0, x, training)), size)


def pup_head(state, x, grid, size, training):
    x = lay_out(layer_norm(state, 'norm', x[:, 1:], 1e-6), grid)
    for i in range(3):
        x = convolve(state, i, x, training)
        x = resize(x, (2 * x.shape[2], 2 * x.shape[3]))
    x = conv(state, 'conv_4', convolve(state, 3, x, training))
    return resize(x, (2 * x.shape[2], 2 * x.shape[3]))


def pup_aux_head(state, x, grid, size, training):
    x = convolve(state, 0, lay_out(layer_norm(state, 'norm', x[:, 1:], 1e-6), grid), training)
    return resize(conv(state, 'conv_1', resize(x, (4 * grid[0], 4 * grid[1]))), size)


def mla_aggregate(state, outputs, grid, training):
    """p2, p3, p4, p5 of the tokens of four blocks."""

    def step(name, x):
        return batch_norm(state, f'{name}.1', conv(state, f'{name}.0', x), training).relu()

    tokens = [layer_norm(state, f'norm_{i}', x, 1e-6) for i, x in enumerate(outputs)]
    lateral = [step(f'mla.mla_p{i + 2}_1x1', lay_out(x, grid)) for i, x in enumerate(tokens)]
    m5 = lateral[3]
    m4 = m5 + lateral[2]
    m3 = m4 + lateral[1]
    m2 = m3 + lateral[0]
    return [step(f'mla.mla_p{i + 2}', x) for i, x in enumerate((m2, m3, m4, m5))]


def mla_head(state, maps, size, training):
    enlarged = []
    for i, x in enumerate(maps):
        name = f'mlahead.head{i + 2}'
        x = batch_norm(state, f'{name}.1', conv(state, f'{name}.0', x), training).relu()
        x = batch_norm(state, f'{name}.4', conv(state, f'{name}.3', x), training).relu()
        enlarged.append(resize(x, (4 * x.shape[2], 4 * x.shape[3]), align_corners=True))
    return resize(conv(state, 'cls', torch.cat(enlarged, 1)), size)


def logits(state, kind, image, heads, training=False):
    """Return the logits of the main head, and a list of those of the auxiliary heads."""
    size, grid = image.shape[2:], [side // 16 for side in image.shape[2:]]
    backbone, main = below(state, 'backbone.'), below(state, 'decode_head.')
    outputs = encode(backbone, image, heads, with_cls_token=kind != 'mla')
    outputs = [outputs[i] for i in INDICES[kind]]
    if kind == 'mla':
        maps = mla_aggregate(backbone, outputs, grid, training)
        aux = [conv(below(state, f'auxiliary_head.{i}.'), 'aux', x) for i, x in enumerate(maps)]
        return mla_head(main, maps, size, training), [resize(x, size) for x in aux]
    head, aux = {'naive': (naive_head, naive_head), 'pup': (pup_head, pup_aux_head)}[kind]
    read = outputs if kind == 'pup' else outputs[:3]
    states = [below(state, f'auxiliary_head.{i}.') for i in range(len(read))]
    others = [aux(s, x, grid, size, training) for s, x in zip(states, read, strict=True)]
    return head(main, outputs[3], grid, size, training), others


# ---------------------------------------------------------------------------- random weights


def up_shapes(dims, classes, kernels):
    """Shapes of a head of Naive or PUP, by name; a lone number is the width of a norm."""
    shapes, width = {'norm': dims}, dims
    for i, k in enumerate(kernels):
        shapes |= {f'conv_{i}': (256, width, k, k, 'bias'), f'syncbn_fc_{i}': 256}
        width = 256
    shapes[f'conv_{len(kernels)}'] = (classes, 256, 1, 1, 'bias')
    return shapes | {'conv_seg': (classes, 512, 1, 1, 'bias')}


def mla_shapes(dims, classes):
    shapes = {}
    for i in range(4):
        shapes |= {f'backbone.norm_{i}': dims}
        p, head = f'backbone.mla.mla_p{i + 2}', f'decode_head.mlahead.head{i + 2}'
        shapes |= {f'{p}_1x1.0': (256, dims, 1, 1), f'{p}_1x1.1': 256}
        shapes |= {f'{p}.0': (256, 256, 3, 3), f'{p}.1': 256}
        shapes |= {f'{head}.0': (128, 256, 3, 3), f'{head}.1': 128}
        shapes |= {f'{head}.3': (128, 128, 3, 3), f'{head}.4': 128}
        shapes |= {f'auxiliary_head.{i}.aux': (classes, 256, 1, 1)}
        shapes |= {f'auxiliary_head.{i}.conv_seg': (classes, 512, 1, 1, 'bias')}
    shapes['decode_head.cls'] = (classes, 512, 3, 3, 'bias')
    return shapes | {'decode_head.conv_seg': (classes, 512, 1, 1, 'bias')}


def vit_shapes(dims, depth):
    shapes = {'backbone.patch_embed.proj': (dims, 3, 16, 16, 'bias')}
    for i in range(depth):
        name = f'backbone.blocks.{i}'
        shapes |= {f'{name}.norm1': dims, f'{name}.norm2': dims}
        shapes |= {f'{name}.attn.qkv': (3 * dims, dims, 'bias')}
        shapes |= {f'{name}.attn.proj': (dims, dims, 'bias')}
        shapes |= {f'{name}.mlp.fc1': (4 * dims, dims, 'bias')}
        shapes |= {f'{name}.mlp.fc2': (dims, 4 * dims, 'bias')}
    return shapes


def published_state(kind, dims=24, depth=12, classes=5, grid=(4, 4), seed=0):
    """A random state dict in the released layout."""
    shapes = vit_shapes(dims, depth)
    if kind == 'mla':
        shapes |= mla_shapes(dims, classes)
    else:
        main, aux = {'naive': ([1], [1]), 'pup': ([3] * 4, [3])}[kind]
        shapes |= {f'decode_head.{k}': v for k, v in up_shapes(dims, classes, main).items()}
        for i in range(3 if kind == 'naive' else 4):
            named = up_shapes(dims, classes, aux).items()
            shapes |= {f'auxiliary_head.{i}.{k}': v for k, v in named}
    draw = torch.Generator().manual_seed(seed)
    tokens = {'backbone.cls_token': 1, 'backbone.pos_embed': 1 + grid[0] * grid[1]}
    state = {k: torch.randn(1, count, dims, generator=draw) for k, count in tokens.items()}
    for name, shape in shapes.items():
        state |= {f'{name}.{k}': v for k, v in random_layer(name, shape, draw).items()}
    return state


def random_layer(name, shape, draw):
    """A linear layer or convolution, a LayerNorm, or (known by its name) a BatchNorm."""
    if isinstance(shape, int):
        layer = {'weight': 1 + 0.2 * torch.randn(shape, generator=draw)}
        layer['bias'] = 0.2 * torch.randn(shape, generator=draw)
        if 'syncbn' in name or 'mla' in name:
            layer['running_mean'] = 0.2 * torch.randn(shape, generator=draw)
            layer['running_var'] = 0.5 + torch.rand(shape, generator=draw)
            layer['num_batches_tracked'] = torch.tensor(7)
        return layer
    sides = [side for side in shape if side != 'bias']
    fan_in = torch.Size(sides[1:]).numel()
    layer = {'weight': torch.randn(sides, generator=draw) * fan_in**-0.5}
    if 'bias' in shape:
        layer['bias'] = 0.2 * torch.randn(sides[0], generator=draw)
    return layer
