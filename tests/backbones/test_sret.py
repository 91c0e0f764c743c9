"""SReT: published outputs, and the structure that its options choose."""

import pytest
import torch
import torch.nn.functional as F

from tests.golden.fill import difference, fill_input, fill_state_dict, load
from tests.reference.models import PlainModel
from vitbackbones import create_model
from vitbackbones.backbones import SReT
from vitbackbones.backbones.classifier import Classifier
from vitbackbones.weights.convert import convert

SMALL = {
    'stem_dims': (8, 16, 16),
    'embed_dims': (16, 32, 64),
    'num_heads': (1, 2, 4),
    'depths': (1, 2, 1),
    'passes': 2,
    'mlp_ratio': 2.0,
    'nll_ratio': 1.0,
}


def small(seed=0, **options):
    """A small network with every parameter and running statistic away from its initial value."""
    torch.manual_seed(seed)
    model = SReT(**{'arch': SMALL, 'img_size': 64, **options})
    with torch.no_grad():
        for name, value in model.state_dict().items():
            if value.is_floating_point():
                noise = 0.1 * torch.randn_like(value)
                value.add_(noise.abs() if name.endswith('running_var') else noise)
    return model.eval()


def image(height=64, width=64, batch=2):
    return torch.randn(batch, 3, height, width, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize('fuse', [False, True], ids=['plain', 'fused'])
@pytest.mark.parametrize('name', ['sret_t', 'sret_t_wo_slice', 'sret_lt_16_14_1'])
@torch.no_grad()
def test_stages_and_logits_equal_the_published_code(name, fuse):
    golden = load(name)
    names, outputs = golden['vitbackbones'], golden['outputs']
    model = create_model(names['model'], **names['options']).eval()
    state, _ = convert(fill_state_dict(golden))
    model.load_state_dict(model.split_converted(state))
    arguments = {'arch': names['model'].split('_')[1], **names['options']}
    if names['model'].endswith('_global'):
        arguments['groups'] = None
    dense = SReT(**arguments).eval()
    dense.load_state_dict(model.backbone.state_dict(), strict=False)
    if fuse:
        model, dense = model.fuse_for_inference(), dense.fuse_for_inference()
    got = {}
    for kind, network in (('maps', dense), ('logits', model)):
        torch.manual_seed(golden['torch_manual_seed_before_forward'])
        got[kind] = network(fill_input(golden))
    for i, x in enumerate(got['maps']):
        assert difference(x, outputs[f'stage{i}']) < outputs[f'stage{i}']['tolerance']
    assert difference(got['logits'], outputs['logits']) < outputs['logits']['tolerance']


@pytest.mark.parametrize(
    ('name', 'options', 'count'),
    [
        ('sret_t', {}, 4_755_979),
        ('sret_t_global', {}, 4_755_979),
        ('sret_t', {'img_size': 384}, 4_853_259),
        ('sret_tl', {}, 4_988_024),
        ('sret_tl', {'img_size': 384}, 5_085_304),
        ('sret_s', {}, 20_899_692),
        ('sret_s_global', {'img_size': 384}, 21_091_212),
        ('sret_s_global', {'img_size': 512}, 21_317_004),
        # the readings of ours that backbones/sret.py marks as such
        ('sret_t', {'arch': 'b'}, 70_834_272),
        ('sret_t', {'arch': 'ext'}, 4_012_274),
        ('sret_t', {'arch': '108'}, 14_160_551),
        # the paper's Table 12 as printed
        ('sret_t', {'arch': {**SReT.archs['b'], 'embed_dims': (336, 672, 1344)}}, 144_715_296),
    ],
)
def test_parameters_are_counted_to_the_last(name, options, count):
    with torch.device('meta'):
        model = create_model(name, **options)
    assert sum(p.numel() for p in model.parameters()) == count


def test_projections_can_be_shared_by_passes_or_stand_after_sweeps():
    counts = {
        nll: [sum(1 for _ in block.nlls.parameters()) // 8 for block in model.stages[1].blocks]
        for nll in ('per_pass', 'shared', 'per_sweep')
        for model in [small(passes=3, nll=nll, loop='external')]
    }
    assert counts == {'per_pass': [3, 3], 'shared': [1, 1], 'per_sweep': [0, 3]}


def test_999_layers_have_10_million_parameters():
    with torch.device('meta'):
        model = create_model('sret_t', arch='108', passes=37, nll='shared')
    assert sum(p.numel() for p in model.parameters()) == 9_836_549
    assert 37 * sum(len(stage.blocks) for stage in model.backbone.stages) == 999


@pytest.mark.parametrize('fuse', [False, True], ids=['plain', 'fused'])
@pytest.mark.parametrize(
    'options',
    [
        {'stem': 'patch'},
        {'with_cls_token': True},
        {'with_cls_token': True, 'out_type': 'cls_token', 'stem': 'patch'},
    ],
    ids=str,
)
@torch.no_grad()
def test_the_steps_towards_the_published_model_equal_their_plain_form(options, fuse):
    torch.manual_seed(0)
    arch = {**SMALL, 'depths': (1, 1, 1)}
    options = {'arch': arch, 'img_size': 64, 'permutation': 'random', **options}
    model = create_model('sret_t', num_classes=5, **options).eval()
    for parameter in model.parameters():
        parameter.add_(torch.randn_like(parameter), alpha=0.05)
    expected, form = PlainModel(model), model.fuse_for_inference() if fuse else model
    torch.manual_seed(3)
    expected = expected(image())
    torch.manual_seed(3)
    torch.testing.assert_close(form(image()), expected, atol=1e-4, rtol=1e-4)


def test_the_class_token_is_not_decayed_and_belongs_to_the_stem():
    model = small(with_cls_token=True, frozen_stages=0)
    assert 'cls_token' in model.no_weight_decay()
    assert not model.cls_token.requires_grad


def test_the_published_setting_shuffles_twice_and_only_when_told_to():
    torch.manual_seed(0)
    SReT('t', permutation='random').eval()(image(224, 224, 1))
    drawn = torch.get_rng_state()
    model = SReT('t').eval()
    torch.manual_seed(0)
    SReT('t', permutation='random')  # the same draws for the initial values
    torch.randperm(784), torch.randperm(784)
    assert torch.equal(drawn, torch.get_rng_state())
    model(image(224, 224, 1))
    assert torch.equal(drawn, torch.get_rng_state())


@torch.no_grad()
def test_groups_none_is_one_group_everywhere():
    x = image()
    a, b = small(groups=None), small(groups=[[1], [1], [1]])
    assert all(torch.equal(i, j) for i, j in zip(a(x), b(x), strict=True))
    assert not torch.equal(a(x)[0], small()(x)[0])


def test_the_last_number_of_groups_serves_further_passes():
    model = small(passes=4, groups=[[8, 2], [4], [1, 2, 3, 4, 5]])
    counts = [[s.groups for s in stage.blocks[0].slicings] for stage in model.stages]
    assert counts == [[8, 2, 2, 2], [4, 4, 4, 4], [1, 2, 3, 4]]


@torch.no_grad()
def test_the_external_loop_sweeps_the_stage_once_per_pass():
    x, model = image(), small(loop='external', out_indices=1)
    stage, seen = model.stages[1], []
    hooks = [
        nll.register_forward_hook(lambda *_, name=(k, i): seen.append(name))
        for k, block in enumerate(stage.blocks)
        for i, nll in enumerate(block.nlls)
    ]
    external = model(x)[0]
    assert seen == [(0, 0), (1, 0), (0, 1), (1, 1)]
    for hook in hooks:
        hook.remove()
    assert not torch.equal(external, small(out_indices=1)(x)[0])
    once = [small(loop=loop, passes=1)(x)[2] for loop in ('internal', 'external')]
    assert torch.equal(*once)


@torch.no_grad()
def test_mixed_depth_is_the_mean_with_a_branch_that_is_not_recursive():
    x, mixed = image(), small(mixed_depth=True)
    assert set(mixed.state_dict()) == set(small().state_dict())
    shallow = small(passes=1, nll_ratio=0)
    shallow.load_state_dict(mixed.state_dict(), strict=False)
    for both, deep, flat in zip(mixed(x), small()(x), shallow(x), strict=True):
        torch.testing.assert_close(both, (deep + flat) / 2, atol=1e-5, rtol=1e-5)


def test_a_transformer_of_108_layers_trains():
    torch.manual_seed(0)
    arch = {**SReT.archs['108'], **{k: SMALL[k] for k in ('stem_dims', 'embed_dims', 'num_heads')}}
    backbone = SReT(arch, img_size=32, out_type='pooled')
    assert sum(len(block.nlls) for stage in backbone.stages for block in stage.blocks) == 108
    model = Classifier(backbone, num_classes=4)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x, labels = image(32, 32, batch=8), torch.arange(8) % 4
    losses = []
    for _ in range(10):
        loss = F.cross_entropy(model(x), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.9 < 1.3 < losses[0]  # chance is log(4) = 1.39


def test_stochastic_depth_follows_the_published_rule():
    model = SReT('t', drop_path_rate=0.1)
    drops = [[block.drop_path for block in stage.blocks] for stage in model.stages]
    rates = [[getattr(drop, 'rate', 0.0) for drop in stage] for stage in drops]
    expected = [[0, 0.005], [0.02, 0.025, 0.03, 0.035, 0.04], [0.07, 0.075, 0.08]]
    for stage, known in zip(rates, expected, strict=True):
        assert stage == pytest.approx(known)


def test_coefficients_and_positions_are_not_decayed():
    model = SReT('t')
    names = model.no_weight_decay()
    assert len(names) == 1 + 80
    learned = dict(model.named_parameters())
    assert sum(learned[name].numel() for name in names - {'pos_embed'}) == 80


@torch.no_grad()
def test_a_position_code_resized_on_load_is_the_one_resized_in_forward():
    before, after = small(img_size=64), small(seed=1, img_size=96)
    after.load_state_dict(before.state_dict())
    for a, b in zip(before(image(96, 96)), after(image(96, 96)), strict=True):
        torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_fusing_keeps_maps_and_classifiers_as_they_are():
    model, x = small(mixed_depth=True, groups=[[3, 2], [3], [2]]), image(33, 47)
    fused = model.fuse_for_inference()
    for a, b in zip(fused(x), model(x), strict=True):
        torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-5)
    assert not any('BatchNorm' in type(m).__name__ for m in fused.modules())
    assert not any('shortcut' in name for name, _ in fused.named_parameters())


@pytest.mark.parametrize('kind', ['SlicedAttention', 'DotProductAttention'])
@pytest.mark.parametrize('shortcut', ['IdentityShortcut', 'AugmentedShortcut'])
def test_other_parts_fit_in_and_learn(kind, shortcut):
    model = small(attention={'type': kind}, shortcut={'type': shortcut}, groups=None)
    sum(x.square().mean() for x in model(image())).backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad.abs().sum() > 0, name


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        ({'groups': [[8, 2], [4, 1]]}, '3 stages'),
        ({'groups': [8, 4, 1]}, '3 stages'),
        ({'groups': 4}, 'groups=4 must hold for each of the 3 stages'),
        ({'nll_ratio': -1}, 'nll_ratio=-1'),
        ({'passes': 2.5}, 'passes=2.5'),
        ({'groups': [[8, 0], [4, 1], [1, 1]]}, 'groups=0'),
        ({'permutation': 'shuffle'}, 'permutation'),
        ({'loop': 'both'}, 'internal'),
        ({'passes': 0}, 'passes=0'),
        ({'nll': 'none'}, "nll='none'"),
        ({'nll': 'per_sweep'}, "needs loop='external'"),
        ({'mixed_loss': 'both'}, 'needs mixed_depth'),
        ({'mixed_loss': 'both', 'mixed_depth': True}, "for maps take 'mean'"),
        ({'stem': 'pixels'}, "stem='pixels'"),
        ({'nll_ratio': 0, 'nll': 'shared'}, "nll='shared' needs nll_ratio"),
        ({'arch': {**SMALL, 'embed_dims': (8, 16)}}, 'arch.embed_dims=.* each of the 3 stages'),
        ({'arch': {**SMALL, 'stem_dims': (8, 8)}}, 'arch.stem_dims=.* three convolutions'),
        ({'arch': {**SMALL, 'stem_dims': (8, 8, 9)}}, 'arch.stem_dims=.* after the last'),
        ({'out_type': 'cls_token'}, "'pooled'"),
    ],
)
def test_bad_options_are_refused_by_name(options, message):
    with pytest.raises(ValueError, match=message):
        SReT(**{'arch': SMALL, **options})
