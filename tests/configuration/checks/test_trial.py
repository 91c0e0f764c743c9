"""What a model built without memory tells of its config."""

from pathlib import Path

import pytest
import torch

from vitbackbones.configuration.checks.trial import build_model, try_model
from vitbackbones.configuration.names import config_files
from vitbackbones.configuration.read import read_config

ROOT = Path(__file__).parents[3]
TINY = ROOT / 'tests' / 'commands' / 'tiny_detr.py'


@pytest.mark.parametrize('name', ['detr_pvt_s_coco', 'setr_pup_vit_l_ade20k'])
def test_a_shipped_config_passes_and_nothing_changes(name, capsys):
    config = read_config(config_files()[name])
    before, numbers = config.to_dict(), torch.random.get_rng_state()
    try_model(config)
    assert capsys.readouterr().err == ''
    assert config.to_dict() == before
    assert torch.equal(torch.random.get_rng_state(), numbers)


def test_a_model_takes_no_memory():
    model = build_model(read_config(config_files()['setr_pup_vit_l_ade20k']))
    assert all(parameter.is_meta for parameter in model.parameters())


def test_custom_keys_without_effect_are_warned_of(capsys):
    config = read_config(TINY)
    config.optim_wrapper.paramwise_cfg.custom_keys = {
        name: {'lr_mult': 0.1} for name in ('zzz', 'pixel_pos', 'query_embedding', 'encoder.layers')
    }
    try_model(config)
    assert capsys.readouterr().err == (
        'warning: optim_wrapper.paramwise_cfg.custom_keys.zzz: is in no name of a parameter of '
        'the model, so it has no effect\n'
    )


def test_another_constructor_matches_names_in_its_own_way():
    config = read_config(TINY)
    config.optim_wrapper.constructor = 'Mine'
    config.optim_wrapper.paramwise_cfg.custom_keys = {'bakbone': {}}
    try_model(config)
