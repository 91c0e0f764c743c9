"""T2T-ViT straight from its equations (Yuan et al., 2021, Sec. 3), images of multiples of 16."""

import torch.nn.functional as F

from .plain import block, layer_norm, linear, mlp, scores_and_values, with_class_token

EPS = 1e-5


def performer(q, k, v, features):
    """Sums over key positions j of phi(q) . phi(k_j) as weights, written out as scores."""

    def phi(x):
        return ((x @ features.T) - (x * x).sum(-1, keepdim=True) / 2).exp() / len(features) ** 0.5

    scores = phi(q) @ phi(k).transpose(1, 2)
    return scores @ v / (scores.sum(-1, keepdim=True) + 1e-8)


def token_layer(weights, name, x):
    """v + proj(attention), then the MLP, at width 64."""
    scale = x.shape[-1] ** -0.5
    q, k, v = linear(
        weights, f'{name}.attn.qkv', layer_norm(weights, f'{name}.norm1', x, EPS)
    ).chunk(3, -1)
    if f'{name}.attn.w' in weights:
        y = performer(q, k, v, weights[f'{name}.attn.w'])
    else:
        y = scores_and_values(q, k, v, scale)
    x = v + linear(weights, f'{name}.attn.proj', y)
    return x + mlp(weights, f'{name}.mlp', layer_norm(weights, f'{name}.norm2', x, EPS))


def t2t(weights, image, heads=6):
    """Tokens after the last norm, (N, 1 + n, d)."""
    h, w = image.shape[2] // 4, image.shape[3] // 4
    x = F.unfold(image, 7, stride=4, padding=2).transpose(1, 2)
    for i in (1, 2):
        x = token_layer(weights, f'patch_embed.attention{i}', x)
        x = x.transpose(1, 2).reshape(len(image), -1, h // i, w // i)
        x = F.unfold(x, 3, stride=2, padding=1).transpose(1, 2)
    x = linear(weights, 'patch_embed.project', x)
    x = with_class_token(weights, x, weights['pos_embed'])
    depth = 1 + max(int(name.split('.')[1]) for name in weights if name.startswith('blocks.'))
    for i in range(depth):
        x = block(weights, f'blocks.{i}', x, heads, EPS)
    return layer_norm(weights, 'norm', x, EPS)


def logits(backbone, weights, image):
    """Logits (N, classes) of a classifier with this backbone, from its tensors."""
    x = t2t(weights, image, backbone.blocks[0].attn.num_heads)
    return linear(weights, 'head.fc', x[:, 0])
