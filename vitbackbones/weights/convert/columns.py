"""Hosts of one width, as published: Aug-ViT, MSF-ViT and SimpleViT, T2T-ViT and TNT, mmpretrain's.

A ViT's keys are timm's, as here.
"""

import math
import re

import torch
from torch import Tensor

from .state_dict import rename

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


# ------------------------------------------------------------------------ MSF-ViT
# SimpleViT and MSF-ViT as the published code (tk1980/MSFtransformer) trains them. The plain form
# has the keys of vit-pytorch's SimpleViT of that time. The grouped projection is stored here as
# there; groups and widths show in the shapes.

MSF_RULES = {
    r'^to_patch_embedding\.1\.': 'patch_embed.norm1.',
    r'^to_patch_embedding\.2\.': 'patch_embed.proj.',
    r'^to_patch_embedding\.3\.': 'patch_embed.norm2.',
    r'^linear_head\.0\.': 'norm.',
    r'^linear_head\.1\.': 'head.',
    r'^transformer\.layers\.(\d+)\.0\.norm\.': r'blocks.\1.norm1.',
    r'^transformer\.layers\.(\d+)\.0\.to_out\.': r'blocks.\1.attn.proj.',
    r'^transformer\.layers\.(\d+)\.0\.to_(qkvp?)\.': r'blocks.\1.attn.\2.',
    r'^transformer\.layers\.(\d+)\.1\.net\.0\.': r'blocks.\1.norm2.',
    r'^transformer\.layers\.(\d+)\.1\.net\.1\.': r'blocks.\1.mlp.fc1.',
    r'^transformer\.layers\.(\d+)\.1\.net\.3\.': r'blocks.\1.mlp.fc2.',
}

# ------------------------------------------------------------------------ T2T-ViT
# As published (yitu-opensource/T2T-ViT). The tokens-to-token module is the stem patch_embed here.
# Its Performer stores one projection kqv in this order, its MLP as a sequence and its attention
# without a name of its own.

_T2T_RULES = {
    r'^tokens_to_token\.': 'patch_embed.',
    r'^(patch_embed\.attention\d)\.(w|kqv|proj)\b': r'\1.attn.\2',
    r'^(patch_embed\.attention\d\.mlp)\.0\.': r'\1.fc1.',
    r'^(patch_embed\.attention\d\.mlp)\.2\.': r'\1.fc2.',
}


def convert_t2t(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Rename the stem and bring the Performer's projection into the order q, k, v."""
    out = {}
    for key, value in rename(state, _T2T_RULES).items():
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


def _join_qkv(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Stack ``qk`` (queries, then keys) and ``v``."""
    out = dict(state)
    for key in state:
        value = key.replace('.attn.qk.', '.attn.v.')
        if value != key and value in state:
            out[key.replace('.attn.qk.', '.attn.qkv.')] = torch.cat([out.pop(key), out.pop(value)])
    return out


# ------------------------------------------------------------------------ mmpretrain
# The same tensors under other names. Its TNT is the legacy form (stem='conv', projection='pixel'),
# its T2T-ViT the one with transformer tokens.

_FFN = {r'\bffn\.layers\.0\.0\.': 'mlp.fc1.', r'\bffn\.layers\.1\.': 'mlp.fc2.'}
_HEAD = {r'^head\.layers\.(head|head_dist)\.': r'\1.'}
MMPRETRAIN_VIT_RULES = {
    r'^patch_embed\.projection\.': 'patch_embed.proj.',
    r'^layers\.(\d+)\.ln([12])\.': r'blocks.\1.norm\2.',
    r'^layers\.': 'blocks.',
    r'^ln1\.': 'norm.',
    **_FFN,
    **_HEAD,
}
MMPRETRAIN_T2T_RULES = {
    r'^tokens_to_token\.': 'patch_embed.',
    r'^encoder\.': 'blocks.',
    r'\bln([12])\.': r'norm\1.',
    **_FFN,
    **_HEAD,
}
MMPRETRAIN_TNT_RULES = {
    r'^layers\.': 'blocks.',
    r'\b(inner|outer)_block\.': r'\1.',
    r'\battn\.attn\.in_proj_': 'attn.qkv.',
    r'\battn\.attn\.out_proj\.': 'attn.proj.',
    r'\bnorm_attn\.': 'norm1.',
    r'\bnorm_ffn\.': 'norm2.',
    r'\bnorm_proj\.': 'to_patch.norm1.',
    r'\bnorm([12])_proj\.': r'to_patch.norm\1.',
    r'\bprojection\.': 'to_patch.proj.',
    **_FFN,
}
