"""The order of pixels in memory: the same pictures, and packing without a copy."""

import numpy as np
import pytest
import torch
from mmengine.registry import TRANSFORMS, DefaultScope

from vitbackbones.data.loading.pixels import RandomFlip, ToPlanes, in_order

from ..natural import photograph

pytestmark = pytest.mark.compat
IMAGE = photograph(20, 30)


def build(toolbox, kind):
    with DefaultScope.overwrite_default_scope(toolbox):
        return TRANSFORMS.build({'type': f'vitbackbones.{kind}'})


def test_flipped_views_become_pictures():
    for axes in (0, 1, (0, 1)):
        view = np.flip(IMAGE, axes)
        found = build('mmpretrain', 'InOrder')({'img': view})['img']
        assert np.array_equal(found, view)
        assert found.flags.c_contiguous
    assert in_order(IMAGE) is IMAGE


@pytest.mark.parametrize('prob', [0.0, 0.3, 1.0])
def test_flips_are_those_of_mmcv(prob):
    outcomes = []
    for kind in ('vitbackbones.RandomFlip', 'mmcv.RandomFlip'):
        flip = TRANSFORMS.build({'type': kind, 'prob': prob})
        np.random.seed(0)
        outcomes.append([flip({'img': IMAGE}) for _ in range(20)])
    for ours, theirs in zip(*outcomes, strict=True):
        assert np.array_equal(ours.pop('img'), theirs.pop('img'))
        assert ours == theirs
    share = sum(each['flip'] for each in outcomes[0]) / 20
    assert abs(share - prob) < 0.2


PACKED = {
    'mmpretrain': ('PackInputs', {'gt_label': 3}),
    'mmdet': ('PackDetInputs', {'img_id': 3}),
    'mmseg': ('PackSegInputs', {'gt_seg_map': np.zeros((20, 30), np.uint8)}),
}


@pytest.mark.parametrize('toolbox', PACKED)
def test_every_toolbox_packs_planes_without_copying_a_pixel(toolbox):
    kind, labels = PACKED[toolbox]
    sample = {'img': IMAGE[:, ::-1], 'img_path': 'a.jpg', 'ori_shape': (20, 30), **labels}
    with DefaultScope.overwrite_default_scope(toolbox):
        pack = TRANSFORMS.build({'type': kind, 'meta_keys': ('img_path',)})
    planes = build(toolbox, 'ToPlanes')(dict(sample))
    ours, theirs = pack(dict(planes)), pack(dict(sample))
    assert ours['inputs'].data_ptr() == planes['img'].ctypes.data
    assert ours['inputs'].is_contiguous()
    assert torch.equal(ours['inputs'], theirs['inputs'])
    assert ours['inputs'].dtype == torch.uint8
    assert ours['data_samples'].metainfo == theirs['data_samples'].metainfo == {'img_path': 'a.jpg'}


def test_pictures_of_one_band_keep_their_axis():
    picture = np.arange(20, dtype=np.uint8).reshape(4, 5, 1)
    flipped = RandomFlip(prob=1.0).transform({'img': picture})
    assert np.array_equal(flipped['img'], picture[:, ::-1])
    assert np.array_equal(ToPlanes().transform(flipped)['img'], picture[:, ::-1])
    assert np.array_equal(in_order(picture[::-1]), picture[::-1])
