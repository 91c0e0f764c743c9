"""PVT v1 as published (whai362/PVT, classification and detection).

``pos_embed{s}``, ``patch_embed{s}`` and ``block{s}.{j}`` with s = 1..4 become ``stages.{s-1}.*``.
Stages whose keys are not reduced (sr_ratio 1) attend to themselves; their separate ``q`` and
``kv`` are joined to the one ``qkv`` that such an attention has here.
"""

import re

import torch
from torch import Tensor

_STAGE = re.compile(r'(pos_embed|patch_embed|block)(\d)(.*)')


def convert_pvt(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Rename the stages, their reductions, and join q and kv where nothing is reduced."""
    out = {}
    for key, value in state.items():
        if match := _STAGE.fullmatch(key):
            name, stage, rest = match.groups()
            name = 'blocks' if name == 'block' else name
            key = f'stages.{int(stage) - 1}.{name}{rest}'
        key = key.replace('.attn.sr.', '.reduction.conv.')
        key = key.replace('.attn.norm.', '.reduction.norm.')
        out['stages.3.cls_token' if key == 'cls_token' else key] = value
    return _join_self_attention(out)


def _join_self_attention(state: dict[str, Tensor]) -> dict[str, Tensor]:
    out = dict(state)
    for key in state:
        block, _, kind = key.partition('.attn.q.')
        if kind and f'{block}.reduction.conv.weight' not in state:
            q, kv = out.pop(key), out.pop(f'{block}.attn.kv.{kind}')
            out[f'{block}.attn.qkv.{kind}'] = torch.cat([q, kv])
    return out
