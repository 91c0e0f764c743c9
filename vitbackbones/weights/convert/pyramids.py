"""Hosts with stages, as published: PVT, Swin and SReT."""

import re

import torch
from torch import Tensor

from ...errors import InputError
from .state_dict import RULES, rename

# ------------------------------------------------------------------------ PVT
# v1 as published (whai362/PVT, classification and detection). pos_embed{s}, patch_embed{s} and
# block{s}.{j} with s = 1..4 become stages.{s-1}.*. Stages whose keys are not reduced (sr_ratio 1)
# attend to themselves; their separate q and kv are joined to the one qkv that such an attention has
# here.


def convert_pvt(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Rename the stages, their reductions, and join q and kv where nothing is reduced."""
    out = rename(state, RULES['pvt'])
    for key in list(out):
        block, _, kind = key.partition('.attn.q.')
        if kind and f'{block}.reduction.conv.weight' not in out:
            q = out.pop(key)
            out[f'{block}.attn.qkv.{kind}'] = torch.cat([q, out.pop(f'{block}.attn.kv.{kind}')])
    return out


# ------------------------------------------------------------------------ Swin
# v1 of torchvision, timm and Microsoft, and of OpenMMLab (mmpretrain, mmdet, mmseg). All are the
# same function; they differ in names, in where the merging between two stages is counted (before
# the later one here and in newer timm, after the earlier one elsewhere), and in the order of the
# 2 x 2 merged tokens: OpenMMLab's unfold puts the channel first. Buffers that only spell out the
# windows are dropped.

_DERIVED = ('relative_position_index', 'attn_mask')
# torchvision counts patch embedding, stages and mergings in one row of features.0 ... features.7
_TORCHVISION = re.compile(r'features\.(\d)\.(.*)')
_SWIN_STAGE = re.compile(r'(?:stages|layers)\.(\d)\.(.*)')


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
        if match := _TORCHVISION.fullmatch(key):
            stage, in_stage = divmod(int(match[1]), 2)
            rest = match[2]
            key = f'layers.{stage}.{"blocks" if in_stage else "downsample"}.{rest}'
            if match[1] == '0':
                key = 'patch_embed.' + rest.replace('0.', 'proj.').replace('2.', 'norm.')
        elif match := _SWIN_STAGE.fullmatch(key):
            # elsewhere a merging may be part of the stage before it
            late = not counted_before and match[2].startswith('downsample.')
            key = f'layers.{int(match[1]) + late}.{match[2]}'
        out[key] = value
    return rename(out, RULES['swin'])


# ------------------------------------------------------------------------ SReT
# As published (szq0214/SReT). transformers.{s}.blocks.{i} is a flat list in which four entries make
# one recursive block k:
#
#     i = 4k      its weights          i = 4k + 1   the NLL after pass 1
#     i = 4k + 2  the same again       i = 4k + 3   the NLL after pass 2
#
# The second copy names the same tensors; it is checked to be equal and dropped. Residual
# coefficients coefficient{1..4}.bias are identity and branch of the attention, then of the MLP.

SRET_NOTE = (
    'the keys of an SReT file do not show the kind of attention (sliced or global) or the '
    'groups. Use the model that was trained (sret_t, sret_t_global, groups=...)'
)
_SRET_BLOCK = re.compile(r'transformers\.(\d+)\.blocks\.(\d+)\.(.*)')


def convert_sret(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Rename the stages and drop the second names of shared tensors.

    Raises:
        InputError: two names of one shared tensor hold different values.
    """
    out = {}
    for key, value in state.items():
        if match := _SRET_BLOCK.fullmatch(key):
            stage = int(match[1])
            index = int(match[2])
            name = match[3]
            if index % 4 == 2:
                first = f'transformers.{stage}.blocks.{index - 2}.{name}'
                if first not in state or not torch.equal(state[first], value):
                    raise InputError(
                        f'{key} is another name for {first} in an SReT checkpoint, but their '
                        'values differ. The file is damaged, or its passes do not share weights'
                    )
                continue
            block, part = divmod(index, 4)
            place = f'nlls.{part // 2}.' if part else ''
            key = f'stages.{stage}.blocks.{block}.{place}{name}'
        out[key] = value
    return rename(out, RULES['sret'])
