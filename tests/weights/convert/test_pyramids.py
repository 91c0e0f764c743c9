"""Published layouts of hosts with stages (equality of outputs: tests/backbones/)."""

import pytest
import torch

from tests.converting import convert
from tests.golden.fill import fill_state_dict, load
from vitbackbones.backbones import Swin
from vitbackbones.errors import InputError

# ------------------------------------------------------------------------ Swin


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


# ------------------------------------------------------------------------ SReT


@pytest.fixture(scope='module')
def state():
    return fill_state_dict(load('sret_t'))


def test_shared_tensors_that_differ_are_refused_by_name(state):
    key = 'transformers.1.blocks.6.mlp.fc1.weight'
    broken = {**state, key: state[key] + 1}
    with pytest.raises(InputError, match=r'transformers\.1\.blocks\.6\.mlp.*blocks\.4\.mlp'):
        convert(broken)
