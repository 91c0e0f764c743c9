"""``vitbackbones weights`` lists and fetches."""

from argparse import Namespace
from dataclasses import replace

import pytest
import safetensors.torch
import torch

from tests.weights.server import behaving
from vitbackbones.commands.names.weights import ROWS, weights
from vitbackbones.errors import InputError
from vitbackbones.weights import PUBLISHED

CONTENT = safetensors.torch.save({'w': torch.ones(1)})


def test_all_are_listed_with_license_and_address(capsys):
    weights(Namespace(names=['*']))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:-1]] == [*ROWS]
    assert lines[-1].startswith('never published: aug_vit_ti, ')
    (line,) = (line for line in lines if line.startswith('pvt_s '))
    assert line.split()[1:] == ['79.8', 'Apache-2.0', PUBLISHED['pvt_s'].url]
    weights(Namespace(names=['swin_[ts]']))
    listed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in listed] == ['swin_t', 'swin_s']


def test_a_name_is_fetched_and_its_file_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with behaving(tmp_path / 'cache', monkeypatch) as (address, behavior):
        behavior.content = CONTENT
        row = replace(PUBLISHED['pvt_s'], url=f'{address}/x.safetensors', sha256=None)
        monkeypatch.setitem(PUBLISHED, 'pvt_s', row)
        weights(Namespace(names=['pvt_s']))
    with open(capsys.readouterr().out.strip(), 'rb') as opened:
        assert opened.read() == CONTENT


def test_an_unknown_name_is_refused_with_the_nearest():
    with pytest.raises(InputError, match=r"pvt_z: .*did you mean 'pvt_"):
        weights(Namespace(names=['pvt_z']))
