"""What a name in a config stands for."""

import pytest
from mmdet.models import ResNet
from torch.optim import AdamW

from vitbackbones.backbones import AugViT
from vitbackbones.configuration.lookup import Lookup
from vitbackbones.errors import InputError
from vitbackbones.layers import AugmentedShortcut, IdentityShortcut, TokensToToken


@pytest.fixture(scope='module')
def lookup():
    return Lookup('mmdet')


@pytest.mark.parametrize(
    ('name', 'kind', 'target'),
    [
        ('ResNet', 'model', ResNet),
        ('mmdet.ResNet', 'model', ResNet),
        ('AdamW', 'optimizer', AdamW),
        ('vitbackbones.AugViT', 'model', AugViT),
        ('AugmentedShortcut', 'part', AugmentedShortcut),
        ('TokensToToken', 'part', TokensToToken),
        ('vitbackbones.layers.shortcut.IdentityShortcut', 'part', IdentityShortcut),
        ('torch.optim.AdamW', 'object', AdamW),
    ],
)
def test_found(lookup, name, kind, target):
    assert lookup.find(name)[kind] is target


def test_registries_of_another_package_are_imported_on_demand(lookup, tmp_path, monkeypatch):
    package = tmp_path / 'someones_nets'
    package.mkdir()
    (package / '__init__.py').touch()
    (package / 'registry.py').write_text(
        'from mmengine.registry import MODELS as PARENT, Registry\n'
        "MODELS = Registry('model', parent=PARENT, scope='someones_nets', "
        "locations=['someones_nets.nets'])\n"
    )
    (package / 'nets.py').write_text(
        'from .registry import MODELS\n\n@MODELS.register_module()\nclass Net:\n    pass\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert lookup.find('someones_nets.Net')['model'].__module__ == 'someones_nets.nets'
    assert lookup.find('someones_nets.Nett') == {}


def test_a_scope_that_is_not_installed():
    with pytest.raises(InputError, match="default_scope='mmnone': mmnone.registry cannot be impo"):
        Lookup('mmnone')
