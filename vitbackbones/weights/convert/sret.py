"""SReT as published (szq0214/SReT).

``transformers.{s}.blocks.{i}`` is a flat list in which four entries make one recursive block k:

    i = 4k      its weights          i = 4k + 1   the NLL after pass 1
    i = 4k + 2  the same again       i = 4k + 3   the NLL after pass 2

The second copy names the same tensors; it is checked to be equal and dropped. Residual
coefficients ``coefficient{1..4}.bias`` are identity and branch of the attention, then of the MLP.
"""

import re

import torch
from torch import Tensor

from ...errors import InputError

NOTE = (
    'the keys of an SReT file do not tell sliced from global attention, nor one choice of groups '
    'from another; the model must be the one that was trained (sret_t, sret_t_global, groups=...)'
)
_BLOCK = re.compile(r'transformers\.(\d+)\.blocks\.(\d+)\.(.*)')
_STEM = re.compile(r'patch_embed\.(conv|bn)([123])\.(.*)')
_COEFFICIENTS = {
    'block': {
        'coefficient1.bias': 'shortcut_attn.identity',
        'coefficient2.bias': 'shortcut_attn.branch',
        'coefficient3.bias': 'shortcut_mlp.identity',
        'coefficient4.bias': 'shortcut_mlp.branch',
    },
    'nll': {
        'coefficient1.bias': 'shortcut.identity',
        'coefficient2.bias': 'shortcut.branch',
    },
}


def convert_sret(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Rename the stages and drop the second names of shared tensors.

    Raises:
        InputError: two names of one shared tensor hold different values.
    """
    out = {}
    for key, value in state.items():
        if match := _BLOCK.fullmatch(key):
            stage, index, name = int(match[1]), int(match[2]), match[3]
            if index % 4 == 2:
                _check_shared(state, key, f'transformers.{stage}.blocks.{index - 2}.{name}')
                continue
            key = _block_key(stage, index, name)
        elif match := _STEM.fullmatch(key):
            position = 3 * (int(match[2]) - 1) + (match[1] == 'bn')
            key = f'patch_embed.{position}.{match[3]}'
        elif key.startswith('pools.'):
            _, stage, _, name = key.split('.')
            key = f'stages.{int(stage) + 1}.pool.{name}'
        out[key] = value
    return out


def _block_key(stage: int, index: int, name: str) -> str:
    block, part = divmod(index, 4)
    if part == 0:
        return f'stages.{stage}.blocks.{block}.{_COEFFICIENTS["block"].get(name, name)}'
    name = _COEFFICIENTS['nll'].get(name, name.replace('norm1.', 'norm.'))
    return f'stages.{stage}.blocks.{block}.nlls.{part // 2}.{name}'


def _check_shared(state: dict[str, Tensor], second: str, first: str) -> None:
    if first not in state or not torch.equal(state[first], state[second]):
        raise InputError(
            f'{second} is another name of {first} in an SReT checkpoint, but they differ: '
            'the file is damaged or of a model whose passes do not share weights'
        )
