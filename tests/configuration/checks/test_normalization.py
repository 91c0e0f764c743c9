"""Mean and deviation of the images, held against those of the starting weights."""

from argparse import ArgumentParser

import pytest
from mmengine.config import Config, DictAction

from vitbackbones.commands.train import NORMALIZATION, SMOKE, TRAIN
from vitbackbones.configuration.checks.normalization import check_normalization
from vitbackbones.configuration.read import with_options
from vitbackbones.weights import PUBLISHED

IMAGENET = {'mean': [123.675, 116.28, 103.53], 'std': [58.395, 57.12, 57.375]}
PARSER = ArgumentParser()
PARSER.add_argument('--cfg-options', nargs='+', action=DictAction)
HALF = {'mean': [127.5] * 3, 'std': [127.5] * 3}


def config(checkpoint, images, whole=False):
    start = {'init_cfg': {'type': 'vitbackbones.Pretrained', 'checkpoint': checkpoint}}
    model = {'data_preprocessor': images, 'backbone': {'type': 'vitbackbones.TNT'}}
    return Config({'model': model | start if whole else model | {'backbone': start}})


@pytest.mark.parametrize(
    'file',
    [
        'checkpoints/tnt_s.pth',
        'tnt_s',
        PUBLISHED['tnt_s'].url,
        '/cache/tnt_s_81.5.pth.tar',
        'hf-hub:timm/tnt_s_patch16_224.in1k',
    ],
)
@pytest.mark.parametrize('whole', [True, False])
def test_weights_of_another_mean_are_named_with_what_to_type(file, whole):
    given = config(file, IMAGENET, whole)
    (line,) = check_normalization(given)
    start, _, options = line.partition('--cfg-options ')
    assert start == (
        'weights of tnt_s saw images of mean [127.5,127.5,127.5] and std [127.5,127.5,127.5], '
        'model.data_preprocessor has [123.675,116.28,103.53] and [58.395,57.12,57.375], '
        'as some published recipes do; to train and test as the weights were: '
    )
    settings = PARSER.parse_args(['--cfg-options', *options.split()]).cfg_options
    followed = with_options(given, settings)
    assert followed.model.data_preprocessor.mean == HALF['mean']
    assert check_normalization(followed) == []


@pytest.mark.parametrize(
    ('file', 'images'),
    [
        ('checkpoints/deit_s.pth', IMAGENET),
        ('checkpoints/deit_s.pth', {key: values[::-1] for key, values in IMAGENET.items()}),
        ('checkpoints/aug_vit_s.pth', HALF),
        ('checkpoints/mine.pth', HALF),
        ('checkpoints/deit_s.pth', {}),
    ],
)
def test_weights_of_the_same_mean_or_of_unknown_origin_are_not(file, images):
    assert check_normalization(config(file, images)) == []


def test_a_run_from_random_weights_hears_nothing():
    given = config('tnt_s', IMAGENET)
    given.model.backbone.init_cfg = None
    assert check_normalization(given) == []


def test_a_run_and_a_smoke_test_say_it():
    for steps in (TRAIN, SMOKE):
        (before,) = (i for i, step in enumerate(steps) if step.name == 'weights')
        assert NORMALIZATION in steps[before:]
