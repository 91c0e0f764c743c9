"""What a run says whose batch, length or images are not those of its recipe or weights."""

from argparse import ArgumentParser

import pytest
from mmengine.config import Config, DictAction

from vitbackbones.commands.train import NORMALIZATION, SMOKE, TRAIN
from vitbackbones.configuration.checks.recipe import check_batch_size, check_normalization
from vitbackbones.configuration.read import with_options
from vitbackbones.weights import PUBLISHED


def found(launcher='none', loop=None, **changes):
    config = Config(
        {
            'train_dataloader': {'batch_size': 2},
            'train_cfg': loop or {'by_epoch': True, 'max_epochs': 50},
            'optim_wrapper': {'type': 'OptimWrapper'},
            'auto_scale_lr': {'enable': False, 'base_batch_size': 16},
        }
    )
    config.merge_from_dict(changes)
    return check_batch_size(config, launcher)


def test_one_process_at_the_rate_of_eight_is_told_what_to_do():
    (line,) = found()
    assert line == (
        'the learning rate is meant for 16 images a step, but this run has 2: scale it with '
        '--cfg-options auto_scale_lr.enable=True, or train in 8 processes, or set '
        'optim_wrapper.accumulative_counts=8'
    )


@pytest.mark.parametrize(
    'changes',
    [
        {'auto_scale_lr.enable': True},
        {'optim_wrapper.accumulative_counts': 8},
        {'train_dataloader.batch_size': 16},
        {'auto_scale_lr': None},
    ],
    ids=str,
)
def test_a_run_whose_rate_belongs_to_its_batch_hears_nothing(changes):
    assert found(**changes) == []


@pytest.mark.parametrize(
    ('launcher', 'name'), [('pytorch', 'WORLD_SIZE'), ('slurm', 'SLURM_NTASKS')]
)
def test_the_processes_of_the_launcher_count(monkeypatch, launcher, name):
    monkeypatch.setenv(name, '8')
    assert found(launcher) == []
    assert found('none') != []  # inside of a Slurm allocation, too
    monkeypatch.setenv(name, '32')
    (line,) = found(launcher)
    assert 'this run has 64: ' in line
    assert 'train in 8 processes' in line
    assert 'accumulative_counts' not in line


def test_a_remedy_that_does_not_divide_is_not_offered():
    (line,) = found(**{'train_dataloader.batch_size': 3})
    assert line.endswith('auto_scale_lr.enable=True')


def test_scaling_and_accumulation_are_not_for_each_other():
    changes = {'auto_scale_lr.enable': True, 'optim_wrapper.accumulative_counts': 8}
    (line,) = found(**changes)
    assert 'for 2 images a step, but with optim_wrapper.accumulative_counts=8 a step has 16' in line


@pytest.mark.parametrize(
    ('enable', 'begins'), [(False, 'the learning rate'), (True, '160000 iterations')]
)
def test_iterations_of_fewer_images_see_less_whether_scaled_or_not(enable, begins):
    loop = {'by_epoch': False, 'max_iters': 160000}
    (line,) = found(loop=loop, **{'auto_scale_lr.enable': enable})
    assert line.startswith(begins)
    assert line.endswith(
        '160000 iterations of 2 images see 0.125 times the images of the recipe, '
        'whose iterations have 16'
    )


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
        'the weights of tnt_s were trained on images of mean [127.5,127.5,127.5] and std '
        '[127.5,127.5,127.5], but model.data_preprocessor has [123.675,116.28,103.53] and '
        '[58.395,57.12,57.375], as some published recipes do; to normalize as for the weights: '
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
