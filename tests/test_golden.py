"""Equality with the published code, from recorded outputs on filled weights."""

import math
import os
import re
import warnings
from pathlib import Path

import pytest
import torch

from tests.converting import convert
from tests.golden.fill import difference, fill_input, fill_state_dict, load
from vitbackbones import create_model
from vitbackbones.weights.convert import FORMATS, unwrap

FOLDER = Path(os.environ.get('GOLDEN_DIR', Path(__file__).parent / 'golden'))
FILES = sorted(path.stem for path in FOLDER.glob('*.json'))


def build(golden, tmp_path):
    names, options = golden['vitbackbones'], golden['vitbackbones']['options']
    path = tmp_path / 'published.pth'
    torch.save({'model': fill_state_dict(golden)}, path)
    if names['features_only']:
        options = {'out_type': 'featmap', **options, 'num_classes': 0}
    return create_model(names['model'], checkpoint=path, **options).eval()


def module_of(backbone, output):
    """Return the module that answers a recorded output's name, or None."""
    if output == 'tokens':
        return backbone.norm
    match = re.fullmatch(r'(?:tokens_)?(block|stage)(\d+)', output)
    if not match:
        return None
    tables = {'block': ['blocks'], 'stage': ['stages', 'layers']}[match[1]]
    parts = next((getattr(backbone, table) for table in tables if hasattr(backbone, table)), ())
    if int(match[2]) >= len(parts):
        return None
    part = parts[int(match[2])]
    return part.blocks[-1] if match[1] == 'stage' else part


def listen(model, golden):
    """Record what the modules answer under the names of the outputs."""
    recorded = {}

    def hook(output):
        def keep(module, inputs, value):
            value = value[-1] if isinstance(value, tuple) else value
            if value.ndim > 2:  # the norm of a mean over tokens is none of them
                recorded[output] = value

        return keep

    for output in golden['outputs']:
        module = module_of(model.backbone, output)
        if module is not None:
            module.register_forward_hook(hook(output))
    return recorded


def by_name(maps, indices, names):
    """Give the maps of the stages or blocks ``indices`` to names ending in these, else in order."""
    numbers = {name: int(match[0]) for name in names if (match := re.search(r'\d+$', name))}
    if numbers and set(numbers.values()) <= set(indices):
        found = dict(zip(indices, maps, strict=True))
        return {name: found[number] for name, number in numbers.items()}
    return dict(zip(names, maps, strict=True)) if len(names) == len(maps) else {}


def layouts(value, shape):
    """Yield a vector, tokens (N, [1 +] L, C) or a map (N, C, h, w) in all ways to lay it out so."""
    if value.ndim == 2:
        yield value
        return
    tokens = value.flatten(2).transpose(1, 2) if value.ndim == 4 else value  # (N, L, C)
    if shape[-1] == tokens.shape[2]:  # without the class token where fewer were recorded
        yield tokens[:, -math.prod(shape[1:-1]) :].reshape(shape)  # (N, L, C) or (N, h, w, C)
    if shape[1] == tokens.shape[2]:
        yield tokens[:, -math.prod(shape[2:]) :].transpose(1, 2).reshape(shape)  # (N, C, h, w)


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
        maps = model.backbone(fill_input(golden))
        recorded |= by_name(maps, model.backbone.out_indices, golden['outputs'])
    else:
        recorded['logits'] = model(fill_input(golden))
    assert recorded, f'none of {list(golden["outputs"])} is an output of {name}'
    if unknown := [output for output in golden['outputs'] if output not in recorded]:
        warnings.warn(f'{name}: not compared, no output of the model: {unknown}', stacklevel=1)
    for output, value in recorded.items():
        expected = golden['outputs'][output]
        laid_out = layouts(value, expected['shape'])
        nearest = min((difference(x, expected) for x in laid_out), default=math.inf)
        assert nearest < expected['tolerance'], f'{output}: {list(value.shape)}'


@pytest.mark.parametrize('name', FILES)
def test_the_format_is_recognized_and_the_parameters_are_counted(name, tmp_path):
    golden = load(name, FOLDER)
    state, told = unwrap(fill_state_dict(golden)), golden['vitbackbones']['format']
    found, _ = convert(state)
    if told in FORMATS:  # layouts with the same keys are told apart by nobody
        wanted = FORMATS[told].convert(state)
        assert found.keys() == wanted.keys()
        assert all(torch.equal(found[key], wanted[key]) for key in wanted)
    if golden['vitbackbones']['features_only']:
        return  # the published detection variant keeps a row of positions that it does not use
    model = build(golden, tmp_path)
    unused = math.prod(golden['manifest'].get('outer_tokens', [[0]])[0])  # a relic in TNT's files
    assert sum(p.numel() for p in model.parameters()) == golden['parameters'] - unused
