"""Models through ``torch.hub``."""

import runpy
from pathlib import Path

import torch

from vitbackbones import list_models

CLONE = str(Path(__file__).parents[1])


def test_a_model_is_built_by_name():
    model = torch.hub.load(CLONE, 'deit_ti', source='local', num_classes=3)
    assert model(torch.zeros(1, 3, 224, 224)).shape == (1, 3)


def test_every_model_is_an_entry():
    entries = runpy.run_path(f'{CLONE}/hubconf.py')
    assert all(entries[name].__doc__.startswith(f'{name}: Build') for name in list_models())
