"""Steps of segmentation by tables: to the bit what mmseg's own do."""

import numpy as np
import pytest
from mmseg.datasets.transforms import PhotoMetricDistortion as SlowDistortion
from mmseg.datasets.transforms import RandomCrop as SlowCrop

from vitbackbones.data.loading.segmentation_steps import PhotoMetricDistortion, RandomCrop

from ..natural import photograph

pytestmark = pytest.mark.compat


def outcomes(step, sample, draws=40):
    """What a step makes of a sample with several seeds, and the next number after it."""
    found = []
    for seed in range(draws):
        np.random.seed(seed)
        copies = {key: value.copy() for key, value in sample.items()}
        found.append(step.transform(copies) | {'next': np.random.rand()})
    return found


def same(first, second):
    return all(
        np.array_equal(a[key], b[key]) for a, b in zip(first, second, strict=True) for key in b
    )


def test_colors_are_those_of_mmseg():
    sample = {'img': photograph(30, 40)}
    ours, theirs = (outcomes(step(), sample) for step in (PhotoMetricDistortion, SlowDistortion))
    assert same(ours, theirs)
    assert len({each['img'].tobytes() for each in ours}) > 30


MASKS = {
    'mixed': photograph(48, 64)[..., 0] // 40,
    'mostly one class': (photograph(48, 64)[..., 0] > 190).astype(np.uint8),
    'one class and void': np.where(photograph(48, 64)[..., 0] > 128, 255, 3).astype(np.uint8),
    'void': np.full((48, 64), 255, np.uint8),
}


@pytest.mark.parametrize('mask', MASKS)
@pytest.mark.parametrize(('size', 'limit'), [((16, 24), 0.6), ((64, 32), 0.6), ((100, 100), 1.0)])
def test_crops_are_those_of_mmseg(mask, size, limit):
    sample = {'img': photograph(48, 64), 'gt_seg_map': MASKS[mask]}
    ours, theirs = (
        outcomes(kind(size, cat_max_ratio=limit), sample | {'seg_fields': np.array(['gt_seg_map'])})
        for kind in (RandomCrop, SlowCrop)
    )
    assert same(ours, theirs)
