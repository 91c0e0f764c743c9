"""The feature pyramid network is mmdet's and mmseg's, and makes the levels that are missing."""

import pytest
import torch
from mmdet.models.necks import FPN as DetFPN
from mmseg.models.necks import FPN as SegFPN

from tests.necks.maps import maps, same_weights
from vitbackbones.necks import FPN

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
