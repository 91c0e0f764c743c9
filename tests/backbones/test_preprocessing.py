"""How pictures become images, held against timm."""

import math
import pickle
import sys

import numpy as np
import pytest
import torch
from PIL import Image

from tests.data.natural import photograph
from vitbackbones import create_model, list_models, transform
from vitbackbones.backbones.names import MODELS
from vitbackbones.backbones.preprocessing import named_config
from vitbackbones.configuration.read import read_config
from vitbackbones.errors import InputError, OptionError
from vitbackbones.weights import PUBLISHED

HALF = (0.5, 0.5, 0.5)


def picture(mode='RGB'):
    return Image.fromarray(photograph(200, 300)).convert(mode)


@pytest.mark.parametrize(
    ('name', 'size'), [('aug_vit_s', 224), ('msf_vit_s', 224), ('deit_s', (96, 160))]
)
def test_images_are_those_of_timm(name, size):
    timm_data = pytest.importorskip('timm.data')
    with torch.device('meta'):
        model = create_model(name, img_size=size)
    config = timm_data.resolve_model_data_config(model)
    assert config == model.data_config
    theirs = timm_data.create_transform(**config, is_training=False)(picture())
    assert torch.allclose(transform(model)(picture()), theirs, atol=1e-6)


def test_published_weights_say_it_for_their_model():
    with torch.device('meta'):
        swin, started = create_model('swin_t'), create_model('msf_swin_t')
    assert swin.data_config['crop_pct'] == 0.9
    assert swin.data_config['interpolation'] == 'bicubic'
    assert started.data_config['interpolation'] == 'bilinear'
    assert named_config('mixer_b16')['mean'] == HALF
    assert named_config('deit_b_384')['input_size'] == (3, 384, 384)
    assert named_config('deit_b_384')['crop_pct'] == 1.0


def saved(folder, name, **meta):
    """The file of a run of one's own, which mmengine calls after its last epoch."""
    file = folder / 'epoch_300.pth'
    torch.save({'state_dict': create_model(name).state_dict(), 'meta': meta}, file)
    return file


def test_a_run_of_ones_own_says_it_for_its_network(tmp_path):
    text = """
ratio = 224 / 256
model = dict(data_preprocessor=dict(mean=[255, 0, 51], std=[51, 51, 51], to_rgb=True))
test_dataloader = dict(dataset=dict(pipeline=[
    dict(type='LoadImage'),
    dict(type='ResizeEdge', scale=280, edge='short', interpolation='bilinear'),
    dict(type='CenterCrop', crop_size=224)]))
"""
    file = saved(tmp_path, 'pvt_t', cfg=text)
    config = create_model('pvt_t', checkpoint=file).data_config
    assert (config['mean'], config['std']) == ((1, 0, 0.2), (0.2, 0.2, 0.2))
    assert (config['crop_pct'], config['interpolation']) == (0.8, 'bilinear')


def test_a_file_of_ones_own_does_not_have_the_images_of_published_weights(tmp_path):
    small = {'img_size': 32}
    file = tmp_path / 'mine.pth'
    torch.save(create_model('deit_ti', **small).state_dict(), file)
    assert create_model('deit_ti', checkpoint=file, **small).data_config['crop_pct'] == 0.875
    assert create_model('deit_ti', **small).data_config['crop_pct'] == 0.9  # the table's


NEVER = sorted({MODELS[name][0]: name for name in list_models() if name not in PUBLISHED}.values())


@pytest.mark.parametrize('name', NEVER)
def test_a_model_without_published_weights_has_what_its_config_has(name):
    config, said = read_config(f'cls_{name}_imagenet'), named_config(name)
    images = config.model.data_preprocessor
    assert images.mean == pytest.approx([255 * each for each in said['mean']])
    assert images.std == pytest.approx([255 * each for each in said['std']])
    (resize,) = (step for step in config.test_pipeline if step.type == 'ResizeEdge')
    assert resize.scale == math.floor(224 / said['crop_pct'])
    assert resize.interpolation == said['interpolation']


def test_a_name_stands_for_its_model():
    assert torch.equal(transform('sret_t')(picture()), transform(create_model('sret_t'))(picture()))
    assert named_config('tnt_s_se')['mean'] == HALF
    with pytest.raises(OptionError, match="unknown model 'sret_x'; did you mean 'sret_"):
        transform('sret_x')


@pytest.mark.parametrize('mode', ['L', 'RGBA', 'P', 'CMYK'])
def test_pictures_of_every_kind_are_taken(mode):
    shown = picture(mode)
    assert torch.equal(transform('sret_t')(shown), transform('sret_t')(shown.convert('RGB')))
    with torch.device('meta'):
        gray = create_model('sret_t', in_chans=1)
    assert transform(gray)(shown).shape == (1, 224, 224)


@pytest.mark.parametrize('given', ['a.png', np.zeros((8, 8, 3), np.uint8)])
def test_what_is_no_picture_is_named(given):
    with pytest.raises(InputError, match=f'tensor .C, H, W., not {type(given).__name__}'):
        transform('sret_t')(given)


def test_training_cuts_at_random_and_goes_to_other_processes():
    train = pickle.loads(pickle.dumps(transform('sret_t', train=True)))
    first, second = train(picture()), train(picture())
    assert first.shape == second.shape == (3, 224, 224)
    assert not torch.equal(first, second)


def test_without_torchvision_one_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, 'torchvision.transforms.v2', None)
    with pytest.raises(InputError, match='pip install torchvision'):
        transform('sret_t')
