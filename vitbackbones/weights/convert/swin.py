"""Swin (v1) of torchvision, timm and Microsoft, and of OpenMMLab (mmpretrain, mmdet, mmseg).

All are the same function; they differ in names, in where the merging between two stages is counted
(before the later one here and in newer timm, after the earlier one elsewhere), and in the order of
the 2 x 2 merged tokens: OpenMMLab's unfold puts the channel first. Buffers that only spell out the
windows are dropped.
"""

import re

from torch import Tensor

_DERIVED = ('relative_position_index', 'attn_mask')
# torchvision counts patch embedding, stages and mergings in one row of features.0 ... features.7
_TORCHVISION = re.compile(r'features\.(\d)\.(.*)')
_STAGE = re.compile(r'(?:stages|layers)\.(\d)\.(.*)')
_RENAMED = (
    (r'^patch_embed\.projection\.', 'patch_embed.proj.'),
    (r'^norm3\.', 'norm.'),
    (r'^head\.fc\.', 'head.'),
    (r'\.attn\.(?:w_msa\.)?relative_position_bias_table$', '.relative_position_bias_table'),
    (r'\.attn\.w_msa\.', '.attn.'),
    (r'\.(?:mlp\.0|ffn\.layers\.0\.0)\.', '.mlp.fc1.'),
    (r'\.(?:mlp\.3|ffn\.layers\.1)\.', '.mlp.fc2.'),
)


def is_swin(state: dict[str, Tensor]) -> bool:
    """Whether the relative positions are stored as in one of the published layouts."""
    return any(key.endswith('.relative_position_bias_table') and '.attn.' in key for key in state)


def convert_swin(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Rename the keys and bring merged tokens into the order of this package."""
    kept = {key: value for key, value in state.items() if not key.endswith(_DERIVED)}
    unfolded = any('.w_msa.' in key for key in kept)
    counted_before = 'layers.0.downsample.norm.weight' not in kept and not unfolded
    out = {}
    for key, value in kept.items():
        if unfolded and '.downsample.' in key:
            # (..., 4 C) of (channel, row, column) -> (column, row, channel)
            value = value.unflatten(-1, (-1, 2, 2)).transpose(-3, -1).flatten(-3)
        out[_rename(key, 0 if counted_before else 1)] = value
    return out


def _rename(key: str, late: int) -> str:
    """Rename one key; ``late`` stages lie between a merging and the stage it leads to."""
    if match := _TORCHVISION.fullmatch(key):
        key = _from_torchvision(int(match[1]), match[2])
    elif match := _STAGE.fullmatch(key):
        stage = int(match[1]) + (late if match[2].startswith('downsample.') else 0)
        key = f'layers.{stage}.{match[2]}'
    for pattern, name in _RENAMED:
        key = re.sub(pattern, name, key)
    return key


def _from_torchvision(place: int, rest: str) -> str:
    if place == 0:
        return 'patch_embed.' + rest.replace('0.', 'proj.').replace('2.', 'norm.')
    stage, merging = divmod(place, 2)
    return f'layers.{stage}.blocks.{rest}' if merging else f'layers.{stage}.downsample.{rest}'
