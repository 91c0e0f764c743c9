"""Layouts of Swin checkpoints (equality of outputs: tests/backbones/test_swin.py)."""

import torch

from vitbackbones.backbones import Swin
from vitbackbones.weights.convert import convert

SMALL = {'embed_dims': 8, 'depths': (2, 1, 1, 1), 'num_heads': (1, 2, 2, 4)}


def microsoft_layout(state):
    """Rename our keys as in the first releases: merging counted in the stage before it."""
    out = {}
    for key, value in state.items():
        key = key.replace('.relative_position', '.attn.relative_position')
        for stage in (1, 2, 3):
            key = key.replace(f'layers.{stage}.downsample', f'layers.{stage - 1}.downsample')
        out[key] = value
    out['layers.0.blocks.1.attn_mask'] = torch.zeros(4, 49, 49)
    out['layers.0.blocks.0.attn.relative_position_index'] = torch.zeros(49, 49).long()
    return out | {'head.weight': torch.ones(2, 64)}


def test_the_layout_of_microsoft_and_older_timm():
    state = Swin(SMALL).state_dict()
    converted, found = convert(microsoft_layout(state))
    assert found == 'swin'
    assert converted.pop('head.weight').shape == (2, 64)
    assert converted.keys() == state.keys()
    assert all(torch.equal(converted[key], state[key]) for key in state)
