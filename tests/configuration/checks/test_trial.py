"""What a model built without memory tells of its config."""

import time
from pathlib import Path

import pytest
import torch

from vitbackbones.configuration.checks.trial import try_model
from vitbackbones.configuration.names import config_files
from vitbackbones.configuration.read import read_config

ROOT = Path(__file__).parents[3]
TINY = ROOT / 'tests' / 'commands' / 'tiny_detr.py'
CONFIGS = [
    *('detr_r50_coco', 'detr_pvt_s_coco', 'setr_pup_vit_l_ade20k', 'setr_mla_aug_t2t_14_ade20k'),
    *('cls_sret_t_distill_imagenet', 'cls_t2t_t_14_imagenet', 'cls_recursive_mixer_b16_imagenet'),
]


@pytest.mark.parametrize('name', CONFIGS)
def test_shipped_configs_agree_with_their_models(name, capsys, tmp_path):
    config = read_config(config_files()[name])
    config.work_dir = str(tmp_path)
    try_model(config)
    assert capsys.readouterr().err == ''


def test_a_large_model_takes_no_time_and_changes_nothing(tmp_path):
    config = read_config(config_files()['setr_pup_vit_l_ade20k'])
    config.work_dir = str(tmp_path)
    before, numbers = config.to_dict(), torch.random.get_rng_state()
    start = time.process_time()
    try_model(config)
    assert time.process_time() - start < 5  # 0.3 s; with memory and numbers it takes 20
    assert config.to_dict() == before
    assert torch.equal(torch.random.get_rng_state(), numbers)


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
