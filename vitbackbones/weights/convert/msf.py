"""SimpleViT and MSF-ViT as the published code (tk1980/MSFtransformer) trains them.

The grouped projection is stored here as there, so keys are renamed and nothing else. A layer i has
``transformer.layers.{i}.0`` (norm, to_qkv or to_qkvp, to_out) and ``.1.net`` (norm, up, GELU,
down); the plain form has the keys of vit-pytorch's SimpleViT of that time.
"""

import re

from torch import Tensor

_LAYER = re.compile(r'transformer\.layers\.(\d+)\.(\d\.(?:norm|to_qkvp?|to_out|net\.\d))\.(.*)')
_IN_LAYER = {
    '0.norm': 'norm1',
    '0.to_qkv': 'attn.qkv',
    '0.to_qkvp': 'attn.qkvp',
    '0.to_out': 'attn.proj',
    '1.net.0': 'norm2',
    '1.net.1': 'mlp.fc1',
    '1.net.3': 'mlp.fc2',
}
_OUTSIDE = {
    'to_patch_embedding.1': 'patch_embed.norm1',
    'to_patch_embedding.2': 'patch_embed.proj',
    'to_patch_embedding.3': 'patch_embed.norm2',
    'linear_head.0': 'norm',
    'linear_head.1': 'head',
}


def convert_msf(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Rename the keys; groups and widths show in the shapes."""
    out = {}
    for key, value in state.items():
        match = _LAYER.fullmatch(key)
        module, _, kind = key.rpartition('.')
        if match and match[2] in _IN_LAYER:
            key = f'blocks.{match[1]}.{_IN_LAYER[match[2]]}.{match[3]}'
        elif module in _OUTSIDE:
            key = f'{_OUTSIDE[module]}.{kind}'
        out[key] = value
    return out


def describe_msf(state: dict[str, Tensor]) -> str:
    """Say which network a converted state dict belongs to."""
    kinds = {'qkv': 'SimpleViT', 'qkvp': 'MSFViT'}
    kind = next((k for k in kinds if f'blocks.0.attn.{k}.weight' in state), None)
    if kind is None:
        return ''
    rows, columns = state[f'blocks.0.attn.{kind}.weight'].shape
    dims = rows // len(kind)
    depth = len({key.split('.')[1] for key in state if key.startswith('blocks.')})
    return f'{kinds[kind]} with embed_dims={dims}, depth={depth}, groups={dims // columns}'
