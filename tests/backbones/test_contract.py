"""The backbone contract, for every backbone class that exists."""

import pytest
import torch

from tests.conftest import REPRESENTATIVES, shallow
from tests.small_backbones import image
from vitbackbones.backbones.names import MODELS

EACH_SWEEP = {'passes': 2, 'nll_ratio': 1, 'loop': 'external', 'nll': 'per_sweep'}
# One recursive form of every host that has some; together they are all forms.
REPEATED = {
    'deit_ti': {'recursion': {'passes': 2, 'nll_ratio': 1, 'groups': [3, 2]}},
    'simple_vit_ti': {'recursion': {'passes': 2, 'nll_ratio': 1, 'mixed_depth': True}},
    'pvt_t': {'recursion': EACH_SWEEP},
    't2t_14': {'recursion': {'passes': 3, 'nll_ratio': 0.5, 'nll': 'shared'}},
    'swin_t': {'recursion': {'passes': 2, 'nll_ratio': 1, 'loop': 'external'}},
    'tnt_ti': {'recursion': {**EACH_SWEEP, 'groups': [3, 2], 'mixed_depth': True}},
    'sret_t': {'stem': 'patch', 'with_cls_token': True, 'mixed_depth': True, 'nll': 'shared'},
}
# Windows of every host that has some; the grid is not a multiple of them.
WINDOWS = {'window_size': 3, 'global_attn_indexes': [1]}
FORMS = {f'{name} repeated': form for name, form in REPEATED.items()}
FORMS |= {f'{name} windows': WINDOWS for name in ('deit_ti_distilled', 'msf_vit_ti', 'tnt_ti')}
# of each base class, which checks options, the first backbone
BASES = ('deit_ti', 'pvt_t', 'recursive_mixer_b16')
SIZES = [(33, 47), (130, 333), (3, 2)]  # the last is smaller than a patch


@pytest.fixture(params=[*sorted(REPRESENTATIVES), *FORMS])
def make_any(request):
    """Build a backbone as ``make_backbone`` does, or one of the :data:`FORMS`."""
    cls, arguments, _ = MODELS[request.param.partition(' ')[0]]
    form = {'out_type': 'featmap', **FORMS.get(request.param, {})}

    def make(**options):
        torch.manual_seed(0)
        return cls(**{**arguments, 'arch': shallow(cls), **form, **options})

    return make


@pytest.mark.parametrize('size', SIZES, ids=lambda s: f'{s[0]}x{s[1]}')
@torch.no_grad()
def test_maps_have_the_declared_channels_and_strides_at_any_size(make_backbone, size):
    backbone = make_backbone().eval()
    maps = backbone(image(*size, batch=1))
    assert len(maps) == len(backbone.out_indices)
    for x, channels, stride in zip(maps, backbone.out_channels, backbone.out_strides, strict=True):
        assert x.shape == (1, channels, -(-size[0] // stride), -(-size[1] // stride))
        assert x.isfinite().all()


@torch.no_grad()
def test_a_batch_equals_its_images_one_by_one(make_any):
    backbone = make_any().eval()
    batch = image(33, 47, batch=3)
    for together, *alone in zip(backbone(batch), *(backbone(x[None]) for x in batch), strict=True):
        torch.testing.assert_close(together, torch.cat(alone), atol=2e-5, rtol=1e-5)


@torch.no_grad()
@pytest.mark.parametrize(
    ('dtype', 'tolerance'), [(torch.bfloat16, 0.03), (torch.float16, 0.005)], ids=str
)
def test_half_the_precision_is_nearly_the_same(make_backbone, dtype, tolerance):
    backbone = make_backbone().eval()
    wanted = backbone(image(33, 47))
    backbone.to(dtype)
    for x, reference in zip(backbone(image(33, 47)), wanted, strict=True):
        assert x.dtype == dtype
        assert (x - reference).norm() < tolerance * reference.norm()


def test_every_parameter_gets_a_gradient(make_any):
    backbone = make_any()
    sum(x.square().mean() for x in backbone(image())).backward()
    for name, parameter in backbone.named_parameters():
        if parameter.requires_grad:  # T2T's fixed tables have none
            assert parameter.grad is not None, name
            assert parameter.grad.abs().sum() > 0, name


def test_activation_checkpointing_changes_nothing(make_any):
    plain = make_any(drop_path_rate=0.3)
    saving = make_any(drop_path_rate=0.3, with_cp=True)
    gradients = []
    for backbone in (plain, saving):
        torch.manual_seed(3)
        sum(x.square().mean() for x in backbone(image())).backward()
        gradients.append([p.grad for p in backbone.parameters()])
    for a, b in zip(*gradients, strict=True):
        torch.testing.assert_close(a, b, atol=1e-6, rtol=1e-4)


@torch.no_grad()
def test_one_graph_with_the_same_result(make_any):
    backbone = make_any().eval()
    compiled = torch.compile(backbone, fullgraph=True, dynamic=False, backend='aot_eager')
    for eager, graph in zip(backbone(image(80, 96)), compiled(image(80, 96)), strict=True):
        torch.testing.assert_close(eager, graph, atol=2e-5, rtol=1e-5)
    torch._dynamo.reset()


def test_frozen_stages_stay_as_they_are_and_the_rest_trains(make_any):
    backbone = make_any(frozen_stages=1, drop_path_rate=0.5).train()
    stages = backbone.parts_by_stage()
    frozen = [p for part in (*stages[0], *stages[1]) for p in parameters(part)]
    assert frozen
    assert not any(p.requires_grad for p in frozen)
    assert not any(m.training for part in (*stages[0], *stages[1]) for m in modules(part))
    assert all(p.requires_grad for part in stages[2] for p in parameters(part))
    assert all(m.training for part in stages[2] for m in modules(part))


def parameters(part):
    return [part] if isinstance(part, torch.nn.Parameter) else list(part.parameters())


def modules(part):
    return [] if isinstance(part, torch.nn.Parameter) else list(part.modules())


def test_layer_depths_run_from_stem_to_the_last_block(make_any):
    backbone = make_any()
    found = {backbone.layer_depth(name) for name, _ in backbone.named_parameters()}
    depths = {depth for depth, _ in found}
    (count,) = {count for _, count in found}
    assert depths >= set(range(count - 1))
    assert max(depths) <= count - 1


@torch.no_grad()
def test_a_state_dict_of_one_input_size_loads_at_another(make_any):
    small, large = make_any(img_size=64).eval(), make_any(img_size=96).eval()
    before = {name: value.clone() for name, value in small.state_dict().items()}
    large.load_state_dict(before)
    small.load_state_dict(large.state_dict())
    for name, value in small.state_dict().items():
        assert value.shape == before[name].shape
    assert all(x.isfinite().all() for x in large(image()))


def test_position_codes_are_resized_as_published(make_backbone):
    """Bilinearly in PVT, bicubically everywhere else; alike when loaded and in forward."""
    small, large = make_backbone(img_size=64).eval(), make_backbone(img_size=128).eval()
    name = type(small).__name__
    for _, _, _, mode in small.positions():
        assert mode == ('bilinear' if 'PVT' in name else 'bicubic')
    large.load_state_dict(small.state_dict())
    image = torch.randn(1, 3, 128, 128)
    with torch.no_grad():
        for ours, loaded in zip(small(image), large(image), strict=True):
            torch.testing.assert_close(ours, loaded, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize('make_backbone', BASES, indirect=True)
@pytest.mark.parametrize(
    ('option', 'message'),
    [
        ({'arch': 5}, 'unknown arch 5; known: '),
        ({'arch': {'depth': 3}}, 'arch lacks|arch has no depth'),
        ({'out_indices': 99}, 'out_indices'),
        ({'out_indices': ()}, 'out_indices'),
        ({'out_indices': (0, 0)}, 'out_indices.*repeated'),
        ({'out_indices': -99}, 'out_indices'),
        *(({'out_indices': i, 'out_type': 'pooled'}, 'out_indices') for i in (None, 1.5, (99, 99))),
        ({'out_type': 'raw'}, 'out_type'),
        ({'attention': {'type': 'NoSuch'}}, '[aA]ttention'),  # mixers take none
        ({'shortcut': {'type': 'NoSuch'}}, 'IdentityShortcut'),
        *(({'drop_path_rate': rate}, f'drop_path_rate={rate}') for rate in (-1, 1.0, 1.5)),
        *(({'img_size': size}, 'img_size') for size in (0, -5, 22.5, (224,), (64, 0))),
    ],
    ids=lambda value: str(value),
)
def test_bad_options_are_refused_by_name(make_backbone, option, message):
    with pytest.raises((ValueError, TypeError), match=message):
        make_backbone(**option)


@pytest.mark.parametrize('channels', [1, 4])
def test_an_image_of_other_channels_is_refused_with_both_numbers(make_backbone, channels):
    backbone = make_backbone()
    with pytest.raises((ValueError, RuntimeError), match=rf'3 channels, but got {channels}'):
        backbone(torch.randn(1, channels, 64, 64))
