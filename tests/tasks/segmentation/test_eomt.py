"""EoMT in mmseg: its losses and its answers, whole and in windows."""

from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from mmengine.config import Config
from mmengine.registry import DefaultScope
from mmengine.structures import PixelData
from mmseg.registry import MODELS
from mmseg.structures import SegDataSample
from mmseg.utils import register_all_modules

from tests.small_backbones import away, image, small
from vitbackbones.errors import OptionError

pytestmark = pytest.mark.compat
BASES = Path(__file__).parents[3] / 'configs' / '_base_' / 'models'


def build(backbone='ViT', test_cfg=None, **head):
    register_all_modules(init_default_scope=False)
    model = Config.fromfile(BASES / 'eomt_small.py').model
    model.backbone = small(backbone)
    model.test_cfg = test_cfg or {'mode': 'whole'}
    model.decode_head.update({'in_channels': 128, 'stride': 16} | head)
    torch.manual_seed(0)
    with DefaultScope.overwrite_default_scope('mmseg'):
        return MODELS.build(model)


def sample(labels):
    shape = tuple(labels.shape[1:])
    truth = SegDataSample(metainfo={'img_shape': shape, 'pad_shape': shape})
    truth.gt_sem_seg = PixelData(data=labels)
    return truth


@torch.no_grad()
@pytest.mark.parametrize('size', [(64, 96), (50, 70)], ids=str)
def test_a_pixel_has_the_sum_of_what_the_queries_say(size):
    model = away(build())
    x = image(*size)
    (scores,), (masks,) = model.decode_head(model.extract_feat(x))
    shares = scores.softmax(-1)[..., :4]  # without no object
    pixels = F.interpolate(masks, size, mode='bilinear').sigmoid()
    wanted = sum(shares[:, i, :, None, None] * pixels[:, i, None] for i in range(20))
    found = torch.stack([each.seg_logits.data for each in model.predict(x)])
    torch.testing.assert_close(found, wanted)


@torch.no_grad()
def test_windows_of_padded_images_have_the_size_of_a_window():
    windows = {'mode': 'slide', 'crop_size': (64, 64), 'stride': (32, 32)}
    model = away(build(test_cfg=windows))
    x = image(64, 96, 1)
    meta = {'ori_shape': (60, 90), 'img_shape': (60, 90), 'pad_shape': (64, 96)}
    meta['padding_size'] = [0, 6, 0, 4]
    (answer,) = model.predict(x, [SegDataSample(metainfo=meta)])
    left, right = (model.encode_decode(x[..., i : i + 64], [meta]) for i in (0, 32))
    found = answer.seg_logits.data
    assert found.shape == (4, 60, 90)
    torch.testing.assert_close(found[..., :32], left[0, :, :60, :32])
    torch.testing.assert_close(
        found[..., 32:64], (left[0, :, :60, 32:] + right[0, :, :60, :32]) / 2
    )


def test_each_class_of_an_image_is_a_mask_and_ignored_pixels_are_in_none():
    labels = torch.full((1, 8, 8), 255)
    labels[0, :2] = 3
    labels[0, 4, 4] = 0
    truth = build().decode_head.masks_of(labels)
    assert truth.labels.tolist() == [0, 3]
    assert truth.masks.sum((1, 2)).tolist() == [1, 16]
    assert truth.masks[1, :2].all()


@pytest.mark.parametrize('backbone', ['ViT', 'SimpleViT', 'TNT'])
def test_losses_reach_everything_also_where_all_pixels_are_ignored(backbone):
    model = build(backbone).train()
    labels = torch.full((2, 64, 96), 255)
    labels[0, :30] = 1
    labels[0, 30:] = 2
    losses = model.loss(image(), [sample(each[None]) for each in labels])
    assert all(value.isfinite() for value in losses.values())
    sum(losses.values()).backward()
    missing = [name for name, x in model.named_parameters() if x.requires_grad and x.grad is None]
    assert missing == []
    empty = [sample(torch.full((1, 64, 96), 255)) for _ in range(2)]
    assert all(value.isfinite() for value in model.loss(image(), empty).values())


def test_the_head_has_a_norm_where_the_backbone_has_none():
    assert isinstance(build('SimpleViT').decode_head.norm, torch.nn.LayerNorm)
    assert isinstance(build('ViT').decode_head.norm, torch.nn.Identity)


def test_one_class_is_refused():
    with pytest.raises(OptionError, match='num_classes=1: count the ground, too; at least 2'):
        build(num_classes=1)
