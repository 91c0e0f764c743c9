"""The feature pyramid network is mmdet's and mmseg's, and makes the levels that are missing."""

import pytest
import torch
from mmdet.models.necks import FPN as DetFPN
from mmseg.models.necks import FPN as SegFPN

from tests.backbones.necks.maps import maps, same_weights, sizes
from vitbackbones.backbones.necks import FPN

CHANNELS, STRIDES = [8, 16, 24, 32], [4, 8, 16, 32]
EXTRA = [False, True, 'on_input', 'on_lateral', 'on_output']


@pytest.mark.compat
@pytest.mark.parametrize('other', [DetFPN, SegFPN], ids=['mmdet', 'mmseg'])
@pytest.mark.parametrize('extra', EXTRA)
def test_it_is_the_toolboxes_own_where_the_backbone_gives_all_strides(other, extra):
    options = {'add_extra_convs': extra, 'relu_before_extra_convs': True}
    options['norm_cfg'] = {'type': 'GN', 'num_groups': 2}
    if other is SegFPN and extra is True:
        pytest.skip('True is another source there')
    own = FPN(CHANNELS, STRIDES, [8, 16, 32], 12, 5, **options)
    theirs = other(CHANNELS, 12, 5, start_level=1, **options)
    same_weights(own, theirs)
    x = maps(CHANNELS, STRIDES, 197, 131)
    torch.testing.assert_close(own(x), theirs(x), rtol=0, atol=0)


@pytest.mark.parametrize('size', [(128, 96), (197, 131), (1, 1)], ids=str)
def test_a_finer_level_is_enlarged_and_coarser_ones_follow(size):
    neck = FPN(CHANNELS[1:3], STRIDES[1:3], STRIDES, 12, 5, add_extra_convs='on_output')
    levels = neck(maps(CHANNELS[1:3], STRIDES[1:3], *size))
    (h, w), *rest = sizes(levels)[1:]
    assert sizes(levels)[0] == (2 * h, 2 * w)
    for got in rest:
        h, w = -(-h // 2), -(-w // 2)
        assert got == (h, w)
    assert {level.shape[1] for level in levels} == {12}
    assert neck.out_strides == [4, 8, 16, 32, 64]
