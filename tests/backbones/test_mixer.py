"""MLP-Mixer: timm's weights, other grids, and compiled training."""

import pytest
import torch

from tests.small_backbones import away, image
from vitbackbones import create_model
from vitbackbones.backbones import Mixer, RecursiveMixer
from vitbackbones.backbones.mixer import resize_mixing

TINY = {'embed_dims': 24, 'depth': 2, 'patch_size': 16, 'token_dims': 10}


def tiny(cls=Mixer, **options):
    torch.manual_seed(0)
    return away(cls(**{'arch': TINY, 'img_size': 64, **options}))


@torch.no_grad()
def test_takes_timms_weights_as_they_are(tmp_path):
    mixer = pytest.importorskip('timm.models.mlp_mixer')
    torch.manual_seed(0)
    theirs = mixer.MlpMixer(10, 64, embed_dim=48, num_blocks=2, patch_size=16).eval()
    torch.save(theirs.state_dict(), tmp_path / 'timm.pth')
    arch = {'embed_dims': 48, 'depth': 2, 'patch_size': 16, 'token_dims': 24}
    ours = create_model(
        'mixer_b16', 10, checkpoint=tmp_path / 'timm.pth', arch=arch, img_size=64
    ).eval()
    torch.testing.assert_close(ours(image(64, 64)), theirs(image(64, 64)), atol=1e-5, rtol=1e-5)


def test_interpolated_mixing_keeps_sums_over_the_image_and_constant_answers():
    old, new = (4, 4), (7, 5)
    ones = torch.ones(3, 16)
    fc1, fc2, bias = resize_mixing(ones, 2 * ones.T, torch.full((16,), 0.5), old, new)
    assert fc1.shape == (3, 35)
    torch.testing.assert_close(fc1.sum(1), torch.full((3,), 16.0))
    torch.testing.assert_close(fc2, torch.full((35, 3), 2.0))
    torch.testing.assert_close(bias, torch.full((35,), 0.5))


@torch.no_grad()
def test_weights_interpolated_on_load_are_those_interpolated_in_forward():
    before, after = tiny(img_size=64), tiny(img_size=96)
    after.load_state_dict(before.state_dict())
    torch.testing.assert_close(before(image(96, 96)), after(image(96, 96)), atol=1e-5, rtol=1e-5)


def test_weights_of_an_unknown_grid_are_refused():
    wide = tiny(img_size=(64, 96)).state_dict()
    with pytest.raises(ValueError, match='24 positions'):
        tiny().load_state_dict(dict(wide))
    tiny().load_state_dict(wide)  # whose grid is noted beside the weights


@pytest.mark.parametrize(('cls', 'size'), [(Mixer, (64, 64)), (RecursiveMixer, (48, 80))])
def test_compiled_training_has_the_same_gradients(cls, size):
    model = tiny(cls).train()
    compiled = torch.compile(model, fullgraph=True, dynamic=False, backend='aot_eager')
    gradients = []
    for run in (model, compiled):
        loss = sum(x.square().mean() for x in run(image(*size)))
        gradients.append(torch.autograd.grad(loss, list(model.parameters())))
    for a, b in zip(*gradients, strict=True):
        torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-4)
    torch._dynamo.reset()
