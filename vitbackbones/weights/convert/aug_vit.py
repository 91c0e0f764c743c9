"""Aug-ViT as published in Efficient-AI-Backbones (``augvit_pytorch``).

A ViT in DeiT's keys plus, in every block, learned paths ``augs_attn`` / ``augs_attn2`` around the
attention and ``augs`` / ``augs2`` around the MLP. A circulant path stores one flat vector
``weight_list`` = c[i, j, k] (i: output block, slowest) and an int64 buffer ``index_matrix`` that
only spells out the layout; a dense path stores ``weight`` (d, d).
"""

import re

import torch
from torch import Tensor

_PATH = re.compile(r'blocks\.(\d+)\.augs(_attn)?(2)?\.(?:0\.)?(weight_list|weight|bias)')


def is_aug_vit(state: dict[str, Tensor]) -> bool:
    """Whether any key is one of a learned path."""
    return any(_PATH.fullmatch(key) for key in state)


def convert_aug_vit(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Stack the paths of each branch as (paths, ...) and drop the index buffers."""
    out, paths = {}, {}
    for key, value in state.items():
        match = _PATH.fullmatch(key)
        if match:
            block, attention, second, kind = match.groups()
            if kind == 'weight_list':
                dims = len(state[key.replace('weight_list', 'bias')])
                blocks = len(value) // dims
                value = value.view(blocks, blocks, dims // blocks)  # (b * d) -> (b, b, d / b)
            branch = 'attn' if attention else 'mlp'
            new = f'blocks.{block}.shortcut_{branch}.{"bias" if kind == "bias" else "weight"}'
            paths.setdefault(new, {})[int(bool(second))] = value
        elif not key.endswith('.index_matrix'):
            out[key] = value
    for key, part in paths.items():
        out[key] = torch.stack([part[number] for number in sorted(part)])
    return out
