"""Windows over an image, against mmseg's own."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from mmseg.models import EncoderDecoder

from vitbackbones.errors import InputError
from vitbackbones.runtime.preparing import require_few, slide


def net(x):
    """Mix pixels of a window (N, 3, h, w), so that its border matters."""
    return torch.cat([x.cumsum(-1), x.flip(-1, -2).cumsum(-2)], 1)


@pytest.mark.parametrize('size', [(8, 8), (19, 23), (8, 30), (5, 11)])
def test_logits_are_those_of_mmseg(size):
    images = torch.randn(2, 3, *size)
    model = SimpleNamespace(
        test_cfg=SimpleNamespace(stride=(5, 6), crop_size=(8, 8)),
        out_channels=6,
        encode_decode=lambda x, metas: net(x),
    )
    expected = EncoderDecoder.slide_inference(model, images, [{}])
    run = lambda x: net(torch.from_numpy(x)).numpy()  # noqa: E731
    found = slide(run, images.numpy(), (8, 8), (5, 6), fill=False)
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-6, atol=1e-6)


def test_images_of_bytes_have_their_channels_last():
    images = np.random.default_rng(0).integers(0, 255, (1, 9, 12, 3), np.uint8)
    found = slide(lambda x: x.transpose(0, 3, 1, 2).astype(np.float32), images, (4, 4), (3, 3))
    np.testing.assert_allclose(found, images.transpose(0, 3, 1, 2), rtol=1e-6)


@pytest.mark.parametrize('shape', [(3, 400, 300), (400, 300, 3)])
def test_windows_without_end_are_refused(shape):
    """A card may ask for a window at each pixel, which would take hours for a photograph."""
    image = np.zeros(shape, np.float32 if shape[0] == 3 else np.uint8)
    require_few(image, (16, 16), (4, 4))
    with pytest.raises(InputError, match='its 300 x 400 pixels require 109725 windows'):
        require_few(image, (16, 16), (1, 1))
