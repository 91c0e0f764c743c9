"""Moving by a filter: the pictures of OpenCV's ``warpAffine``, to the bit."""

import cv2
import numpy as np
import pytest

from vitbackbones.datasets.translate import EQUALS_OPENCV, translate

from .natural import photograph

pytestmark = [
    pytest.mark.compat,
    pytest.mark.skipif(not EQUALS_OPENCV, reason='OpenCV 5 does not round the fraction'),
]
FILL = (104, 116, 124)
PICTURES = {
    'photograph': photograph(40, 56),
    'black and white': (photograph(31, 17) > 127) * np.uint8(255),
    'one pixel': np.full((1, 1, 3), 9, np.uint8),
    'backwards': photograph(20, 30)[:, ::-1],
}
OFFSETS = [0.0, 1.0, -3.0, 0.5, -0.25, 1 / 64, 1 / 32 - 1e-6, 39.9, 40.0, -57.3, 300.0, -1e4]


def by_opencv(image, offset, axis):
    matrix = np.eye(2, 3, dtype=np.float32)
    matrix[1 - axis, 2] = offset
    size = image.shape[1::-1]
    image = np.ascontiguousarray(image)
    return cv2.warpAffine(image, matrix, size, flags=cv2.INTER_CUBIC, borderValue=FILL)


@pytest.mark.parametrize('axis', [0, 1])
@pytest.mark.parametrize('picture', PICTURES)
def test_the_picture_is_that_of_opencv(picture, axis):
    image = PICTURES[picture]
    drawn = np.random.default_rng(0).uniform(-60, 60, 200).tolist()
    for offset in OFFSETS + drawn:
        ours, theirs = translate(image, offset, axis, FILL), by_opencv(image, offset, axis)
        np.testing.assert_array_equal(ours, theirs, err_msg=f'offset {offset}')


def test_offsets_point_down_and_to_the_right():
    image = np.zeros((4, 5, 3), np.uint8)
    image[1, 2] = 200
    assert translate(image, 2, 0, FILL)[3, 2].tolist() == [200] * 3
    assert translate(image, -1, 1, FILL)[1, 1].tolist() == [200] * 3
    assert translate(image, 1, 1, FILL)[:, 0].tolist() == [list(FILL)] * 4
