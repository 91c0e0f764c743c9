"""Levels from one map each, against their parts written out."""

import pytest
import torch
import torch.nn.functional as F

from tests.necks.maps import maps
from vitbackbones.necks import FPN, Levels, Pyramid, SimpleFeaturePyramid


def further(source):
    return {'add_extra_convs': source, 'relu_before_extra_convs': True}


def layer_norm(x, norm):
    y = F.layer_norm(x.permute(0, 2, 3, 1), x.shape[1:2], norm.weight, norm.bias, 1e-6)
    return y.permute(0, 3, 1, 2)


def two_convolutions(x, lateral, output):
    """1 x 1 and 3 x 3 without bias, a LayerNorm after each, no activation."""
    x = layer_norm(F.conv2d(x, lateral[0].weight), lateral[1])
    return layer_norm(F.conv2d(x, output[0].weight, padding=1), output[1])


def test_it_equals_its_parts_in_the_published_order():
    torch.manual_seed(0)
    neck, (x,) = (
        SimpleFeaturePyramid([32], [16], out_channels=12, num_outs=5),
        maps([32], [16], 96, 64),
    )
    four, two = neck.resample.steps[0], neck.resample.steps[1][0]
    by_four = F.conv_transpose2d(x, four[0].weight, four[0].bias, stride=2)
    by_four = F.gelu(layer_norm(by_four, four[1]))
    by_four = F.conv_transpose2d(by_four, four[3].weight, four[3].bias, stride=2)
    by_two = F.conv_transpose2d(x, two.weight, two.bias, stride=2)
    assert (by_four.shape[1], by_two.shape[1]) == (8, 16)
    sources = [by_four, by_two, x, F.max_pool2d(x, 2)]
    parts = zip(sources, neck.laterals, neck.outputs, strict=True)
    wanted = [two_convolutions(*part) for part in parts]
    wanted.append(F.max_pool2d(wanted[-1], 1, stride=2))
    torch.testing.assert_close(list(neck((x,))), wanted)


@pytest.mark.parametrize('source', ['on_input', 'on_lateral', 'on_output'])
def test_further_levels_by_convolutions_start_where_they_are_told(source):
    neck = SimpleFeaturePyramid([32], [16], [16, 32], 12, 4, **further(source))
    (x,) = maps([32], [16], 96, 64)
    *_, last, first, second = neck((x,))
    pooled = F.max_pool2d(x, 2)
    starts = {'on_input': pooled, 'on_lateral': neck.laterals[1](pooled), 'on_output': last}

    def convolved(x, layers):
        return layer_norm(F.conv2d(x, layers[0].weight, stride=2, padding=1), layers[1])

    torch.testing.assert_close(first, convolved(starts[source], neck.extra_convs[0]))
    torch.testing.assert_close(second, convolved(first.relu(), neck.extra_convs[1]))


@pytest.mark.parametrize(
    ('channels', 'kind'), [([32], SimpleFeaturePyramid), ([8, 16, 24], FPN), ([8, 8], FPN)]
)
def test_a_pyramid_is_an_fpn_for_several_maps_and_the_simple_one_for_one(channels, kind):
    strides = [16, 32, 64][: len(channels)]
    levels, options = (channels, strides, strides, 12, len(channels) + 2), further('on_output')
    neck = Pyramid(*levels, **options, init_cfg={'type': 'Kaiming', 'layer': 'Conv2d'})
    assert type(neck) is kind
    assert (neck.extra, neck.extra_source, neck.relu_before_extra_convs) == (2, 'on_output', True)
    assert neck.init_cfg['type'] == 'Kaiming'
    assert Pyramid(*levels).init_cfg == kind(*levels).init_cfg


CHANNELS, STRIDES = [8, 16, 24, 32], [4, 8, 16, 32]


def test_maps_of_all_strides_stay_as_they_are_without_a_width():
    neck, x = Levels(CHANNELS, STRIDES, out_channels=None), maps(CHANNELS, STRIDES, 70, 45)
    assert all(ours is given for ours, given in zip(neck(x), x, strict=True))
    assert list(neck.parameters()) == []
    assert neck.resample.channels == CHANNELS


def test_missing_levels_are_pooled_from_the_next_finer_map_or_enlarged_from_the_finest():
    neck = Levels([16, 24], [8, 32], [4, 8, 16, 32, 64], out_channels=None)
    x = maps([16, 24], [8, 32], 70, 45)
    finest, own, pooled, other, last = neck(x)
    assert finest.shape[1:] == (8, 18, 12)
    assert own is x[0]
    torch.testing.assert_close(pooled, F.max_pool2d(x[0], 2, ceil_mode=True))
    assert other is x[1]
    torch.testing.assert_close(last, F.max_pool2d(x[1], 2, ceil_mode=True))
    assert neck.resample.channels == [8, 16, 16, 24, 24]


def test_a_level_is_projected_and_normalized():
    neck, (x,) = Levels([16], [8], [8], 12), maps([16], [8], 64, 64)
    conv, norm = neck.projections[0]
    torch.testing.assert_close(neck((x,))[0], layer_norm(F.conv2d(x, conv.weight), norm))


def test_further_levels_are_every_second_position():
    neck, x = Levels([16], [8], [8], 12, num_outs=3), maps([16], [8], 70, 45)
    first, *further = neck(x)
    for i, level in enumerate(further, 1):
        assert torch.equal(level, first[..., :: 2**i, :: 2**i])
