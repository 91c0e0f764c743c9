"""Fast crops: the pictures that Pillow makes, and of large files very nearly."""

import cv2
import numpy as np
import pytest
from mmpretrain.datasets.transforms import RandomResizedCrop as Slow

from vitbackbones.data.loading.fast_crop import RandomResizedCrop
from vitbackbones.data.loading.load_image import EncodedImage, LoadImage

from ..natural import FARTHEST, OTHERS, photograph

pytestmark = pytest.mark.compat


def draws(crop, sample, count=8):
    np.random.seed(0)
    return [crop(dict(sample)) for _ in range(count)]


def pixels(results):
    return np.array([result['img'] for result in results], int)


@pytest.fixture
def file(tmp_path):
    path = str(tmp_path / 'photograph.jpg')
    cv2.imwrite(path, photograph(300, 400))
    return path


@pytest.mark.parametrize('interpolation', ['bilinear', 'bicubic'])
@pytest.mark.parametrize('scale', [40, 224, (64, 96)])
def test_crops_are_those_of_pillow_but_for_its_rounding(interpolation, scale):
    sample = {'img': photograph(120, 160)}
    ours = draws(RandomResizedCrop(scale, interpolation), sample)
    theirs = draws(Slow(scale, interpolation=interpolation, backend='pillow'), sample)
    difference = pixels(ours) - pixels(theirs)
    assert np.abs(difference).max() <= FARTHEST
    assert (difference != 0).mean() < OTHERS
    assert abs(difference.mean()) < 0.01
    assert [each['img_shape'] for each in ours] == [each['img_shape'] for each in theirs]
    assert all(each['img'].flags.c_contiguous for each in ours)  # as OpenCV wants them


def test_a_crop_that_is_large_enough_is_decoded_at_reduced_size(file, monkeypatch):
    factors, decode = [], EncodedImage.decode
    monkeypatch.setattr(
        EncodedImage, 'decode', lambda image, n: factors.append(n) or decode(image, n)
    )
    sample = LoadImage(decode='reduced')({'img_path': file})
    assert sample['img_shape'] == sample['ori_shape'] == (300, 400)
    for scale, area, factor in [(151, 1, 1), (150, 1, 2), (75, 1, 4), (75, 0.18, 1), (9, 1, 8)]:
        crop = RandomResizedCrop(scale, crop_ratio_range=(area, area), aspect_ratio_range=(1, 1))
        assert crop(sample)['img'].shape == (scale, scale, 3)
        assert factors.pop() == factor


@pytest.mark.parametrize('box', [(0, 0, 300, 400), (16, 96, 272, 288), (32, 8, 192, 200)])
def test_a_reduced_decoding_looks_the_same(file, box):
    """At least 34 dB of a picture that is full of details; means and deviations are equal."""

    class Crop(RandomResizedCrop):
        def rand_crop_params(self, image):
            return box

    fast, slow = (
        pixels([Crop(64, 'bicubic')(LoadImage(decode=each)({'img_path': file}))])
        for each in ('reduced', 'full')
    )
    assert 0 < np.square(fast - slow).mean() < 255**2 / 10**3.4
    assert fast.mean((0, 1, 2)) == pytest.approx(slow.mean((0, 1, 2)), abs=0.5)
    assert fast.std((0, 1, 2)) == pytest.approx(slow.std((0, 1, 2)), rel=0.03)
