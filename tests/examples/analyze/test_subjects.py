"""The images that a model by name is shown in an analysis."""

from pathlib import Path

import numpy as np
from torch import nn

from examples.analyze.subjects import by_name
from vitbackbones.data.sources import Frame


def test_a_size_is_height_and_width():
    frame = Frame(Path('one.png'), np.zeros((100, 100, 3), np.uint8))
    subject = by_name('one', nn.Linear(1, 1), (32, 48), [frame])
    assert subject.images[0].shape == (1, 3, 32, 48)
    assert subject.photos[0].shape == (32, 48, 3)
