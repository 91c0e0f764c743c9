"""A folder as a user has it: configs, checkpoints with random weights, pictures of two sizes."""

from pathlib import Path

import cv2
import numpy as np
import pytest
import torch
from mmengine.config import Config
from mmengine.registry import MODELS, DefaultScope

from vitbackbones.configuration.classes import config_meta

HERE = Path(__file__).parent
SIZES = ((50, 80), (64, 64), (50, 80))  # height, width


def build(config):
    """Build the model of a config as its toolbox does."""
    with DefaultScope.overwrite_default_scope(config.default_scope):
        if 'data_preprocessor' in config:
            config.model.data_preprocessor = config.data_preprocessor
        torch.manual_seed(0)
        return MODELS.build(config.model).eval()


def write_model(path, place):
    """Write a config with all that it is based on, and a checkpoint of random weights."""
    config = Config.fromfile(path)
    config.dump(place / path.name)
    meta = {'dataset_meta': config_meta(config)}
    checkpoint = {'state_dict': build(config).state_dict(), 'meta': meta}
    torch.save(checkpoint, place / f'{path.stem}.pth')


def write(place):
    """Write ``tiny_{det,seg,cls}.{py,pth}`` and ``images/{0,1,2}.png``."""
    for task in ('det', 'seg', 'cls'):
        write_model(HERE / f'tiny_{task}.py', place)
    (place / 'images').mkdir()
    random = np.random.default_rng(0)
    for i, size in enumerate(SIZES):
        noise = random.integers(0, 256, (*(side // 4 + 1 for side in size), 3), dtype=np.uint8)
        cv2.imwrite(str(place / f'images/{i}.png'), cv2.resize(noise, size[::-1]))
    return place


@pytest.fixture(scope='session')
def folder(tmp_path_factory):
    return write(tmp_path_factory.mktemp('inference'))
