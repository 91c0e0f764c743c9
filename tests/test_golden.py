"""Equality with the published code, from recorded outputs on filled weights."""

import math
import os
import re
from pathlib import Path

import pytest
import torch

from tests.golden.fill import difference, fill_input, fill_state_dict, load
from vitbackbones import create_model
from vitbackbones.convert import convert, unwrap

FOLDER = Path(os.environ.get('GOLDEN_DIR', Path(__file__).parent / 'golden'))
FILES = sorted(path.stem for path in FOLDER.glob('*.json'))


def build(golden, tmp_path):
    names = golden['vitbackbones']
    path = tmp_path / 'published.pth'
    torch.save({'model': fill_state_dict(golden)}, path)
    maps = {'num_classes': 0, 'out_type': 'featmap'} if names['features_only'] else {}
    return create_model(names['model'], checkpoint=path, **maps, **names['options']).eval()


def module_of(backbone, output):
    """Return the module that answers a recorded output's name, or None."""
    if output == 'tokens':
        return backbone.norm
    if match := re.fullmatch(r'(?:tokens_)?block(\d+)', output):
        return backbone.blocks[int(match[1])]
    if match := re.fullmatch(r'stage(\d+)', output):
        return backbone.stages[int(match[1])].blocks[-1]
    return None


def listen(model, golden):
    """Record what the modules answer, in the recorded layout (tokens or map)."""
    recorded = {}

    def hook(output):
        def keep(module, inputs, value):
            shape = golden['outputs'][output]['shape']
            tokens = value[-1] if isinstance(value, tuple) else value
            is_map = len(shape) == 4 and tokens.ndim == 3
            recorded[output] = tokens.transpose(1, 2).reshape(shape) if is_map else tokens

        return keep

    for output in golden['outputs']:
        module = module_of(model.backbone, output)
        if module is not None:
            module.register_forward_hook(hook(output))
    return recorded


def test_the_folder_holds_golden_vectors():
    """An empty or mistyped GOLDEN_DIR would otherwise pass without comparing anything."""
    assert FILES, f'no *.json in {FOLDER}'


@pytest.mark.parametrize('name', FILES)
@torch.no_grad()
def test_outputs_equal_the_published_code(name, tmp_path):
    golden = load(name, FOLDER)
    model = build(golden, tmp_path)
    recorded = listen(model, golden)
    torch.manual_seed(golden.get('torch_manual_seed_before_forward', 0))
    if golden['vitbackbones']['features_only']:
        recorded = dict(zip(golden['outputs'], model.backbone(fill_input(golden)), strict=True))
    else:
        recorded['logits'] = model(fill_input(golden))
    for output, value in recorded.items():
        expected = golden['outputs'][output]
        assert difference(value, expected) < expected['tolerance'], output


@pytest.mark.parametrize('name', FILES)
def test_the_format_is_recognised_and_the_parameters_are_counted(name, tmp_path):
    golden = load(name, FOLDER)
    _, found = convert(unwrap(fill_state_dict(golden)))
    assert found == golden['vitbackbones']['format']
    if golden['vitbackbones']['features_only']:
        return  # the published detection variant keeps a row of positions that it does not use
    model = build(golden, tmp_path)
    unused = math.prod(golden['manifest'].get('outer_tokens', [[0]])[0])  # a relic in TNT's files
    assert sum(p.numel() for p in model.parameters()) == golden['parameters'] - unused
