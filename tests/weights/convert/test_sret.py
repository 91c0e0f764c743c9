"""Published SReT checkpoints: shared tensors, wrappers, and files of another variant."""

import pytest
import torch

from tests.golden.fill import fill_state_dict, load
from vitbackbones import create_model
from vitbackbones.errors import InputError
from vitbackbones.weights.convert import convert


@pytest.fixture(scope='module')
def state():
    return fill_state_dict(load('sret_t'))


def test_all_keys_are_used_and_shared_ones_once(state):
    assert len(state) == 510
    converted, layout = convert(state)
    assert layout == 'sret'
    aliases = [key for key in state if '.blocks.' in key and int(key.split('.')[3]) % 4 == 2]
    assert len(aliases) == 160
    head = {'head.weight', 'head.bias'}
    backbone = create_model('sret_t').backbone
    assert set(converted) - head == set(backbone.state_dict())
    assert len(converted) == 510 - 160


def test_shared_tensors_that_differ_are_refused_by_name(state):
    key = 'transformers.1.blocks.6.mlp.fc1.weight'
    broken = {**state, key: state[key] + 1}
    with pytest.raises(InputError, match=r'transformers\.1\.blocks\.6\.mlp.*blocks\.4\.mlp'):
        convert(broken)


def test_a_checkpoint_of_another_variant_is_refused(state, tmp_path):
    torch.save({'model': state}, tmp_path / 't.pth')
    with pytest.raises(InputError, match='mlp.fc1'):
        create_model('sret_tl', checkpoint=tmp_path / 't.pth')
