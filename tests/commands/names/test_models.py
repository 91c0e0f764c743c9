"""The list of models."""

from argparse import Namespace

import pytest

from vitbackbones.commands.names.models import models
from vitbackbones.errors import InputError


def listed(capsys, pattern, pretrained=False):
    models(Namespace(pattern=pattern, pretrained=pretrained))
    heading, *rows = capsys.readouterr().out.splitlines()
    assert heading.split() == ['model', 'parameters', 'image', 'published', 'top-1']
    return [row.split() for row in rows]


def test_models_have_sizes(capsys):
    rows = listed(capsys, 'deit_?')
    assert ['deit_s', '22.05', 'M', '224', 'x', '224'] in [row[:6] for row in rows]


def test_models_with_published_weights(capsys):
    assert [row[0] for row in listed(capsys, 'aug_vit')]
    with pytest.raises(InputError, match='aug_vit: fits no name'):
        models(Namespace(pattern='aug_vit', pretrained=True))
