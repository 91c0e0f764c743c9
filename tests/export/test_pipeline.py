"""The plain steps of a card make the very input that a config's own pipeline makes."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from mmengine.config import Config
from mmengine.dataset import Compose, pseudo_collate
from mmengine.registry import MODELS, DefaultScope

from vitbackbones.backbones.preprocessing import named_config, transform
from vitbackbones.configuration.read import read_config
from vitbackbones.configuration.settings import model_settings
from vitbackbones.errors import InputError
from vitbackbones.export.pipeline import (
    _fixed,
    _plain,
    native_size,
    one_size,
    steps_of,
    steps_of_data,
)
from vitbackbones.runtime.card import require_steps
from vitbackbones.runtime.preparing import prepare
from vitbackbones.tasks.predictor import steps_after_loading

from ..runtime.cards import make_card

# one config for each kind of test pipeline and data preprocessor
CONFIGS = (
    'mask2former_panoptic_swin_t_coco',
    'dino_aug_pvt_s_coco',
    'cls_t2t_14_imagenet',
    'cls_msf_swin_s_300e_imagenet',
    'cls_deit_ti_shapes',
    'semantic_fpn_pvt_s_ade20k',
    'upernet_aug_vit_s_ade20k',
    'setr_mla_deit_s_ade20k',
)


def picture(height, width):
    """Waves of colors with noise on them, as photographs have."""
    rows, columns = np.mgrid[:height, :width][..., None] / 8  # (H, W, 1) each
    waves = 110 * (1 + np.sin(rows + columns * [1, 2, 3]))
    noise = np.random.default_rng(0).integers(0, 30, (height, width, 3))
    return (waves + noise).astype(np.uint8)


def card_of(config, size=None):
    settings = model_settings(config)['data_preprocessor']
    given = replace(make_card().input, mean=settings['mean'], std=settings['std'])
    return make_card(input=given, steps=steps_of(config, size))


def pipeline_input(config, pixels):
    """Return what the toolbox makes of a picture, (3, H, W)."""
    kind = {'mmpretrain': {'type': 'ClsDataPreprocessor'}}.get(config.default_scope, {})
    shape = pixels.shape[:2]
    about = {'img_path': 'x.png', 'img_id': 0, 'img_shape': shape, 'ori_shape': shape}
    with DefaultScope.overwrite_default_scope(config.default_scope):
        sample = Compose(steps_after_loading(config))({'img': pixels} | about)
        preprocess = MODELS.build(kind | dict(model_settings(config)['data_preprocessor']))
        return preprocess(pseudo_collate([sample]))['inputs'][0].numpy()


@pytest.mark.parametrize('name', CONFIGS)
def test_steps_make_the_input_of_the_pipeline(name):
    config = read_config(name)
    card = card_of(config)
    require_steps(card.steps, name)
    for shape in ((97, 130), (131, 64)):
        pixels = picture(*shape)
        prepared = prepare(pixels, card)
        np.testing.assert_array_equal(prepared.image, pipeline_input(config, pixels))
        assert prepared.original == shape


@pytest.mark.parametrize('name', ['detr_aug_vit_s_coco', 'mask_rcnn_pvt_s_coco'])
def test_detectors_get_no_padding_which_their_graphs_add(name):
    steps = steps_of(read_config(name))
    assert [step['type'] for step in steps] == ['resize_within']


def test_a_fixed_size_is_reached_by_padding_where_the_ratio_is_kept():
    card = card_of(read_config('detr_aug_vit_s_shapes'), (96, 160))
    prepared = prepare(picture(50, 50), card)
    assert prepared.image.shape == (3, 96, 160)
    assert prepared.shape == (96, 96)
    assert not prepared.image[:, :, 96:].any()
    assert prepared.image[:, :, :96].all()


def test_a_crop_of_another_size_holds_as_large_a_part():
    wide = steps_of(read_config('cls_t2t_14_imagenet'), (112, 224))
    assert [step['size'] for step in wide] == [[124, 248], [112, 224]]
    square = steps_of(read_config('cls_t2t_14_imagenet'), (112, 112))
    assert square[0]['length'] == 124
    assert square[1]['size'] == [112, 112]


def test_windows_slide_in_their_own_size_alone():
    config = read_config('setr_mla_deit_s_ade20k')
    assert steps_of(config, (512, 512))[-1] == {
        'type': 'slide',
        'crop': [512, 512],
        'stride': [341, 341],
    }
    with pytest.raises(InputError, match='use --size 512x512'):
        steps_of(config, (256, 256))


@pytest.mark.parametrize(
    ('step', 'message'),
    [
        ({'type': 'Flip'}, 'Flip of the test pipeline cannot be exported; supported'),
        ({'type': 'Resize', 'scale_factor': 2}, 'cannot be exported with scale_factor'),
    ],
)
def test_other_steps_are_refused_by_name(step, message):
    pipeline = [{'type': 'LoadImageFromFile'}, step]
    config = Config({'test_dataloader': {'dataset': {'pipeline': pipeline}}, 'model': {}})
    with pytest.raises(InputError, match=message):
        steps_of(config)


@pytest.mark.parametrize('name', ['deit_ti', 'swin_t'])
def test_models_by_name_get_the_images_of_their_transform(name):
    from PIL import Image

    data = named_config(name)
    mean, std = ([255 * value for value in data[key]] for key in ('mean', 'std'))
    given = replace(make_card().input, mean=mean, std=std)
    card = make_card(input=given, steps=steps_of_data(data))
    pixels = picture(97, 130)
    expected = transform(name)(Image.fromarray(pixels[..., ::-1].copy()))
    prepared = torch.from_numpy(prepare(pixels, card).image)
    torch.testing.assert_close(prepared, expected, rtol=0, atol=2e-6)


WITHIN = {'type': 'resize_within', 'longer': 1333, 'shorter': 800}
EDGE = {'type': 'resize_edge', 'length': 256, 'edge': 'short'}
CROP = {'type': 'center_crop', 'size': [224, 200]}


@pytest.mark.parametrize(
    ('steps', 'size'),
    [
        ([], None),
        ([{'type': 'resize', 'size': [30, 40]}], (30, 40)),
        ([WITHIN], (800, 1066)),
        ([WITHIN | {'longer': 900}], (800, 900)),
        ([EDGE], (256, 256)),
        ([EDGE, CROP], (224, 200)),
        ([WITHIN, {'type': 'pad_to_multiple', 'divisor': 32}], (800, 1088)),
        ([{'type': 'resize_to_multiple', 'divisor': 32}], None),
        ([WITHIN, {'type': 'pad_pixels', 'size': [9, 9]}], (800, 1066)),
        ([WITHIN, {'type': 'slide', 'crop': [512, 256], 'stride': [9, 9]}], (512, 256)),
    ],
)
def test_the_size_that_a_model_was_tested_with(steps, size):
    assert native_size(steps) == size


@pytest.mark.parametrize(
    ('steps', 'size'),
    [
        ([{'type': 'resize', 'size': [30, 40]}], (30, 40)),
        ([{'type': 'resize', 'size': [30, 40]}, {'type': 'pad', 'size': [64, 64]}], (64, 64)),
        ([EDGE, CROP], (224, 200)),
        ([WITHIN], None),
        ([CROP, {'type': 'slide', 'crop': [9, 9], 'stride': [9, 9]}], None),
        ([], None),
    ],
)
def test_the_size_that_all_pictures_get(steps, size):
    assert one_size(steps) == size


HOW = {'interpolation': 'bicubic', 'backend': 'pillow'}


@pytest.mark.parametrize(
    ('step', 'plain'),
    [
        ({'type': 'Resize', 'scale': (40, 30), **HOW}, {'type': 'resize', 'size': [30, 40], **HOW}),
        ({'type': 'Resize', 'scale': 40}, {'type': 'resize', 'size': [40, 40]}),
        (
            {'type': 'Resize', 'scale': (30, 40), 'keep_ratio': True},
            {'type': 'resize_within', 'longer': 40, 'shorter': 30},
        ),
        ({'type': 'ResizeEdge', 'scale': 9}, {'type': 'resize_edge', 'length': 9, 'edge': 'short'}),
        ({'type': 'ResizeToMultiple'}, {'type': 'resize_to_multiple', 'divisor': 32}),
        (
            {'type': 'ResizeToMultiple', 'size_divisor': 16},
            {'type': 'resize_to_multiple', 'divisor': 16},
        ),
        ({'type': 'CenterCrop', 'crop_size': 8}, {'type': 'center_crop', 'size': [8, 8]}),
        (
            {'type': 'Pad', 'size_divisor': 32},
            {'type': 'pad_pixels', 'multiple': 32, 'value': 0},
        ),
        (
            {'type': 'Pad', 'size': (40, 30), 'pad_val': {'img': (1, 2, 3), 'seg': 255}},
            {'type': 'pad_pixels', 'size': [30, 40], 'value': [1, 2, 3]},
        ),
        (
            {'type': 'Pad', 'pad_to_square': True, 'pad_val': {'img': (114.0,) * 3}},
            {'type': 'pad_pixels', 'square': True, 'multiple': 1, 'value': [114.0] * 3},
        ),
        (
            {'type': 'Pad', 'size': (40, 30), 'pad_val': {'seg': 255}},
            {'type': 'pad_pixels', 'size': [30, 40], 'value': 0},
        ),
    ],
)
def test_the_plain_form_of_a_step(step, plain):
    assert _plain(step['type'], step, Config({})) == plain


@pytest.mark.parametrize(
    ('steps', 'size', 'fixed'),
    [
        ([], (32, 48), [{'type': 'resize', 'size': [32, 48]}]),
        (
            [{'type': 'resize', 'size': [9, 9], **HOW}, {'type': 'pad', 'size': [9, 9]}],
            (32, 48),
            [{'type': 'resize', 'size': [32, 48], **HOW}],
        ),
        (
            [WITHIN | HOW],
            (32, 48),
            [{'type': 'resize_into', 'size': [32, 48], **HOW}, {'type': 'pad', 'size': [32, 48]}],
        ),
        (
            [WITHIN, {'type': 'pad_pixels', 'size': [9, 9], 'value': 114}],
            (32, 48),
            [
                {'type': 'resize_into', 'size': [32, 48]},
                {'type': 'pad', 'size': [32, 48], 'value': 114},
            ],
        ),
        (
            [EDGE, CROP | {'size': [224, 224]}],
            (112, 112),
            [EDGE | {'length': 128}, {'type': 'center_crop', 'size': [112, 112]}],
        ),
        (
            [EDGE | HOW, CROP | {'size': [224, 224]}],
            (112, 56),
            [
                {'type': 'resize_over', 'size': [128, 64], **HOW},
                {'type': 'center_crop', 'size': [112, 56]},
            ],
        ),
        (
            [{'type': 'resize', 'size': [256, 128]}, CROP | {'size': [224, 112]}],
            (112, 56),
            [{'type': 'resize', 'size': [128, 64]}, {'type': 'center_crop', 'size': [112, 56]}],
        ),
    ],
)
def test_steps_that_end_in_a_fixed_size(steps, size, fixed):
    assert _fixed(steps, size) == fixed


def test_a_crop_after_steps_of_other_kinds_keeps_its_size():
    steps = [WITHIN, CROP | {'size': [224, 224]}]
    assert _fixed(steps, (224, 224)) == steps
    padded = [{'type': 'pad_pixels', 'size': [256, 256], 'value': 0}, steps[1]]
    assert _fixed(padded, (224, 224)) == padded
    for given, kind in ((steps, 'resize_within'), (padded, 'pad_pixels')):
        with pytest.raises(InputError, match=f'after {kind}, .*; use --size 224x224'):
            _fixed(given, (112, 112))
