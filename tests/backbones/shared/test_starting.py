"""Checkpoints of three channels for images of others."""

import logging
import re

import pytest
import torch

from tests.conftest import REPRESENTATIVES, shallow
from vitbackbones import create_model
from vitbackbones.backbones.names import MODELS
from vitbackbones.backbones.shared.starting import adapt_channels
from vitbackbones.errors import InputError


def make(name, channels, **options):
    arch = shallow(MODELS[name][0])
    return create_model(name, 3, arch=arch, img_size=32, in_chans=channels, **options).eval()


# all but those whose stems begin with a norm
NAMES = [name for name in REPRESENTATIVES if not re.search('t2t|simple_vit|msf_vit', name)]


@pytest.mark.parametrize('name', sorted(NAMES))
@torch.no_grad()
def test_one_channel_is_answered_as_three_times_the_same_and_six_as_both_halves(
    name, tmp_path, caplog
):
    caplog.set_level(logging.INFO, 'vitbackbones')
    three, image = make(name, 3), torch.randn(1, 3, 32, 32)
    torch.save(three.state_dict(), tmp_path / 'three.pth')
    one = make(name, 1, checkpoint=tmp_path / 'three.pth')
    assert 'adapted from 3 channels to 1' in caplog.text
    gray = image[:, :1]
    assert torch.allclose(one(gray), three(gray.expand(-1, 3, -1, -1)), atol=1e-5)
    six = make(name, 6)
    six.load_state_dict(three.state_dict())
    assert torch.allclose(six(image.repeat(1, 2, 1, 1)), three(image), atol=1e-5)


@pytest.mark.parametrize('channels', [1, 2, 5])
def test_convolutions_become_those_of_timm(channels):
    manipulate = pytest.importorskip('timm.models._manipulate')
    weight = torch.randn(4, 3, 2, 2)
    assert torch.equal(
        adapt_channels(weight, channels), manipulate.adapt_input_conv(channels, weight)
    )


@pytest.mark.parametrize(('stored', 'wanted'), [(4, 3), (2, 1)])
def test_other_than_three_channels_are_not_adapted(stored, wanted, tmp_path):
    torch.save(make('deit_ti', stored).state_dict(), tmp_path / 'other.pth')
    with pytest.raises(InputError, match=f'48, {stored}, 16, 16. for .48, {wanted}, 16, 16.'):
        make('deit_ti', wanted, checkpoint=tmp_path / 'other.pth')
