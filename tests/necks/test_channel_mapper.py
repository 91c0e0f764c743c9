"""The channel mapper is mmdet's where the backbone gives all strides."""

import pytest
import torch
from mmdet.models.necks import ChannelMapper as DetChannelMapper

from tests.necks.maps import maps, same_weights
from vitbackbones.necks import ChannelMapper

CHANNELS, STRIDES = [8, 16, 24], [8, 16, 32]


@pytest.mark.compat
@pytest.mark.parametrize('count', [3, 5])
@pytest.mark.parametrize('kernel_size', [1, 3])
def test_it_is_the_toolboxes_own_where_the_backbone_gives_all_strides(kernel_size, count):
    options = {'norm_cfg': {'type': 'GN', 'num_groups': 2}, 'act_cfg': {'type': 'ReLU'}}
    options['kernel_size'] = kernel_size
    own = ChannelMapper(CHANNELS, STRIDES, STRIDES, 12, count, **options)
    theirs = DetChannelMapper(CHANNELS, 12, num_outs=count, **options)
    same_weights(own, theirs)
    x = maps(CHANNELS, STRIDES, 197, 131)
    torch.testing.assert_close(own(x), theirs(x), rtol=0, atol=0)


def test_its_defaults_are_those_of_deformable_detr():
    own = ChannelMapper(CHANNELS, STRIDES, num_outs=4)
    norm = {'type': 'GN', 'num_groups': 32}
    theirs = DetChannelMapper(CHANNELS, 256, 1, norm_cfg=norm, act_cfg=None, num_outs=4)
    same_weights(own, theirs)
    x = maps(CHANNELS, STRIDES, 64, 64)
    torch.testing.assert_close(own(x), theirs(x), rtol=0, atol=0)
