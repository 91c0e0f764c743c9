"""The table of metrics that a test prints."""

import numpy as np

from vitbackbones.running.evaluate import table


def test_what_is_no_number_is_left_out():
    assert table({'a': 1.0, 'matrix': [1, 2]}) == 'a   1.000'
    assert table({}) == ''
    assert table({'mIoU': np.float32(89.93)}, digits=2) == 'mIoU   89.93'
