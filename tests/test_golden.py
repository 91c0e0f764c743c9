"""Equality with the published code, from recorded outputs on filled weights."""

import os
from pathlib import Path

import pytest
import torch

from tests.golden.fill import difference, fill_input, fill_state_dict, load
from vitbackbones import create_model
from vitbackbones.convert import convert, unwrap

FOLDER = Path(os.environ.get('GOLDEN_DIR', Path(__file__).parent / 'golden'))
FILES = sorted(path.stem for path in FOLDER.glob('*.json'))
# recorded output: module of the backbone that gives it
FEATURES = {'tokens': 'norm', 'block0': 'blocks.0'}


def build(golden, tmp_path):
    names = golden['vitbackbones']
    path = tmp_path / 'published.pth'
    torch.save({'model': fill_state_dict(golden)}, path)
    return create_model(names['model'], checkpoint=path, **names['options']).eval()


@pytest.mark.parametrize('name', FILES)
@torch.no_grad()
def test_outputs_equal_the_published_code(name, tmp_path):
    golden = load(name, FOLDER)
    model = build(golden, tmp_path)
    recorded = {}
    for output, path in FEATURES.items():
        if output in golden['outputs']:
            module = model.get_submodule(f'backbone.{path}')
            module.register_forward_hook(
                lambda module, inputs, value, output=output: recorded.update({output: value})
            )
    recorded['logits'] = model(fill_input(golden))
    for output, expected in golden['outputs'].items():
        assert difference(recorded[output], expected) < expected['tolerance'], output


@pytest.mark.parametrize('name', FILES)
def test_the_format_is_recognised_and_the_parameters_are_counted(name, tmp_path):
    golden = load(name, FOLDER)
    _, found = convert(unwrap(fill_state_dict(golden)))
    assert found == golden['vitbackbones']['format']
    model = build(golden, tmp_path)
    assert sum(p.numel() for p in model.parameters()) == golden['parameters']
