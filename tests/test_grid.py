"""Attentions and shortcuts in every host: they learn, or are refused with the reason."""

import itertools

import pytest
import torch

from vitbackbones.backbones import PVT, T2T, TNT, Mixer, SimpleViT, SReT, Swin, ViT
from vitbackbones.layers import ATTENTIONS, SHORTCUTS

PLAIN = {'embed_dims': 24, 'depth': 2, 'num_heads': 2}
PYRAMID = {
    'depths': (1, 1, 1),
    'embed_dims': (8, 16, 24),
    'num_heads': (1, 2, 2),
    'mlp_ratios': (2, 2, 2),
    'sr_ratios': (4, 2, 1),
}
WINDOWS = {'embed_dims': 8, 'depths': (2, 2), 'num_heads': (1, 2)}
RECURSIVE = {
    'stem_dims': (8, 8, 16),
    'embed_dims': (16, 32),
    'num_heads': (2, 4),
    'depths': (1, 2),
    'passes': 2,
    'mlp_ratio': 2.0,
    'nll_ratio': 1.0,
}
SLICES = ((4, 2), (2, 1))
TWO_LEVELS = {**PLAIN, 'inner_dims': 8, 'inner_heads': 2}
MIXER = {'embed_dims': 24, 'depth': 2, 'patch_size': 16, 'token_dims': 12}

# host: its class, its own arguments, and the names under which it takes attention and shortcut
HOSTS = {
    'ViT': (ViT, {'arch': PLAIN}, 'attention', 'shortcut'),
    'SimpleViT': (SimpleViT, {'arch': PLAIN}, 'attention', 'shortcut'),
    'PVT': (PVT, {'arch': PYRAMID}, 'attention', 'shortcut'),
    'T2T': (T2T, {'arch': PLAIN}, 'attention', 'shortcut'),
    'Swin': (Swin, {'arch': WINDOWS, 'window': 4}, 'attention', 'shortcut'),
    'SReT': (SReT, {'arch': RECURSIVE, 'groups': SLICES}, 'attention', 'shortcut'),
    'TNT outer': (TNT, {'arch': TWO_LEVELS}, 'attention', 'shortcut'),
    'TNT inner': (TNT, {'arch': TWO_LEVELS}, 'inner_attention', 'inner_shortcut'),
    'Mixer': (Mixer, {'arch': MIXER}, None, 'shortcut'),
}
ATTENTION = {
    'dot': {'type': 'DotProductAttention'},
    'dot grouped': {'type': 'DotProductAttention', 'groups': 2},
    'dot shared': {'type': 'DotProductAttention', 'sharing': 'QKKQ'},
    'mean-shift': {'type': 'MeanShiftAttention'},
    'mean-shift grouped': {'type': 'MeanShiftAttention', 'groups': 2, 'layout': 'block'},
    'sliced': {'type': 'SlicedAttention', 'slices': 3},
    'sliced grouped': {'type': 'SlicedAttention', 'slices': 3, 'groups': 2},
}
SHORTCUT = {
    'identity': {'type': 'IdentityShortcut'},
    'none': {'type': 'NoShortcut'},
    'augmented': {'type': 'AugmentedShortcut', 'paths': 2, 'blocks': 4},
    'augmented dense': {'type': 'AugmentedShortcut', 'paths': 1, 'projection': 'dense'},
    'augmented otherwise': {
        'type': 'AugmentedShortcut',
        'paths': 1,
        'activation': 'GELU',
        'order': 'activation_first',
        'source': 'stream',
    },
    'coefficient': {'type': 'CoefficientShortcut'},
}
# What has no meaning, and the reason that construction gives.
REFUSED = {
    ('PVT', 'sliced'): 'attend to other tokens .* spatially reduced',
    ('PVT', 'sliced grouped'): 'attend to other tokens .* spatially reduced',
    ('Swin', 'sliced'): 'shifted windows: it accepts no',
    ('Swin', 'sliced grouped'): 'shifted windows: it accepts no',
}
GRID = [
    (host, attention, shortcut)
    for host in HOSTS
    for attention in (ATTENTION if HOSTS[host][2] else [None])
    for shortcut in SHORTCUT
    if (host, attention) not in REFUSED
]


def all_pairs(cases):
    """Leave out the cases whose parts are all together in pairs in earlier ones."""
    seen = set()
    for case in cases:
        pairs = {*itertools.combinations(case, 2)}
        if not pairs <= seen:
            seen |= pairs
            yield case


def build(host, attention, shortcut, **options):
    cls, arguments, attention_name, shortcut_name = HOSTS[host]
    sized = {**arguments, 'img_size': 64, 'out_indices': -1}
    arguments = {**sized, shortcut_name: SHORTCUT[shortcut], **options}
    if attention is not None:
        arguments[attention_name] = ATTENTION[attention]
    torch.manual_seed(0)
    return cls(**arguments)


def check_gradients(model, least=1e-6):
    """Every learned parameter gets a finite gradient of more than ``least``."""
    maps = model(torch.randn(2, 3, 64, 96))
    # random weights, because a LayerNorm's output has the same mean and square whatever comes in
    sum((x * torch.randn_like(x)).sum() for x in maps).backward()
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            assert parameter.grad is not None, name
            assert parameter.grad.isfinite().all(), name
            assert parameter.grad.abs().max() > least, name


def test_the_grid_has_every_part_of_the_tables():
    assert {part['type'] for part in ATTENTION.values()} == set(ATTENTIONS)
    assert {part['type'] for part in SHORTCUT.values()} == set(SHORTCUTS)


@pytest.mark.parametrize(('host', 'attention', 'shortcut'), [*all_pairs(GRID)])
def test_every_pair_of_parts_learns(host, attention, shortcut):
    # without shortcuts gradients fade within a few blocks
    check_gradients(build(host, attention, shortcut), least=0 if shortcut == 'none' else 1e-6)


@pytest.mark.grid
@pytest.mark.parametrize(('host', 'attention', 'shortcut'), GRID)
def test_every_combination_learns(host, attention, shortcut):
    check_gradients(build(host, attention, shortcut), least=0 if shortcut == 'none' else 1e-6)


@pytest.mark.parametrize('location', ['attention', 'mlp'])
@pytest.mark.parametrize('host', HOSTS)
def test_a_shortcut_of_one_branch_learns(host, location, monkeypatch):
    part = {'type': 'CoefficientShortcut', 'coefficients': 'branch', 'location': location}
    monkeypatch.setitem(SHORTCUT, 'coefficient', part)
    check_gradients(build(host, 'dot' if HOSTS[host][2] else None, 'coefficient'))


# Hosts of a block in windows and a global one.
IN_WINDOWS = {'ViT', 'SimpleViT', 'T2T', 'TNT outer'}
WINDOWED = {'window_size': 3, 'global_attn_indexes': [1]}


@pytest.mark.parametrize('attention', ATTENTION)
@pytest.mark.parametrize('host', sorted(IN_WINDOWS))
def test_every_attention_learns_in_windows_or_is_refused(host, attention):
    if 'sliced' in attention:
        with pytest.raises(
            ValueError, match='window_size=3: SlicedAttention already splits the tokens'
        ):
            build(host, attention, 'augmented', **WINDOWED)
    else:
        check_gradients(build(host, attention, 'augmented', **WINDOWED))


@pytest.mark.parametrize('host', sorted({*HOSTS} - IN_WINDOWS - {'TNT inner'}))
def test_hosts_without_a_plain_grid_to_attend_on_take_no_windows(host):
    with pytest.raises(TypeError, match='window_size'):
        build(host, 'dot' if HOSTS[host][2] else None, 'identity', **WINDOWED)


FORMS = [
    {'passes': 3},
    {'passes': 3, 'loop': 'external'},
    {'passes': 3, 'loop': 'external', 'nll': 'per_sweep'},
    {'nll': 'shared', 'permutation': 'random_no_inverse'},
    {'mixed_depth': True},
    {'nll_ratio': 0},
]


@pytest.mark.parametrize('options', FORMS, ids=str)
def test_every_form_of_recursion_learns(options):
    check_gradients(build('SReT', 'mean-shift grouped', 'coefficient', **options))


@pytest.mark.parametrize('options', FORMS, ids=str)
@pytest.mark.parametrize('host', ['ViT', 'SimpleViT', 'PVT', 'T2T', 'Swin', 'TNT outer'])
def test_every_form_of_recursion_learns_in_every_host(host, options):
    recursion = {'nll_ratio': 1, 'groups': [3, 2], **options}
    if host in ('PVT', 'Swin'):  # where slices are refused
        recursion = {key: recursion[key] for key in recursion.keys() - {'groups', 'permutation'}}
    check_gradients(build(host, 'mean-shift', 'augmented', recursion=recursion))


@pytest.mark.parametrize(('host', 'attention'), REFUSED)
def test_what_has_no_meaning_is_refused_with_the_reason(host, attention):
    with pytest.raises(ValueError, match=REFUSED[host, attention]):
        build(host, attention, 'identity')


@pytest.mark.parametrize('host', [host for host in HOSTS if HOSTS[host][2]])
def test_groups_that_do_not_divide_the_width_are_refused(host, monkeypatch):
    monkeypatch.setitem(ATTENTION, 'bad', {'type': 'MeanShiftAttention', 'groups': 5})
    with pytest.raises(ValueError, match='groups=5 does not divide'):
        build(host, 'bad', 'identity')


@pytest.mark.parametrize('host', HOSTS)
def test_blocks_that_do_not_divide_the_width_are_refused(host, monkeypatch):
    monkeypatch.setitem(SHORTCUT, 'bad', {'type': 'AugmentedShortcut', 'blocks': 7})
    with pytest.raises(ValueError, match='not a multiple of blocks=7'):
        build(host, 'dot' if HOSTS[host][2] else None, 'bad')
