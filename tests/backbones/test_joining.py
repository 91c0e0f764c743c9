"""Plain networks that stop before their last blocks, and what other tokens change there."""

import pytest
import torch

from tests.small_backbones import away, image
from vitbackbones.backbones import TNT, AugT2T, AugViT, MSFViT, SimpleViT, ViT
from vitbackbones.backbones.shared.joining import require_joinable
from vitbackbones.weights.filling import load_pretrained

ARCH = {'embed_dims': 32, 'depth': 4, 'num_heads': 2}
HOSTS = {
    'ViT': lambda: ViT(ARCH, with_dist_token=True),
    'AugViT': lambda: AugViT(ARCH),
    'SimpleViT': lambda: SimpleViT(ARCH),
    'MSFViT': lambda: MSFViT(ARCH),
    'AugT2T': lambda: AugT2T(ARCH),
    'TNT': lambda: TNT({**ARCH, 'inner_dims': 8, 'inner_heads': 2}),
    'twice': lambda: ViT(ARCH, recursion={'passes': 2, 'nll_ratio': 1.0}),
    'sweeps': lambda: ViT(ARCH, recursion={'passes': 2, 'loop': 'external'}),
}
TIMM = {
    'vit_tiny_patch16_224': {},
    'vit_small_patch14_reg4_dinov2': {'img_size': 56},
    'vit_small_patch16_dinov3': {},
    'vit_small_patch16_rope_mixed_ape_224': {'img_size': 64},
    'deit_tiny_distilled_patch16_224': {},
}


def timm_network(name):
    pytest.importorskip('timm')
    from vitbackbones.backbones.foreign.timm_models import Timm

    return Timm(name, final_norm=True, **TIMM[name])


def finished(first, others=0):
    """Run the last blocks with random tokens in front, which the network's own cannot see."""
    x = first.tokens
    if others:
        x = torch.cat([torch.randn(len(x), others, x.shape[2]), x], 1)
    bias = torch.zeros(1, 1, x.shape[1], x.shape[1])
    bias[..., others:, :others] = float('-inf')
    for block in first.blocks:
        x = block(x, bias if others else None)
    assert x.shape[1] == first.tokens.shape[1] + others
    h, w = first.size
    return first.norm(x)[:, -h * w :].transpose(1, 2).unflatten(2, (h, w))


@torch.no_grad()
@pytest.mark.parametrize('name', [*HOSTS, *TIMM])
def test_the_network_is_the_whole_one_if_it_does_not_see_other_tokens(name):
    network = away(HOSTS[name]() if name in HOSTS else timm_network(name))
    assert require_joinable(network, 3) is network.run_first(image(), 3).norm
    for height, width in ((64, 96), (50, 61)):
        x = image(height, width)
        first = network.run_first(x, 3)
        assert first.image_size == (height, width)
        assert len(first.blocks) == 3
        (whole,) = network(x)
        for others in (0, 5):
            found = finished(network.run_first(x, 3), others)[
                ..., : whole.shape[2], : whole.shape[3]
            ]
            torch.testing.assert_close(found, whole, rtol=1e-4, atol=1e-4)


def test_weights_for_patches_of_14_pixels_fill_patches_of_16(tmp_path):
    timm = pytest.importorskip('timm')
    from vitbackbones.backbones.foreign.timm_models import Timm

    name = 'vit_small_patch14_reg4_dinov2'
    published = timm.create_model(name, img_size=56, num_classes=0)
    torch.save(published.state_dict(), tmp_path / 'published.pth')
    network = Timm(name, img_size=64, final_norm=True, settings={'patch_size': 16})
    load_pretrained(network, tmp_path / 'published.pth')
    kernel = network.net.patch_embed.proj.weight
    assert network.out_strides == (16,)
    assert kernel.shape == (384, 3, 16, 16)
    assert torch.equal(network.net.reg_token, published.reg_token)
    assert kernel.mean().item() == pytest.approx(
        published.patch_embed.proj.weight.mean().item(), abs=1e-3
    )


@torch.no_grad()
def test_images_are_cast_to_the_type_of_the_weights():
    network = ViT(ARCH).eval().bfloat16()
    assert network.run_first(image(), 2).tokens.dtype == torch.bfloat16
