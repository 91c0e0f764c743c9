"""ViT (DeiT), T2T-ViT and TNT as mmpretrain stores them; the tensors are ours under other names.

mmpretrain's TNT is the legacy form (``stem='conv', projection='pixel'``), its T2T-ViT the one with
transformer tokens.
"""

_FFN = {r'\bffn\.layers\.0\.0\.': 'mlp.fc1.', r'\bffn\.layers\.1\.': 'mlp.fc2.'}
_HEAD = {r'^head\.layers\.(head|head_dist)\.': r'\1.'}
VIT_RULES = {
    r'^patch_embed\.projection\.': 'patch_embed.proj.',
    r'^layers\.(\d+)\.ln([12])\.': r'blocks.\1.norm\2.',
    r'^layers\.': 'blocks.',
    r'^ln1\.': 'norm.',
    **_FFN,
    **_HEAD,
}
T2T_RULES = {
    r'^tokens_to_token\.': 'patch_embed.',
    r'^encoder\.': 'blocks.',
    r'\bln([12])\.': r'norm\1.',
    **_FFN,
    **_HEAD,
}
TNT_RULES = {
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
