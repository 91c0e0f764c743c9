"""What all necks keep: levels of the wanted strides at any size, gradients, and clear refusals."""

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from tests.necks.maps import maps, sizes
from vitbackbones.errors import OptionError
from vitbackbones.necks.base import Rescale
from vitbackbones.registry import MODELS

NECKS = ['FPN', 'SimpleFeaturePyramid', 'Pyramid', 'ChannelMapper', 'Levels']
# channels and strides of a backbone's maps
GIVEN = {
    'pyramid': ([8, 16, 24, 32], [4, 8, 16, 32]),
    'three maps': ([16, 24, 32], [8, 16, 32]),
    'plain': ([32], [16]),
    'small plain': ([32], [4]),
    'four blocks': ([32] * 4, [16] * 4),
    'two fine maps': ([8, 16], [4, 8]),
    'a gap': ([8, 32], [4, 32]),
}


def build(kind, channels, strides, **options):
    torch.manual_seed(0)
    options = {'out_strides': [4, 8, 16, 32], 'out_channels': 32, **options}
    config = {'type': f'vitbackbones.{kind}', 'in_channels': channels, 'in_strides': strides}
    return MODELS.build({**config, **options})


@pytest.mark.parametrize('given', GIVEN)
@pytest.mark.parametrize('kind', NECKS)
def test_levels_halve_from_the_finest_on_and_every_parameter_learns(kind, given):
    channels, strides = GIVEN[given]
    neck = build(kind, channels, strides, num_outs=5)
    assert neck.out_strides == [4, 8, 16, 32, 64]
    for height, width in [(197, 131), (64, 96), (1, 1)]:
        levels = neck(maps(channels, strides, height, width))
        padded = [-(-side // min(strides)) * min(strides) for side in (height, width)]
        wanted = [tuple(-(-side // s) for side in padded) for s in neck.out_strides]
        assert sizes(levels) == wanted
        assert {level.shape[1] for level in levels} == {32}
    levels = neck(maps(channels, strides, 197, 131))
    sum((x * torch.randn_like(x)).sum() for x in levels).backward()
    for name, parameter in neck.named_parameters():
        assert parameter.grad.abs().sum() > 0, name


@pytest.mark.parametrize('kind', ['Pyramid', 'ChannelMapper'])
def test_any_backbone_feeds_it(make_backbone, kind):
    with FakeTensorMode():
        backbone = make_backbone()
        neck = build(kind, list(backbone.out_channels), list(backbone.out_strides))
        levels = neck(backbone(torch.empty(2, 3, 70, 45)))
    whole = -(-70 // min(backbone.out_strides)) * min(backbone.out_strides)
    assert [x.shape[2] for x in levels] == [-(-whole // stride) for stride in (4, 8, 16, 32)]


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        ({'in_strides': [16, 32]}, r'in_strides=\[16, 32\]: must have one'),
        ({'out_strides': []}, r'out_strides=\[\].*strides that grow'),
        ({'out_strides': [8, 8]}, r'out_strides=\[8, 8\].*strides that grow'),
        ({'out_strides': [4, 8, 16], 'num_outs': 2}, 'at most num_outs'),
        ({'in_channels': [8] * 3, 'in_strides': [16] * 3}, 'both must have the same length'),
    ],
    ids=str,
)
@pytest.mark.parametrize('kind', NECKS)
def test_levels_that_cannot_be_are_refused(kind, options, message):
    given = {'in_channels': [32], 'in_strides': [16], **options}
    with pytest.raises(ValueError, match=message):
        build(kind, given.pop('in_channels'), given.pop('in_strides'), **given)


@pytest.mark.parametrize('kind', ['FPN', 'ChannelMapper'])
def test_a_level_behind_all_maps_has_twice_the_stride_of_the_one_before(kind):
    with pytest.raises(ValueError, match='those beyond in_strides.* are each twice the one before'):
        build(kind, [32], [16], out_strides=[16, 64])
    assert build('Levels', [32], [16], out_strides=[16, 64]).out_strides == [16, 64]


@pytest.mark.parametrize('kind', NECKS[:3])
def test_an_unknown_source_of_further_levels_is_refused(kind):
    with pytest.raises(ValueError, match="add_extra_convs='on_top': must be one of"):
        build(kind, [32], [16], add_extra_convs='on_top')


@pytest.mark.parametrize('kind', NECKS)
def test_maps_that_are_not_those_announced_are_named(kind):
    neck = build(kind, [16, 24, 32], [8, 16, 32])
    with pytest.raises(
        ValueError, match=r'in_channels=\[16, 24, 32\].*gives feature maps with \[32\] chan'
    ):
        neck(maps([32], [16], 64, 64))


def test_patches_of_14_pixels_come_to_the_strides_of_a_head_and_stay_in_their_places():
    neck = build('Levels', [32], [14])
    assert sizes(neck(maps([32], [14], 98, 140))) == [(28, 36), (14, 18), (7, 9), (4, 5)]
    centers = torch.arange(58).mul(14).add(7.0).expand(1, 1, 58, 58)  # of a map over 812 pixels
    brought = Rescale(14, 16)(centers)
    assert brought.shape == (1, 1, 51, 51)  # 812 / 16 = 50.75
    wanted = torch.arange(50).mul(16).add(8.0)
    torch.testing.assert_close(brought[0, 0, 0, :50], wanted, atol=1e-3, rtol=0)


def test_too_few_channels_for_fine_levels_are_refused():
    with pytest.raises(OptionError, match='2 channels cannot be halved in each of the 2 steps'):
        build('Levels', [2], [16])
