"""What the ``type`` of a part may be."""

import pytest
from torch import nn

from vitbackbones.layers import SHORTCUTS, IdentityShortcut, build_part


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
    ['Identity', 'no.such.Part', 'torch.nn.NoSuchPart', None],
)
def test_unknown_ones(kind):
    with pytest.raises(ValueError, match=r'unknown part type=.* known: AugmentedShortcut, Coeff'):
        build_part(SHORTCUTS, {'type': kind}, embed_dims=3)
