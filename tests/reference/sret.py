"""SReT written straight from its equations, in the order of the published code.

Scores are materialized and scaled apart, groups are a dimension of their own, each residual
coefficient is a multiplication, each BatchNorm is evaluated, maps are copied to tokens and back.
Slow on purpose: what the package's model must equal, and what it is timed against.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from vitbackbones.backbones import SReT

from .plain import layer_norm, linear, mlp

EPS = 1e-6


def logits(backbone: SReT, w: dict[str, Tensor], image: Tensor) -> Tensor:
    """Return the logits of a ``create_model('sret_*')`` classifier.

    Args:
        backbone: the classifier's; its numbers of heads and groups and its mode are read.
        w: the classifier's tensors, buffers included, by their names in the backbone.
        image: (N, 3, S, S) with the S that the position code is made for.

    The groups must divide the number of tokens. Permutations come from the global CPU generator,
    one per pass, in the order of execution.
    """
    x = _stem(image, w, backbone.training) + w['pos_embed']
    first = int('cls_token' in w)
    token = w['cls_token'].expand(len(x), 1, -1) if first else None
    for s, stage in enumerate(backbone.stages):
        if s > 0:
            kernel = w[f'stages.{s}.pool.weight']
            x = F.conv2d(x, kernel, w[f'stages.{s}.pool.bias'], 2, 1, groups=x.shape[1])
        if s > 0 and first:
            token = linear(w, f'stages.{s}.pool_token', token)
        size = x.shape[2:]
        tokens = x.flatten(2).transpose(1, 2).contiguous()  # (N, C, h, w) -> (N, h * w, C)
        tokens = torch.cat([token, tokens], 1) if first else tokens
        for k, block in enumerate(stage.blocks):
            for turn, slicing in enumerate(block.slicings):
                name = f'stages.{s}.blocks.{k}'
                cut = (slicing.groups, turn > 0, first)
                tokens = _block(tokens, w, name, block.attn.num_heads, *cut)
                tokens = _projection(tokens, w, f'{name}.nlls.{turn}')
        token, tokens = tokens[:, :first], tokens[:, first:]
        x = tokens.transpose(1, 2).reshape(*x.shape[:2], *size).contiguous()
    vector = token[:, 0] if backbone.out_type == 'cls_token' else x.mean((2, 3))
    return linear(w, 'head.fc', layer_norm(w, 'norm', vector, EPS))


def _stem(x: Tensor, w: dict, training: bool) -> Tensor:
    if 'patch_embed.proj.weight' in w:
        return F.conv2d(x, w['patch_embed.proj.weight'], w['patch_embed.proj.bias'], 8)
    for i in (0, 3, 6):
        x = F.conv2d(x, w[f'patch_embed.{i}.weight'], w[f'patch_embed.{i}.bias'], 2, 1)
        x = F.relu(_batch_norm(x, w, f'patch_embed.{i + 1}', training))
    return x


def _batch_norm(x: Tensor, w: dict, name: str, training: bool) -> Tensor:
    mean, var = w[f'{name}.running_mean'], w[f'{name}.running_var']
    return F.batch_norm(x, mean, var, w[f'{name}.weight'], w[f'{name}.bias'], training, eps=1e-5)


def _block(x: Tensor, w: dict, name: str, heads: int, *cut) -> Tensor:
    branch = _attention(layer_norm(w, f'{name}.norm1', x, EPS), w, f'{name}.attn', heads, *cut)
    x = w[f'{name}.shortcut_attn.identity'] * x + w[f'{name}.shortcut_attn.branch'] * branch
    branch = mlp(w, f'{name}.mlp', layer_norm(w, f'{name}.norm2', x, EPS))
    return w[f'{name}.shortcut_mlp.identity'] * x + w[f'{name}.shortcut_mlp.branch'] * branch


def _projection(x: Tensor, w: dict, name: str) -> Tensor:
    branch = mlp(w, f'{name}.mlp', layer_norm(w, f'{name}.norm', x, EPS))
    return w[f'{name}.shortcut.identity'] * x + w[f'{name}.shortcut.branch'] * branch


def _attention(
    x: Tensor, w: dict, name: str, heads: int, groups: int, permute: bool, first: int
) -> Tensor:
    token, x = x[:, None, :first], x[:, first:]
    n, count, dims = x.shape
    permute = permute and groups > 1
    if permute:
        order = torch.randperm(count)
        x = x[:, order]
    x = x.reshape(n, groups, count // groups, dims)
    x = torch.cat([token.expand(-1, groups, -1, -1), x], 2)  # the class token in every group
    qkv = linear(w, f'{name}.qkv', x)
    qkv = qkv.reshape(n, groups, -1, 3, heads, dims // heads)
    q, k, v = qkv.permute(3, 0, 1, 4, 2, 5)  # each (N, groups, heads, run, c)
    scores = (q @ k.transpose(-2, -1)) * (dims // heads) ** -0.5  # (N, groups, heads, run, run)
    out = scores.softmax(-1) @ v  # (N, groups, heads, run, c)
    out = out.transpose(2, 3).reshape(n, groups, -1, dims)
    token, out = out[:, :, :first].mean(1), out[:, :, first:]
    # the published code takes the groups apart through a channels-first copy
    out = out.permute(0, 3, 1, 2).reshape(n, dims, count).transpose(1, 2)  # (N, L, C)
    if permute:
        out = out[:, torch.argsort(order)]
    return linear(w, f'{name}.proj', torch.cat([token, out], 1))
