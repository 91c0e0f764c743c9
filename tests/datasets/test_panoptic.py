"""Numbers of segments as colors, and back."""

import numpy as np

from vitbackbones.datasets.panoptic import to_colors, to_ids


def test_a_number_is_spread_over_red_green_and_blue():
    ids = np.array([[0, 255, 256], [8345037, 2**24 - 1, 65536]])
    colors = to_colors(ids)
    assert colors.dtype == np.uint8
    assert colors[1, 0].tolist() == [8345037 % 256, 8345037 // 256 % 256, 8345037 // 65536]
    assert np.array_equal(to_ids(colors), ids)
