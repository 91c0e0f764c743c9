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
