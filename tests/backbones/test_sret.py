"""The structure that SReT's options choose."""

import pytest
import torch

from tests.reference.models import PlainModel
from tests.small_backbones import image
from vitbackbones import create_model
from vitbackbones.backbones import SReT

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
    expected = expected(image(64, 64))
    torch.manual_seed(3)
    torch.testing.assert_close(form(image(64, 64)), expected, atol=1e-4, rtol=1e-4)


def test_the_last_number_of_groups_serves_further_passes():
    model = small(passes=4, groups=[[8, 2], [4], [1, 2, 3, 4, 5]])
    counts = [[s.groups for s in stage.blocks[0].slicings] for stage in model.stages]
    assert counts == [[8, 2, 2, 2], [4, 4, 4, 4], [1, 2, 3, 4]]


def test_stochastic_depth_follows_the_published_rule():
    model = SReT('t', drop_path_rate=0.1)
    drops = [[block.drop_path for block in stage.blocks] for stage in model.stages]
    rates = [[getattr(drop, 'rate', 0.0) for drop in stage] for stage in drops]
    expected = [[0, 0.005], [0.02, 0.025, 0.03, 0.035, 0.04], [0.07, 0.075, 0.08]]
    for stage, known in zip(rates, expected, strict=True):
        assert stage == pytest.approx(known)


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        ({'groups': [[8, 2], [4, 1]]}, '3 stages'),
        ({'groups': 4}, 'groups=4 must hold for each of the 3 stages'),
        ({'groups': [[8, 0], [4, 1], [1, 1]]}, 'groups=0'),
        ({'loop': 'both'}, 'internal'),
        ({'stem': 'pixels'}, "stem='pixels'"),
        ({'arch': {**SMALL, 'embed_dims': (8, 16)}}, 'arch.embed_dims=.* each of the 3 stages'),
        ({'arch': {**SMALL, 'stem_dims': (8, 8)}}, 'arch.stem_dims=.* three convolutions'),
        ({'arch': {**SMALL, 'stem_dims': (8, 8, 9)}}, 'arch.stem_dims=.* after the last'),
        ({'out_type': 'cls_token'}, "'pooled'"),
    ],
)
def test_bad_options_are_refused_by_name(options, message):
    with pytest.raises(ValueError, match=message):
        SReT(**{'arch': SMALL, **options})
