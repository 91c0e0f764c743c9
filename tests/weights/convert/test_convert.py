"""Wrappers and key layouts of published checkpoints (values: tests/test_golden.py)."""

import pytest
import torch

from tests.golden.fill import fill_state_dict, load
from tests.test_golden import FILES, FOLDER
from vitbackbones import create_model, list_models
from vitbackbones.backbones import PVT, AugViT, ViT
from vitbackbones.errors import InputError
from vitbackbones.layers import circulant_matrix
from vitbackbones.weights.convert import FORMATS, OWN, find_format, unwrap
from vitbackbones.weights.filling import load_pretrained

TINY = {'embed_dims': 24, 'depth': 2, 'num_heads': 3}
TWO_PATHS = ['augs_attn', 'augs_attn2', 'augs', 'augs2']
WEIGHTS = {'blocks.0.attn.qkv.weight': torch.ones(3, 1)}


@pytest.mark.parametrize(
    'checkpoint',
    [
        WEIGHTS,
        {'model': WEIGHTS, 'epoch': 3},
        {'state_dict': {f'module.{k}': v for k, v in WEIGHTS.items()}},
        {'state_dict_ema': WEIGHTS, 'state_dict': {'blocks.0.attn.qkv.weight': torch.zeros(3, 1)}},
        {'state_dict': {f'backbone.{k}': v for k, v in WEIGHTS.items()}, 'meta': {}},
        {f'_orig_mod.{k}': v for k, v in WEIGHTS.items()},
        {f'module._orig_mod.backbone.{k}': v for k, v in WEIGHTS.items()},
    ],
    ids=['bare', 'model', 'module', 'ema', 'backbone', 'compiled', 'parallel'],
)
def test_wrappers_are_taken_off(checkpoint):
    state = unwrap(checkpoint)
    assert list(state) == list(WEIGHTS)
    assert state['blocks.0.attn.qkv.weight'].sum() == 3


def test_a_file_without_weights_says_what_it_has():
    with pytest.raises(InputError, match='epoch'):
        unwrap({'epoch': 3})
    with pytest.raises(InputError, match='no weights in a checkpoint without any keys'):
        unwrap({'state_dict': {}})


def test_our_own_formats_come_last():
    assert tuple(FORMATS)[-len(OWN) :] == OWN


def published_aug_vit(one_path):
    """A published-layout checkpoint of one block with d = 24, b = 4."""
    state = ViT(TINY, img_size=32).state_dict()
    suffix, paths = ('', ['augs_attn', 'augs']) if one_path else ('.0', TWO_PATHS)
    for block in range(2):
        for path in paths:
            name = f'blocks.{block}.{path}{suffix}'
            state[f'{name}.weight_list'] = torch.randn(4 * 24)
            state[f'{name}.bias'] = torch.randn(24)
            state[f'{name}.index_matrix'] = torch.zeros(24, 24, dtype=torch.int64)
    return state


@pytest.mark.parametrize('paths', [1, 2])
def test_flat_circulant_vectors_become_first_columns(paths, tmp_path):
    state = published_aug_vit(paths == 1)
    torch.save(state, tmp_path / 'aug.pth')
    shortcut = {'type': 'AugmentedShortcut', 'paths': paths, 'blocks': 4}
    model = AugViT(TINY, img_size=32, shortcut=shortcut)
    coverage = load_pretrained(model, tmp_path / 'aug.pth')
    assert (coverage.format, coverage.unused, coverage.missing) == ('aug_vit', (), ())
    flat = state['blocks.1.augs.weight_list' if paths == 1 else 'blocks.1.augs.0.weight_list']
    i, p, j, q, m = 2, 5, 1, 3, 6
    matrix = circulant_matrix(model.blocks[1].shortcut_mlp.weight)[0]
    assert matrix[i * m + p, j * m + q] == flat[(i * 4 + j) * m + (p - q) % m]


def test_a_pvt_classifier_fills_a_pvt_detector_but_for_token_norm_and_head(tmp_path):
    classifier = PVT('t', img_size=64, out_type='cls_token')
    torch.save({**classifier.state_dict(), 'head.weight': torch.ones(2, 512)}, tmp_path / 'pvt.pth')
    detector = PVT('t', img_size=96)
    coverage = load_pretrained(detector, tmp_path / 'pvt.pth')
    assert set(coverage.unused) == {'stages.3.cls_token', 'norm.weight', 'norm.bias', 'head.weight'}


@pytest.mark.parametrize('name', list_models())
def test_our_own_keys_are_of_no_other_layout(name):
    with torch.device('meta'):
        state = create_model(name, num_classes=0).backbone.state_dict()
    assert find_format(state) in OWN


@pytest.mark.parametrize('name', FILES)
def test_a_published_file_is_of_one_layout_whatever_their_order(name):
    state = fill_state_dict(load(name, FOLDER))
    others = [each for each, layout in FORMATS.items() if each not in OWN and layout.detect(state)]
    assert others in ([], [find_format(state)])
