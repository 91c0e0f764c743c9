"""The registries of this package hold what they list, and keep their names for it."""

import subprocess
import sys

import pytest
from torch import nn

from vitbackbones.backbones import ViT
from vitbackbones.registry import MODELS


def test_a_name_of_ours_is_replaced_only_by_force():
    class Other(nn.Module):
        pass

    with pytest.raises(KeyError, match='ViT is already registered in model at vitbackbones'):
        MODELS.register_module(name='ViT', module=Other)
    assert MODELS.get('ViT') is ViT
    MODELS.register_module(name='ViT', module=Other, force=True)
    try:
        assert MODELS.get('vitbackbones.ViT') is Other
    finally:
        del MODELS._module_dict['ViT']
    assert MODELS.get('ViT') is ViT


@pytest.mark.parametrize('module', ['registry', 'openmmlab.widths'])
def test_a_module_that_mmengine_asks_for_can_be_imported_first(module):
    command = [sys.executable, '-c', f'import vitbackbones.{module}']
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
