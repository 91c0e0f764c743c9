"""Moving pixels by OpenCV: what the toolboxes' own steps give."""

import mmcv
import numpy as np
import pytest
import torch
from mmengine.registry import DefaultScope
from mmpretrain.datasets.transforms import PackInputs as Slow

from vitbackbones.datasets.layout import FLIPS, to_pixels, to_planes
from vitbackbones.registry import TRANSFORMS

from .natural import photograph

pytestmark = pytest.mark.compat
IMAGE = photograph(20, 30)


def build(**step):
    with DefaultScope.overwrite_default_scope('mmpretrain'):
        return TRANSFORMS.build(step)


@pytest.mark.parametrize('image', [IMAGE, IMAGE[:, ::-1], IMAGE[2:9, 3:8], IMAGE[..., :1]])
def test_planes_and_back(image):
    planes = to_planes(image)
    assert planes.flags.c_contiguous
    assert np.array_equal(planes, image.transpose(2, 0, 1))
    assert np.array_equal(to_pixels(planes), image)


@pytest.mark.parametrize('direction', FLIPS)
def test_flips_are_those_of_mmcv(direction):
    flip = build(type='vitbackbones.RandomFlip', prob=1.0, direction=direction)
    found = flip({'img': IMAGE})
    assert np.array_equal(found['img'], mmcv.imflip(IMAGE, direction))
    assert found['img'].flags.c_contiguous
    assert (found['flip'], found['flip_direction']) == (True, direction)
    never = build(type='vitbackbones.RandomFlip', prob=0.0)
    assert never({'img': IMAGE})['img'] is IMAGE


def test_it_packs_as_mmpretrain_does():
    sample = {'img': IMAGE, 'gt_label': 3, 'img_path': 'a.jpg', 'flip': True}
    ours, theirs = build(type='vitbackbones.PackInputs')(dict(sample)), Slow()(dict(sample))
    assert torch.equal(ours['inputs'], theirs['inputs'])
    assert ours['inputs'].is_contiguous()
    assert ours['inputs'].dtype == torch.uint8
    assert ours['data_samples'].gt_label.tolist() == [3]
    assert ours['data_samples'].metainfo == theirs['data_samples'].metainfo
