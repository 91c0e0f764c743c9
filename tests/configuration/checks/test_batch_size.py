"""Batch, learning rate and length: what a run says that has other images a step than its recipe."""

import pytest
from mmengine.config import Config

from vitbackbones.configuration.checks.batch_size import check_batch_size


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
        'the learning rate is meant for 16 images a step, here are 2: scale it with --cfg-options '
        'auto_scale_lr.enable=True, or train in 8 processes, or set '
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
    assert 'here are 64: ' in line
    assert 'train in 8 processes' in line
    assert 'accumulative_counts' not in line


def test_a_remedy_that_does_not_divide_is_not_offered():
    (line,) = found(**{'train_dataloader.batch_size': 3})
    assert line.endswith('auto_scale_lr.enable=True')


def test_scaling_and_accumulation_are_not_for_each_other():
    changes = {'auto_scale_lr.enable': True, 'optim_wrapper.accumulative_counts': 8}
    (line,) = found(**changes)
    assert 'that of 2 images a step, and optim_wrapper.accumulative_counts=8 makes them 16' in line


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
