"""SETR's heads against an independent forward, at any size, and in training."""

import pytest
import torch
import torch.nn.functional as F

from tests.reference import setr as reference
from tests.tasks.segmentation.setr import CLASSES, HEADS, KINDS, build, sample
from vitbackbones.backbones import PVT, SReT
from vitbackbones.backbones.shared.options import published_indices
from vitbackbones.tasks.segmentation.setr import MLANeck, SETRNaiveHead, change_stride
from vitbackbones.weights.filling import load_pretrained

pytestmark = pytest.mark.compat


def published(kind, grid, folder):
    """A model with random weights that were read from a file in the released layout."""
    state = reference.published_state(kind, grid=grid)
    torch.save({'meta': {}, 'state_dict': state}, folder / 'released.pth')
    model = build(kind, grid)
    load_pretrained(model, folder / 'released.pth')
    return model, state


def image(height, width):
    return torch.randn(2, 3, height, width, generator=torch.Generator().manual_seed(1))


def predictions(model, x):
    """Logits at the size of the image: main head and auxiliary heads."""
    maps = model.extract_feat(x)
    metas = [{'img_shape': tuple(x.shape[2:])}]
    heads = [model.decode_head, *model.auxiliary_head.heads]
    return [head.predict(maps, metas, None) for head in heads]


@torch.no_grad()
@pytest.mark.parametrize('training', [False, True], ids=['eval', 'train'])
@pytest.mark.parametrize('kind', KINDS)
def test_heads_compute_the_published_function(kind, training, tmp_path):
    model, state = published(kind, (3, 5), tmp_path)
    x = image(48, 80)
    main, others = reference.logits(state, kind, x, HEADS, training)
    for got, wanted in zip(predictions(model.train(training), x), [main, *others], strict=True):
        torch.testing.assert_close(got, wanted, atol=2e-5, rtol=1e-5)


@torch.no_grad()
@pytest.mark.parametrize('kind', KINDS)
def test_patches_that_hang_over_the_border_are_cut_and_not_squeezed(kind, tmp_path):
    model, state = published(kind, (5, 3), tmp_path)
    x = image(70, 45)
    main, others = reference.logits(state, kind, F.pad(x, (0, 3, 0, 10)), HEADS)
    for got, wanted in zip(predictions(model.eval(), x), [main, *others], strict=True):
        torch.testing.assert_close(got, wanted[..., :70, :45], atol=2e-5, rtol=1e-5)


@pytest.mark.parametrize('kind', KINDS)
def test_losses_are_cross_entropies_at_the_size_of_the_image_and_reach_everything(kind, tmp_path):
    model, state = published(kind, (5, 3), tmp_path)
    x, samples = image(70, 45), [sample(70, 45, seed) for seed in (0, 1)]
    losses = model.train()(x, samples, mode='loss')
    main, others = reference.logits(state, kind, F.pad(x, (0, 3, 0, 10)), HEADS, training=True)
    labels = torch.cat([each.gt_sem_seg.data for each in samples])
    wanted = {'decode.loss_ce': F.cross_entropy(main[..., :70, :45], labels)}
    for i, other in enumerate(others):
        wanted[f'aux.{i}.loss_ce'] = 0.4 * F.cross_entropy(other[..., :70, :45], labels)
    got = {name: value for name, value in losses.items() if 'loss' in name}
    torch.testing.assert_close(got, wanted, atol=2e-5, rtol=1e-5)
    sum(got.values()).backward()
    assert [name for name, p in model.named_parameters() if p.grad is None] == []


def predicted(model):
    """Logits (classes, 41, 70) of an image in which patches hang over the border."""
    return model.predict(image(41, 70)[:1], [sample(41, 70)])[0].seg_logits.data


@torch.no_grad()
@pytest.mark.parametrize('kind', KINDS)
def test_windows_that_cover_the_image_are_tested_in_one_piece(kind):
    model = build(kind).eval()
    whole = predicted(model).clone()
    assert whole.shape == (CLASSES, 41, 70)
    model.test_cfg.update(mode='slide', crop_size=(80, 80), stride=(40, 40))
    torch.testing.assert_close(predicted(model), whole)
    model.test_cfg.update(crop_size=(32, 40), stride=(20, 30))
    assert predicted(model).shape == whole.shape


def test_maps_of_another_stride_are_refused():
    head = SETRNaiveHead(in_channels=8, channels=8, num_classes=3, in_index=0)
    with pytest.raises(ValueError, match='positions does not have stride 16 in an im'):
        head.predict((torch.zeros(1, 8, 2, 3),), [{'img_shape': (64, 96)}], None)
    head.stride = 32
    assert head.predict((torch.zeros(1, 8, 2, 3),), [{'img_shape': (64, 96)}], None).shape[2] == 64


# ---------------------------------------------------------------------------- pyramids


def centers(height, width, stride):
    """Pixel coordinates (1, 2, h, w) of the centers of a map's positions."""
    y, x = ((torch.arange(-(-side // stride)) + 0.5) * stride for side in (height, width))
    return torch.stack(torch.meshgrid(y, x, indexing='ij'))[None]


@pytest.mark.parametrize('old', [4, 8, 16, 32])
def test_a_change_of_stride_keeps_every_position_in_its_place(old):
    wanted = centers(96, 192, 16)
    got = change_stride(centers(96, 192, old), old, 16, (6, 12))
    inner = (..., slice(1, -1), slice(1, -1))  # bilinear steps repeat the outermost positions
    torch.testing.assert_close(got[inner], wanted[inner])


@pytest.mark.parametrize('size', [(96, 192), (33, 129)], ids=str)
def test_a_neck_brings_a_pyramid_to_one_resolution(size):
    strides, widths = (4, 8, 16, 32), (8, 12, 16, 20)
    neck = MLANeck(widths, out_channels=6, in_strides=strides)
    maps = [
        torch.randn(2, c, -(-size[0] // s), -(-size[1] // s), requires_grad=True)
        for c, s in zip(widths, strides, strict=True)
    ]
    outputs = neck(tuple(maps))
    assert {x.shape for x in outputs} == {(2, 6, -(-size[0] // 16), -(-size[1] // 16))}
    outputs[0].square().sum().backward()
    assert all(x.grad.abs().sum() > 0 for x in maps)  # the earliest map sees all later ones
    with pytest.raises(ValueError, match='contain stride=16'):
        MLANeck(widths, in_strides=(4, 8, 32, 64))


# ---------------------------------------------------------------------------- what heads read


def test_a_name_stands_for_the_blocks_of_any_backbone():
    assert published_indices('setr_mla', 24) == (5, 11, 17, 23)
    for name in ('setr_naive', 'setr_pup'):
        assert published_indices(name, 24) == (9, 14, 19, 23)
    assert published_indices('setr_pup', 12) == (4, 7, 9, 11) == reference.INDICES['pup']
    assert published_indices('setr_mla', 3) == (0, 1, 2)
    assert build('pup').backbone.out_indices == reference.INDICES['pup']
    assert SReT('t', out_indices='setr_mla').out_strides == (8, 16, 32)
    with pytest.raises(ValueError, match="'setr_mlaa'; known names: setr_naive, setr_pup, setr_m"):
        PVT('t', out_indices='setr_mlaa')
