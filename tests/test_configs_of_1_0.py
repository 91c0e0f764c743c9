"""A config name stands for the same model, data and recipe in all of 1.x (docs/versions.md).

``configs_of_1_0.csv`` has a fingerprint of each config of 1.0: the CRC-32 of its settings as JSON.
"""

import csv
import json
import zlib
from pathlib import Path

import pytest

from .shipped import shipped

FILE = Path(__file__).with_name('configs_of_1_0.csv')
FINGERPRINTS = {row['name']: int(row['crc']) for row in csv.DictReader(FILE.open())}
SETTINGS = ('model', 'train_dataloader', 'val_dataloader', 'test_dataloader', 'val_evaluator')
SETTINGS += ('test_evaluator', 'optim_wrapper', 'param_scheduler', 'train_cfg', 'val_cfg')
SETTINGS += ('default_hooks', 'custom_hooks', 'tta_model', 'tta_pipeline', 'load_from', 'lora')
SETTINGS += ('frozen', 'auto_scale_lr', 'randomness', 'env_cfg', 'default_scope')
START = ('detr_aug_vit_s_shapes', 'quick_detector', 'quick_segmentor', 'quick_segmentor_camvid')


def as_in_1_0(name: str) -> dict:
    """Return a config without the corrections that the changelog lists."""
    config = shipped(name).to_dict()
    if name in START:  # from random weights
        del config['model']['backbone']['init_cfg']
        config['load_from'] = None
    if name.startswith('upernet_') and name.endswith('_ade20k'):
        config['param_scheduler'][1]['begin'] = 1500
    return config


def fingerprint(config: dict) -> int:
    settings = {key: config[key] for key in SETTINGS if key in config}
    return zlib.crc32(json.dumps(settings, sort_keys=True).encode())


@pytest.mark.parametrize('name', FINGERPRINTS)
def test_a_config_is_that_of_1_0(name):
    assert fingerprint(as_in_1_0(name)) == FINGERPRINTS[name]
