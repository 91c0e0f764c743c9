"""Arguments that all hosts share: variants with changes, parts with changes, and ranges."""

import pytest
import torch

from tests.conftest import REPRESENTATIVES, shallow
from vitbackbones.backbones import TNT, AugViT, MSFSwin, MSFViT, RecursiveMixer, SReT, ViT
from vitbackbones.backbones.names import MODELS
from vitbackbones.backbones.shared.options import choose_arch
from vitbackbones.layers import AugmentedShortcut, CoefficientShortcut, MeanShiftAttention

ARCHS = {
    'a': {'embed_dims': 8, 'depths': (1, 2), 'mlp_ratio': 4.0},
    'b': {'embed_dims': 16, 'depths': (3, 4), 'mlp_ratio': 2.0},
}


@pytest.mark.parametrize('name', sorted(REPRESENTATIVES))
def test_every_host_builds_a_variant_with_another_depth(name):
    cls, arguments, _ = MODELS[name]
    deeper = shallow(cls)
    key = 'depth' if 'depth' in deeper else 'depths'
    few = 3 if key == 'depth' else [1 for _ in deeper[key]]
    with torch.device('meta'):
        backbone = cls(**{**arguments, 'arch': {'base': arguments['arch'], key: few}})
        whole = cls(**arguments)
    assert len(backbone.parts_by_stage()) - 1 == (3 if key == 'depth' else len(few))
    assert backbone.out_channels == whole.out_channels[: len(backbone.out_channels)]


def test_changes_come_before_the_base():
    changed = choose_arch(ARCHS, {'base': 'b', 'depths': [5, 6]})
    assert changed == {'embed_dims': 16, 'depths': [5, 6], 'mlp_ratio': 2.0}
    assert ARCHS['b']['depths'] == (3, 4)


@pytest.mark.parametrize(
    ('arch', 'message'),
    [
        ('c', "unknown arch 'c'; known: a, b"),
        ({'base': 'c'}, "unknown arch 'c'; known: a, b"),
        ({'base': 'a', 'dept': 1}, 'arch has no dept; known: base, embed_dims, depths, mlp_ratio'),
        ({'embed_dims': 8}, "lacks depths, mlp_ratio; add base, one of 'a', 'b', for the rest"),
        ({'base': 'a', 'embed_dims': 0}, 'arch.embed_dims=0: must be one integer of at least 1'),
        ({'base': 'a', 'depths': 3}, 'arch.depths=3: must be a list with integers of at least 1'),
        ({'base': 'a', 'depths': []}, r'arch.depths=\[\]: must be a list with integers'),
        ({'base': 'a', 'mlp_ratio': 'x'}, "arch.mlp_ratio='x': must be one number of at least 0"),
    ],
)
def test_archs_that_cannot_be(arch, message):
    with pytest.raises(ValueError, match=message):
        choose_arch(ARCHS, arch)


@pytest.mark.parametrize(
    ('cls', 'changes', 'part', 'options'),
    [
        (MSFViT, {'attention': {'sharing': 'QKKKW'}}, MeanShiftAttention, {'tied': None}),
        (MSFSwin, {'attention': {'probe': None}}, MeanShiftAttention, {'probe': None}),
        (AugViT, {'shortcut': {'paths': 3}}, AugmentedShortcut, {'scale': 1.0}),
        (SReT, {'shortcut': {'coefficients': 'branch'}}, CoefficientShortcut, {'identity': None}),
        (RecursiveMixer, {'shortcut': {'location': 'mlp'}}, CoefficientShortcut, {}),
        (TNT, {'inner_shortcut': {'type': 'AugmentedShortcut'}}, AugmentedShortcut, {}),
    ],
)
def test_a_part_without_a_type_is_the_hosts_own(cls, changes, part, options):
    with torch.device('meta'):
        backbone = cls(**changes)
    found = [module for module in backbone.modules() if type(module) is part]
    assert found
    assert {key: getattr(found[0], key) for key in options} == options


def test_frozen_stages_out_of_range(make_backbone):
    stages = len(make_backbone().parts_by_stage()) - 1
    for frozen in (-1, 0, stages):
        make_backbone(frozen_stages=frozen)
    for frozen in (-2, stages + 1, 99, '1', None):
        with pytest.raises(ValueError, match=rf'={frozen!r}: must be in \[-1, {stages}\]'):
            make_backbone(frozen_stages=frozen)


@pytest.mark.parametrize('name', ['patch_size', 'pool'])
@pytest.mark.parametrize('size', [0, -1, 1.5, 'x'])
def test_sizes_of_plain_hosts(name, size):
    with pytest.raises(ValueError, match=f'{name}={size!r}: must be an integer of at least 1'):
        ViT('ti', **{name: size})
