"""T2T-ViT as published (yitu-opensource/T2T-ViT).

The tokens-to-token module is the stem ``patch_embed`` here. Its Performer stores one projection
``kqv`` in this order, its MLP as a sequence and its attention without a name of its own.
"""

import torch
from torch import Tensor

from .state_dict import rename

_RULES = {
    r'^tokens_to_token\.': 'patch_embed.',
    r'^(patch_embed\.attention\d)\.(w|kqv|proj)\b': r'\1.attn.\2',
    r'^(patch_embed\.attention\d\.mlp)\.0\.': r'\1.fc1.',
    r'^(patch_embed\.attention\d\.mlp)\.2\.': r'\1.fc2.',
}


def convert_t2t(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Rename the stem and bring the Performer's projection into the order q, k, v."""
    out = {}
    for key, value in rename(state, _RULES).items():
        if '.attn.kqv.' in key:
            k, q, v = value.chunk(3)
            key, value = key.replace('.attn.kqv.', '.attn.qkv.'), torch.cat([q, k, v])
        out[key] = value
    return out


def describe_t2t(state: dict[str, Tensor]) -> str:
    """Say which variant a converted state dict is of."""
    tokens = 'performer' if 'patch_embed.attention1.attn.w' in state else 'transformer'
    depth = len([key for key in state if key.startswith('blocks.') and key.endswith('.norm1.bias')])
    return f'a T2T-ViT of depth {depth} with tokens={tokens!r}'
