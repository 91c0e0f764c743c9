"""ViT in DeiT's form and Aug-ViT straight from their equations, images of whole patches only."""

import torch.nn.functional as F

from .plain import block, layer_norm, linear, with_class_token

EPS = 1e-6


def vit(weights, image, heads):
    """Tokens after the last norm, (N, 1 + n, d)."""
    kernel, bias = weights['patch_embed.proj.weight'], weights['patch_embed.proj.bias']
    x = F.conv2d(image, kernel, bias, kernel.shape[-1]).flatten(2).transpose(1, 2)  # (N, n, d)
    x = with_class_token(weights, x, weights['pos_embed'])
    depth = 1 + max(int(name.split('.')[1]) for name in weights if name.startswith('blocks.'))
    for i in range(depth):
        x = block(weights, f'blocks.{i}', x, heads, EPS)
    return layer_norm(weights, 'norm', x, EPS)


def logits(backbone, weights, image):
    """Logits (N, classes) of a classifier with this backbone, from its tensors."""
    x = vit(weights, image, backbone.blocks[0].attn.num_heads)
    heads = [head for head in ('head.fc', 'head.fc_dist') if f'{head}.weight' in weights]
    return sum(linear(weights, head, x[:, i]) for i, head in enumerate(heads)) / len(heads)
