"""TNT as published: the authors' layout (Efficient-AI-Backbones) and timm's.

Under the name ``tnt_s_patch16_224`` timm has the authors' network from release 1.0.16 on and
another one, now ``tnt_s_legacy_patch16_224``, before; both with the same key names, which differ
in their shapes. Here the parts of a block are ``inner`` (on the pixels), ``to_patch`` (their
projection) and ``outer`` (on the patches), and ``qk`` and ``v`` are one ``qkv``.
"""

import math

import torch
from torch import Tensor

from .state_dict import rename

_NOAH = {
    r'^outer_pos$': 'patch_pos',
    r'^inner_pos$': 'pixel_pos',
    r'^patch_embed\.': 'pixel_embed.',
    r'\b(inner|outer)_(norm1|norm2|attn|mlp)\.': r'\1.\2.',
    r'\bproj_norm([12])\.': r'to_patch.norm\1.',
    r'^(blocks\.\d+\.)?proj\.': r'\1to_patch.proj.',
    r'\bse_layer\.fc\.0\.': 'outer.mlp.se.norm.',
    r'\bse_layer\.fc\.1\.': 'outer.mlp.se.fc1.',
    r'\bse_layer\.fc\.3\.': 'outer.mlp.se.fc2.',
}
_TIMM = {
    r'\bnorm([12])_proj\.': r'to_patch.norm\1.',
    r'^(blocks\.\d+\.)?proj\.': r'\1to_patch.proj.',
    r'\bnorm_in\.': 'inner.norm1.',
    r'\battn_in\.': 'inner.attn.',
    r'\bnorm_mlp_in\.': 'inner.norm2.',
    r'\bmlp_in\.': 'inner.mlp.',
    r'^(blocks\.\d+)\.norm_out\.': r'\1.outer.norm1.',
    r'^(blocks\.\d+)\.attn_out\.': r'\1.outer.attn.',
    r'^(blocks\.\d+)\.norm_mlp\.': r'\1.outer.norm2.',
    r'^(blocks\.\d+)\.mlp\.': r'\1.outer.mlp.',
}


def convert_tnt(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Rename, join the projections, lay the pixels' code out, drop the unused outer tokens."""
    state = _join_qkv(rename(state, _NOAH))
    state.pop('outer_tokens', None)
    if 'pixel_pos' in state:
        code = state['pixel_pos'].transpose(1, 2)
        side = math.isqrt(code.shape[2])
        state['pixel_pos'] = code.unflatten(2, (side, side))  # (1, c, p * p) -> (1, c, p, p)
    return state


def convert_timm_tnt(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Rename and join the projections."""
    return _join_qkv(rename(state, _TIMM))


def describe_tnt(state: dict[str, Tensor]) -> str:
    """Say which variant a converted state dict is of."""
    legacy = any(key.endswith('.to_patch.proj.bias') for key in state if 'blocks.' in key)
    options = "stem='conv', projection='pixel'" if legacy else "stem='unfold', projection='patch'"
    se = ', se=True' if any('.mlp.se.' in key for key in state) else ''
    name = 'the legacy form of timm and mmpretrain' if legacy else "the authors' form"
    return f'a TNT in {name} ({options}{se})'


def _join_qkv(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Stack ``qk`` (queries, then keys) and ``v``."""
    out = dict(state)
    for key in state:
        value = key.replace('.attn.qk.', '.attn.v.')
        if value != key and value in state:
            joined = torch.cat([out.pop(key), out.pop(value)])
            out[key.replace('.attn.qk.', '.attn.qkv.')] = joined
    return out
