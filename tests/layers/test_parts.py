"""What the ``type`` of a part may be, and for which classes a declaration holds."""

import pytest
from torch import nn

from vitbackbones.layers import (
    SHORTCUTS,
    DotProductAttention,
    IdentityShortcut,
    build_part,
    declared,
)


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


class OtherConstructor(DotProductAttention):
    def __init__(self, **options):
        super().__init__(24, 3, **options)


class OtherForward(DotProductAttention):
    def forward(self, x, context=None, bias=None):
        return x + super().forward(x, context, bias)


class OtherHelper(DotProductAttention):
    def project(self, x, context=None):
        return super().project(x.mean(1, keepdim=True).expand_as(x), context)


class Repeats(OtherHelper):
    answers_for_first_token = False
    last_linear = DotProductAttention.last_linear


class Mixed(nn.Module):
    """Methods that stand before those of the part."""

    def forward(self, x):
        return 2 * super().forward(x)


class WithMixin(Mixed, DotProductAttention):
    pass


@pytest.mark.parametrize(
    ('part', 'names'),
    [
        (DotProductAttention(24, 3), {'answers_for_first_token', 'last_linear'}),
        (OtherConstructor(), {'answers_for_first_token', 'last_linear'}),
        (OtherForward(24, 3), set()),
        (OtherHelper(24, 3), set()),
        (Repeats(24, 3), {'last_linear'}),
        (WithMixin(24, 3), set()),
        (nn.Linear(24, 24), set()),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_declaration_holds_until_a_subclass_has_methods_of_its_own(part, names):
    every = ('answers_for_first_token', 'last_linear')
    assert {name for name in every if declared(part, name)} == names
