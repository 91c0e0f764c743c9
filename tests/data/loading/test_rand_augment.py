"""RandAugment by tables: to the bit what mmpretrain makes."""

import numpy as np
import pytest
from mmengine.registry import DefaultScope
from mmpretrain.datasets.transforms import RandAugment as Slow

from vitbackbones.data.loading.rand_augment import TABLES, RandAugment

from ..natural import photograph

pytestmark = pytest.mark.compat
PICTURES = {
    'photograph': photograph(40, 56),
    'few values': photograph(40, 56) // 64 * 64,
    'one value': np.full((5, 6, 3), 77, np.uint8),
    'one channel': photograph(40, 56) * np.uint8([0, 1, 0]),
    'dark': photograph(40, 56) // 4 + 10,
}


def both(**options):
    settings = {'num_policies': 2, 'magnitude_level': 9, 'magnitude_std': 0.5, 'total_level': 10}
    settings['hparams'] = {'pad_val': [104, 116, 124], 'interpolation': 'bicubic'}
    with DefaultScope.overwrite_default_scope('mmpretrain'):
        return [kind(**settings | options) for kind in (RandAugment, Slow)]


@pytest.mark.parametrize('picture', PICTURES)
def test_every_picture_is_that_of_mmpretrain(picture):
    ours, theirs = both(policies='timm_increasing')
    assert {type(each).__name__ for each in ours} >= {*TABLES}
    changed = set()
    for seed in range(100):
        outcomes = []
        for augment in (ours, theirs):
            np.random.seed(seed)
            outcomes.append(augment({'img': PICTURES[picture].copy()})['img'])
            outcomes.append(np.random.rand())  # as many draws
        assert np.array_equal(outcomes[0], outcomes[2])
        assert outcomes[0].dtype == np.uint8
        assert outcomes[1] == outcomes[3]
        changed.add(outcomes[0].tobytes())
    assert len(changed) > 3


@pytest.mark.parametrize(
    'policy',
    [
        {'type': 'Contrast', 'magnitude': 0.4},
        {'type': 'Solarize', 'thr': 99},
        {'type': 'Brightness', 'magnitude': 0.5, 'random_negative_prob': 1.0},
        {'type': 'Rotate', 'angle': 20.0},
    ],
    ids=str,
)
def test_fixed_magnitudes(policy):
    ours, theirs = both(policies=[{**policy, 'prob': 1.0}])
    pictures = []
    for augment in (ours, theirs):
        np.random.seed(1)
        pictures.append(augment({'img': PICTURES['photograph'].copy()})['img'])
    assert np.array_equal(*pictures)
    assert not np.array_equal(pictures[0], PICTURES['photograph'])
