"""Hosts of one width, as published, whose keys take more than renaming: Aug-ViT, T2T-ViT, TNT."""

import math
import re

import torch
from torch import Tensor

from .state_dict import RULES, rename

# ------------------------------------------------------------------------ Aug-ViT
# Published in Efficient-AI-Backbones (augvit_pytorch): a ViT in DeiT's keys plus, in every block,
# learned paths augs_attn / augs_attn2 around the attention and augs / augs2 around the MLP. A
# circulant path stores one flat vector weight_list = c[i, j, k] (i: output block, slowest) and an
# int64 buffer index_matrix that only spells out the layout; a dense path stores weight (d, d).

_PATH = re.compile(r'blocks\.(\d+)\.augs(_attn)?(2)?\.(?:0\.)?(weight_list|weight|bias)')


def is_aug_vit(state: dict[str, Tensor]) -> bool:
    """Whether any key is one of a learned path."""
    return any(_PATH.fullmatch(key) for key in state)


def convert_aug_vit(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Stack the paths of each branch as (paths, ...) and drop the index buffers."""
    out = {}
    paths = {}
    for key, value in state.items():
        if match := _PATH.fullmatch(key):
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


# ------------------------------------------------------------------------ T2T-ViT
# As published (yitu-opensource/T2T-ViT). The tokens-to-token module is the stem patch_embed here.
# Its Performer stores one projection kqv in this order, its MLP as a sequence and its attention
# without a name of its own.


def convert_t2t(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Rename the stem and bring the Performer's projection into the order q, k, v."""
    out = {}
    for key, value in rename(state, RULES['t2t']).items():
        if '.attn.kqv.' in key:
            k, q, v = value.chunk(3)
            key = key.replace('.attn.kqv.', '.attn.qkv.')
            value = torch.cat([q, k, v])
        out[key] = value
    return out


# ------------------------------------------------------------------------ TNT
# The authors' layout (Efficient-AI-Backbones) and timm's. Under the name tnt_s_patch16_224 timm has
# the authors' network from release 1.0.16 on and another one, now tnt_s_legacy_patch16_224, before;
# both with the same key names, which differ in their shapes. Here the parts of a block are inner
# (on the pixels), to_patch (their projection) and outer (on the patches), and qk and v are one qkv.


def convert_tnt(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Rename, join the projections, lay the pixels' code out, drop the unused outer tokens."""
    state = _join_qkv(rename(state, RULES['tnt']))
    state.pop('outer_tokens', None)
    if 'pixel_pos' in state:
        code = state['pixel_pos'].transpose(1, 2)
        side = math.isqrt(code.shape[2])
        state['pixel_pos'] = code.unflatten(2, (side, side))  # (1, c, p * p) -> (1, c, p, p)
    return state


def convert_timm_tnt(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Rename and join the projections."""
    return _join_qkv(rename(state, RULES['timm_tnt']))


def _join_qkv(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Stack ``qk`` (queries, then keys) and ``v``."""
    out = dict(state)
    for key in state:
        value = key.replace('.attn.qk.', '.attn.v.')
        if value != key and value in state:
            out[key.replace('.attn.qk.', '.attn.qkv.')] = torch.cat([out.pop(key), out.pop(value)])
    return out
