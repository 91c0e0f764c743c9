"""A model that is built without weights runs an image, or says why it does not."""

import pytest
import torch
from mmengine.config import Config
from torch import nn

from benchmarks.openmmlab_forward import META, ZEROS, forward, side_of
from vitbackbones.openmmlab.on_meta import OnMeta

pytestmark = pytest.mark.compat
CONFIG = Config({'model': {'backbone': {}}})


class Plain(nn.Module):
    """Runs without numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Conv2d(3, 4, 3)
        self.scale = torch.ones(4, 1, 1)  # no buffer

    def forward(self, image, mode):
        return self.layer(image) * self.scale


class Selecting(Plain):
    """Reads numbers."""

    def forward(self, image, mode):
        found = super().forward(image, mode)
        return found[found >= 0].tolist()


class Large(Plain):
    """Needs a large image."""

    def forward(self, image, mode):
        assert image[0, 0, 0, 0].item() == 0
        if image.shape[-1] < 300:
            raise ValueError('too small')


class Failing(Plain):
    """Needs more than an image."""

    def forward(self, image, mode):
        raise AssertionError


@pytest.mark.parametrize(
    ('kind', 'outcome'),
    [
        (Plain, META),
        (Selecting, ZEROS),
        (Large, ZEROS),
        (Failing, 'AssertionError: raise AssertionError'),
    ],
)
def test_how_a_model_runs(kind, outcome):
    with OnMeta():
        model = kind()
    assert forward(model, CONFIG) == outcome


def test_a_backbone_tells_the_side_of_its_images():
    assert side_of(CONFIG.model) == 0
    assert side_of({'backbone': {'img_size': (384, 512)}}) == 512
    assert side_of({'backbone': {'img_size': 224}}) == 224
