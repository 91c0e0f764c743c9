"""TNT: equality with its equations, and what is special to two levels."""

import pytest
import torch
from torch.nn import functional as F

from tests.reference.tnt import tnt
from tests.small_backbones import away, image
from vitbackbones.backbones import TNT
from vitbackbones.backbones.tnt import TNTBlock

ARCH = {'embed_dims': 48, 'depth': 3, 'num_heads': 3, 'inner_dims': 12, 'inner_heads': 2}
FORMS = {
    'published': {},
    'legacy': {'stem': 'conv', 'projection': 'pixel'},
    'squeeze-excite': {'se': True},
    'one inner block': {'inner_blocks': (1,)},
    'no inner block': {'inner_blocks': ()},
    'bias': {'qkv_bias': True},
    'first version': {'projection': 'plain', 'init': 'zeros'},
    'no positions': {'patch_position': False, 'pixel_position': False},
    'small pixels': {'pixels': 2},
    'large pixels': {'pixels': 8, 'stem': 'conv'},
}


def make(**options):
    """A small TNT whose parameters are all away from their initial zeros and ones."""
    torch.manual_seed(0)
    return away(TNT(**{'arch': ARCH, 'img_size': (64, 96), **options}))


def reference(model, x):
    form = {'stem': model.pixel_embed.stem, 'pixels': model.pixel_embed.proj.stride[0]}
    projections = [block.to_patch for block in model.blocks if block.to_patch is not None]
    form['projection'] = projections[0].form if projections else 'patch'
    return tnt(dict(model.named_parameters()), x, heads=3, inner_heads=2, **form)


@pytest.mark.parametrize('form', FORMS)
def test_every_form_equals_its_equations(form):
    model, x = make(**FORMS[form]), image()
    expected = reference(model, x)
    (found,) = model(x)
    as_map = expected[:, 1:].transpose(1, 2).reshape(2, 48, 4, 6)
    torch.testing.assert_close(found, as_map, atol=2e-5, rtol=1e-5)
    for out_type, vector in (('cls_token', expected[:, 0]), ('pooled', expected[:, 1:].mean(1))):
        model.out_type = out_type
        torch.testing.assert_close(model(x)[0], vector, atol=2e-5, rtol=1e-5)


def test_stochastic_depth_drops_patches_inside_and_images_outside():
    settings = {'attention': {'type': 'DotProductAttention'}}
    settings['shortcut'] = {'type': 'IdentityShortcut'}
    block = TNTBlock(
        4,
        {'embed_dims': 12, 'num_heads': 2, **settings},
        {'embed_dims': 48, 'num_heads': 3, **settings},
        'patch',
        mlp_ratio=4,
        drop_path_rate=0.5,
    ).train()
    torch.manual_seed(0)
    pixels = torch.randn(1, 16, 12).expand(8 * 6, -1, -1)
    inner = block.inner(pixels, (4, 4)).unflatten(0, (8, 6))
    assert all(len(one.unique(dim=0)) > 1 for one in inner)  # patches of an image fare differently
    outer = block.outer(torch.randn(1, 1, 48).expand(32, 7, -1), (2, 3))
    assert all(len(one.unique(dim=0)) == 1 for one in outer)  # tokens of an image fare alike
    assert len(outer.unique(dim=0)) == 4  # both branches kept, one of them, none


@torch.no_grad()
def test_pooled_maps_have_stride_32():
    model = make()
    full = model(image(80, 96))[0]
    model.pool = 2
    halved = model(image(80, 96))[0]
    torch.testing.assert_close(halved[:, :, :2], F.avg_pool2d(full[:, :, :4], 2))
    torch.testing.assert_close(halved[:, :, 2], F.avg_pool1d(full[:, :, 4], 2))  # a cut cell
    assert make(pool=2).out_strides == (32,)


@pytest.mark.parametrize(
    'option',
    [
        {'stem': 'none'},
        {'projection': 'noah'},
        {'inner_blocks': (3,)},
        {'patch_size': 14},
        {'pixels': 3},
        {'init': 'random'},
        {'init': 'zeros', 'inner_blocks': ()},
    ],
    ids=str,
)
def test_bad_options_are_refused_by_name(option):
    with pytest.raises(ValueError, match=next(iter(option))):
        make(**option)
