"""ViT (DeiT), T2T-ViT and TNT as mmpretrain stores them; the tensors are ours under other names.

mmpretrain's TNT is the legacy form (``stem='conv', projection='pixel'``), its T2T-ViT the one with
transformer tokens.
"""

from torch import Tensor

from .rename import rename

_FFN = {r'\bffn\.layers\.0\.0\.': 'mlp.fc1.', r'\bffn\.layers\.1\.': 'mlp.fc2.'}
_HEAD = {r'^head\.layers\.(head|head_dist)\.': r'\1.'}
_VIT = {
    r'^patch_embed\.projection\.': 'patch_embed.proj.',
    r'^layers\.(\d+)\.ln([12])\.': r'blocks.\1.norm\2.',
    r'^layers\.': 'blocks.',
    r'^ln1\.': 'norm.',
    **_FFN,
    **_HEAD,
}
_T2T = {
    r'^tokens_to_token\.': 'patch_embed.',
    r'^encoder\.': 'blocks.',
    r'\bln([12])\.': r'norm\1.',
    **_FFN,
    **_HEAD,
}
_TNT = {
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


def is_mmpretrain_vit(state: dict[str, Tensor]) -> bool:
    """Whether the keys are those of mmpretrain's ``VisionTransformer``."""
    return 'layers.0.ln1.weight' in state and 'layers.0.attn.qkv.weight' in state


def convert_mmpretrain_vit(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Rename."""
    return rename(state, _VIT)


def is_mmpretrain_t2t(state: dict[str, Tensor]) -> bool:
    """Whether the keys are those of mmpretrain's ``T2T_ViT``."""
    return 'tokens_to_token.project.weight' in state and 'encoder.0.ln1.weight' in state


def convert_mmpretrain_t2t(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Rename."""
    return rename(state, _T2T)


def is_mmpretrain_tnt(state: dict[str, Tensor]) -> bool:
    """Whether the keys are those of mmpretrain's ``TNT``."""
    return 'layers.0.outer_block.norm_attn.weight' in state


def convert_mmpretrain_tnt(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Rename."""
    return rename(state, _TNT)
