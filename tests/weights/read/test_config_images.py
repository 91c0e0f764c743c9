"""The text of a config is read for what it says about images, and never run."""

from pathlib import Path

import pytest
from mmengine.config import Config

from vitbackbones.backbones.preprocessing import named_config
from vitbackbones.weights.read.config_images import config_images

CROP = (
    'test_dataloader = dict(dataset=dict(pipeline=[dict(type="ResizeEdge", scale={scale}), '
    'dict(type="CenterCrop", crop_size={size})]))'
)
LISTED = 'dict(mean=[0, 51, 255], std=[51, 51, 51])'


def test_the_text_that_mmengine_keeps_says_what_the_config_says():
    text = Config.fromfile('cls_tnt_s_imagenet').pretty_text
    said, known = config_images(text), named_config('tnt_s')
    assert said['mean'] == pytest.approx(known['mean'])
    assert said['std'] == pytest.approx(known['std'])
    assert (said['crop_pct'], said['interpolation']) == (224 / 248, 'bicubic')


@pytest.mark.parametrize(
    'text', [f'data_preprocessor = {LISTED}', f'model = dict(data_preprocessor={LISTED})']
)
def test_mean_and_deviation_are_for_pixels_up_to_1(text):
    assert config_images(text) == {'mean': (0, 0.2, 1), 'std': (0.2, 0.2, 0.2)}


@pytest.mark.parametrize(
    'text',
    [
        '',
        'model = (',
        f'model = {"[" * 5000}{"]" * 5000}',
        'model = dict(data_preprocessor=dict(mean=[1, 2], std=None))',
        'test_dataloader = dict(dataset=dict(pipeline=[dict(type="ResizeEdge", scale=0), 3]))',
        'test_dataloader = dict(dataset=dict(pipeline=dict(type="CenterCrop")))',
        'test_dataloader = dict(dataset=dict(pipeline=[dict(type=[1])]))',
        'model = dict(data_preprocessor={[1]: 2})',
        'model = dict(data_preprocessor=dict(mean=[1e999, 1, 1], std=[1, 1, 1]))',
        'model = dict(data_preprocessor=dict(mean=[1, 1, 1], std=[0, 1, 1]))',
        CROP.format(scale=8, size=-8),
        CROP.format(scale=10**9, size=1),
    ],
)
def test_what_is_not_said_is_left_out(text):
    assert config_images(text) == {}


def test_nothing_is_run(tmp_path):
    place = tmp_path / 'made'
    touch = f'__import__("pathlib").Path({str(place)!r}).touch()'
    assert config_images(f'{touch}\nmodel = dict(data_preprocessor={touch})') == {}
    assert not Path(place).exists()


def test_a_text_that_takes_minutes_to_parse_is_left_alone():
    """f'{a}{a}...' takes time that grows with the square of its length."""
    text = 'data_preprocessor = dict(mean=[0, 51, 255], std=[51, 51, 51])\n'
    assert config_images(text + "model = f'" + '{a}' * 300_000 + "'") == {}
    assert config_images(f'{text}# {"a" * 100_000}') != {}
