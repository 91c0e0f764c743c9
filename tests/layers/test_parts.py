"""What the ``type`` of a part may be, and what the parts support at inference."""

import pytest
from torch import nn

from vitbackbones.backbones.mixer import MixerBlock, RecursiveMixerBlock, TokenMixing
from vitbackbones.backbones.swin import RecursiveWindowBlock, WindowBlock
from vitbackbones.backbones.tnt import ExcitedMlp
from vitbackbones.layers import (
    SHORTCUTS,
    AugmentedShortcut,
    Block,
    CoefficientShortcut,
    DotProductAttention,
    IdentityShortcut,
    MeanShiftAttention,
    Mlp,
    NoShortcut,
    RecursiveBlock,
    SlicedAttention,
    build_part,
)
from vitbackbones.layers.parts import supports
from vitbackbones.layers.recursion import NonLinearProjection


@pytest.mark.parametrize(
    'kind',
    [
        'IdentityShortcut',
        IdentityShortcut,
        'vitbackbones.layers.IdentityShortcut',
        'vitbackbones.layers.shortcut.IdentityShortcut',
    ],
)
def test_names_classes_and_paths(kind):
    part = build_part(SHORTCUTS, {'type': kind}, embed_dims=3)
    assert type(part) is IdentityShortcut


def test_a_part_of_ones_own_needs_no_registration(tmp_path, monkeypatch):
    (tmp_path / 'somebodys_parts.py').write_text(
        'from torch import nn\n\nclass NoShortcut(nn.Module):\n'
        '    def __init__(self, embed_dims):\n        super().__init__()\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    part = build_part(SHORTCUTS, {'type': 'somebodys_parts.NoShortcut'}, embed_dims=3)
    assert isinstance(part, nn.Module)
    assert type(part).__module__ == 'somebodys_parts'


@pytest.mark.parametrize(
    'kind',
    [
        'Identity',
        'no.such.Part',
        'torch.nn.NoSuchPart',
        'vitbackbones.layers.x.Part',
        '1.5',
        None,
        3,
    ],
)
def test_unknown_ones(kind):
    with pytest.raises(ValueError, match=r'unknown part type=.* known: AugmentedShortcut, Coeff'):
        build_part(SHORTCUTS, {'type': kind}, embed_dims=3)


SUPPORTS = {
    DotProductAttention: {'last_linear', 'first_token'},
    MeanShiftAttention: {'last_linear', 'first_token'},
    SlicedAttention: {'last_linear'},
    Mlp: {'last_linear', 'chain', 'first_token'},
    ExcitedMlp: set(),
    TokenMixing: set(),
    IdentityShortcut: {'fold_into', 'first_token'},
    NoShortcut: {'first_token'},
    CoefficientShortcut: {'fold_into', 'first_token'},
    AugmentedShortcut: {'fold_into', 'first_token'},
    Block: {'residuals', 'first_token'},
    RecursiveBlock: {'residuals'},
    WindowBlock: {'residuals'},
    RecursiveWindowBlock: {'residuals'},
    MixerBlock: {'residuals'},
    RecursiveMixerBlock: {'residuals'},
    NonLinearProjection: {'residuals'},
}


@pytest.mark.parametrize('cls', SUPPORTS, ids=lambda cls: cls.__name__)
def test_a_class_supports_what_it_lists_and_a_subclass_inherits_nothing(cls):
    class Derived(cls):
        pass

    for use in set.union(*SUPPORTS.values()):
        assert supports(cls.__new__(cls), use) == (use in SUPPORTS[cls])
        assert not supports(Derived.__new__(Derived), use)
