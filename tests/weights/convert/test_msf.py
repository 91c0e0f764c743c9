"""Checkpoints as the published training script of MSF writes them."""

from argparse import Namespace

import pytest
import torch

from tests.reference.simple_vit import published_state
from vitbackbones import create_model
from vitbackbones.errors import InputError
from vitbackbones.weights.convert import convert

SMALL = {'embed_dims': 48, 'depth': 3, 'num_heads': 4}


def save(path, groups=1, with_probe=True):
    state = published_state(48, 3, groups, with_probe)
    ema = {'n_averaged': torch.tensor(1), **{f'module.{k}': 0 * v for k, v in state.items()}}
    args = Namespace(model='SimpleViTS_msf', epochs=100, amp=True)
    content = {'model': state, 'model_ema': ema, 'optimizer': {}, 'args': args, 'epoch': 99}
    torch.save(content, path)
    return state


def test_a_checkpoint_of_the_training_script_loads_and_fills_everything(tmp_path):
    state = save(tmp_path / 'best_model.pth', groups=2)
    options = {'num_classes': 10, 'arch': SMALL, 'groups': 2}
    model = create_model('msf_vit_s', checkpoint=tmp_path / 'best_model.pth', **options)
    stored = state['transformer.layers.1.0.to_qkvp.weight']
    assert torch.equal(model.backbone.blocks[1].attn.qkvp.weight, stored)


def test_another_variant_is_refused_with_what_the_file_holds(tmp_path):
    save(tmp_path / 'g2.pth', groups=2)
    with pytest.raises(InputError, match='MSFViT with embed_dims=48, depth=3, groups=2'):
        create_model('msf_vit_s', 10, tmp_path / 'g2.pth', arch=SMALL)
    save(tmp_path / 'plain.pth', with_probe=False)
    with pytest.raises(InputError, match='SimpleViT with embed_dims=48, depth=3, groups=1'):
        create_model('msf_vit_s', 10, tmp_path / 'plain.pth', arch=SMALL)


def test_unknown_keys_are_kept_so_that_they_are_reported():
    state = published_state(48, 3) | {'transformer.layers.0.0.to_new.weight': torch.ones(1)}
    converted, found = convert(state)
    assert found == 'msf'
    assert 'transformer.layers.0.0.to_new.weight' in converted
