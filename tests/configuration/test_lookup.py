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


def test_a_scope_that_is_not_installed():
    with pytest.raises(InputError, match="default_scope='mmnone': mmnone.registry cannot be impo"):
        Lookup('mmnone')


def test_unknown_names_are_nothing(lookup):
    assert lookup.find('NoSuchThing') == {}
    assert lookup.find('mmdet.NoSuchThing') == {}
    assert lookup.find('mmseg.ResNet')['model'] is not ResNet
    assert lookup.find('os.sep') == {}  # not callable


def test_names_as_a_config_has_to_write_them(lookup):
    written = lookup.spellings()
    assert written['resnet'] == 'ResNet'
    assert written['adamw'] == 'AdamW'
    assert written['augvit'] == 'vitbackbones.AugViT'
    assert written['augmentedshortcut'] == 'AugmentedShortcut'
    assert Lookup('mmengine').spellings()['resnet'].endswith('.ResNet')


def test_names_of_one_kind(lookup):
    hooks = lookup.spellings(('hook',))
    assert hooks['emahook'] == 'EMAHook'
    assert not {'resnet', 'augvit', 'augmentedshortcut'} & hooks.keys()
    assert {'resnet', 'augmentedshortcut'} <= lookup.spellings(('model',)).keys()
