"""DeiT's distillation token: timm's function, and nothing of it in maps."""

import pytest
import torch

from tests.small_backbones import image
from tests.weights.convert.random_weights import assert_same_logits, randomize
from vitbackbones import create_model
from vitbackbones.backbones import ViT
from vitbackbones.errors import OptionError
from vitbackbones.weights.filling import load_pretrained

ARCH = {'base': 'ti', 'depth': 2}


def published():
    """timm's distilled DeiT-Ti at 64 pixels, two blocks deep, with random weights."""
    timm = pytest.importorskip('timm')
    name = 'deit_tiny_distilled_patch16_224'
    return randomize(timm.create_model(name, img_size=64, depth=2, num_classes=7))


def test_a_distilled_deit_is_timms(tmp_path):
    model = create_model('deit_ti_distilled', 7, img_size=64, arch=ARCH)
    assert_same_logits(published(), model, tmp_path, 'deit')


@torch.no_grad()
@pytest.mark.parametrize('with_dist_token', [True, False])
def test_maps_hold_patches_alone(tmp_path, with_dist_token):
    theirs = published()
    torch.save(theirs.state_dict(), tmp_path / 'deit.pth')
    backbone = ViT(ARCH, img_size=64, with_dist_token=with_dist_token).eval()
    load_pretrained(backbone, tmp_path / 'deit.pth')
    tokens = theirs.forward_features(image(64, 64))[:, 2:]
    same = torch.allclose(backbone(image(64, 64))[0].flatten(2).mT, tokens, atol=1e-5)
    assert same is with_dist_token  # patches attend to the token: without it they differ


@torch.no_grad()
def test_both_tokens_keep_their_codes_at_another_size(tmp_path):
    theirs = published()
    torch.save(theirs.state_dict(), tmp_path / 'deit.pth')
    larger = ViT(ARCH, img_size=96, with_dist_token=True, out_type='cls_dist_tokens').eval()
    load_pretrained(larger, tmp_path / 'deit.pth')
    assert larger.pos_embed.shape == (1, 2 + 36, 192)
    assert torch.equal(larger.pos_embed[:, :2], theirs.pos_embed[:, :2])
    assert larger(image(64, 64))[0].shape == (2, 2, 192)


def test_tokens_that_are_not_there_are_not_returned(make_backbone):
    with pytest.raises(OptionError, match='this backbone has no distillation token'):
        make_backbone(out_type='cls_dist_tokens')


def test_a_distillation_token_comes_behind_a_class_token():
    with pytest.raises(OptionError, match='requires with_cls_token=True'):
        ViT(ARCH, with_cls_token=False, with_dist_token=True)
