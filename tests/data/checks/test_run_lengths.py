"""Run lengths are read as pycocotools reads them, and refused where it would trust them."""

import cv2
import numpy as np
import pytest
from pycocotools import mask as coco_mask

from vitbackbones.data.checks.run_lengths import bounds, read_runs
from vitbackbones.data.loading.coco_masks import to_rle

SIZE = 23, 31


def blobs(seed, share):
    noise = cv2.GaussianBlur(np.random.default_rng(seed).random(SIZE), (0, 0), 0.4 + seed / 4)
    return noise > np.quantile(noise, share)


@pytest.mark.parametrize('seed', range(12))
def test_runs_and_bounds_are_those_of_the_mask(seed):
    mask = blobs(seed, (seed + 1) / 14)
    code = to_rle(mask)
    runs = read_runs(code, *SIZE)
    assert np.array_equal(np.repeat(np.arange(len(runs)) % 2, runs), mask.T.ravel())
    x, y, width, height = coco_mask.toBbox(code)
    assert bounds(runs, SIZE[0]) == (x, y, x + width, y + height)


def test_long_runs_that_shrink_and_grow():
    mask = np.zeros((3000, 40), bool)
    mask[5:, ::3] = mask[2000:] = True
    runs = read_runs(to_rle(mask), *mask.shape)
    assert np.array_equal(np.repeat(np.arange(len(runs)) % 2, runs), mask.T.ravel())


def test_runs_that_are_not_compressed():
    assert read_runs({'size': [2, 3], 'counts': [1, 2, 3]}, 2, 3).tolist() == [1, 2, 3]


def test_nothing_has_no_bounds():
    assert bounds(read_runs(to_rle(np.zeros((4, 5), bool)), 4, 5), 4) == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ('code', 'message'),
    [
        ({'counts': [6]}, "its 'size' is None and must be"),
        ({'size': [2, 3.0], 'counts': [6]}, "its 'size' is \\[2, 3.0\\] and must be"),
        ({'size': '23', 'counts': [6]}, "its 'size' is '23' and must be"),
        ({'size': [3, 2], 'counts': [6]}, 'it is of 2 x 3 pixels, the image of 3 x 2'),
        ({'size': [10**30, 10**30], 'counts': '0'}, 'the image of 3 x 2'),
        ({'size': [2, 3]}, "its 'counts' is None and must be a text or a list"),
        ({'size': [2, 3], 'counts': [1.5, 4.5]}, "its 'counts' is \\[1.5, 4.5\\] and must be"),
        ({'size': [2, 3], 'counts': [[6]]}, "its 'counts' is \\[\\[6\\]\\] and must be"),
        ({'size': [2, 3], 'counts': []}, 'its runs are 0, the image has 6 pixels'),
        ({'size': [2, 3], 'counts': [1, 6]}, 'its runs are 7, the image has 6 pixels'),
        ({'size': [2, 3], 'counts': [10**400]}, 'the image has 6 pixels'),
        ({'size': [2, 3], 'counts': [8, -2]}, 'a run is negative'),
        ({'size': [2, 3], 'counts': ''}, 'cut off or have characters of no RLE'),
        ({'size': [2, 3], 'counts': '1P'}, 'cut off or have characters of no RLE'),
        ({'size': [2, 3], 'counts': '1 5'}, 'cut off or have characters of no RLE'),
        ({'size': [2, 3], 'counts': '1\x005'}, 'cut off or have characters of no RLE'),
        ({'size': [2, 3], 'counts': 'é'}, 'cut off or have characters of no RLE'),
        ({'size': [2, 3], 'counts': 'oooooooooo1'}, 'a number of more than 30 bits'),
        ({'size': [2, 3], 'counts': '1O'}, 'a run is negative'),
    ],
)
def test_what_stands_for_no_mask_is_refused(code, message):
    with pytest.raises(ValueError, match=message):
        read_runs(code, 2, 3)
