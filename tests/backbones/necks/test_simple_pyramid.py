"""The simple feature pyramid against its parts, written out in the order of ViTDet."""

import pytest
import torch
import torch.nn.functional as F

from tests.backbones.necks.maps import maps
from vitbackbones.backbones.necks import FPN, Pyramid, SimpleFeaturePyramid


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
    neck = SimpleFeaturePyramid([32], [16], [16, 32], 12, 4, source, relu_before_extra_convs=True)
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
    arguments = (channels, strides, strides, 12, len(channels) + 2, 'on_output', True)
    neck = Pyramid(*arguments, init_cfg={'type': 'Kaiming', 'layer': 'Conv2d'})
    assert type(neck) is kind
    assert (neck.extra, neck.extra_source, neck.relu_before_extra_convs) == (2, 'on_output', True)
    assert neck.init_cfg['type'] == 'Kaiming'
    assert Pyramid(*arguments).init_cfg == kind(*arguments).init_cfg
