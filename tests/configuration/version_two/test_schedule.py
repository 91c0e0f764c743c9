"""Schedules and optimizers of version 2."""

import pytest

from tests.configuration.version_two.test_convert import detector, shipped
from vitbackbones.configuration.version_two.convert import convert
from vitbackbones.preparing.schedules import simulated

pytestmark = pytest.mark.compat


def changed(**changes):
    return convert({**detector(), **changes}).entries


@pytest.mark.parametrize(
    ('old', 'new'),
    [
        ({'policy': 'fixed'}, []),
        (
            {'policy': 'CosineAnnealing', 'min_lr_ratio': 0.01},
            [{'type': 'CosineAnnealingLR', 'T_max': 12, 'eta_min_ratio': 0.01, 'by_epoch': True}],
        ),
        (
            {'policy': 'step', 'step': 3, 'gamma': 0.5, 'warmup': 'constant', 'warmup_ratio': 0.2},
            [
                {'type': 'ConstantLR', 'factor': 0.2, 'by_epoch': False, 'begin': 0, 'end': 0},
                {'type': 'StepLR', 'step_size': 3, 'gamma': 0.5, 'by_epoch': True},
            ],
        ),
    ],
)
def test_schedules(old, new):
    ends = {'begin': 0, 'end': 12}
    assert changed(lr_config=old)['param_scheduler'] == [ends | scheduler for scheduler in new]


def test_half_precision_clipping_and_accumulation():
    settings = {'grad_clip': {'max_norm': 35}, 'cumulative_iters': 4}
    wrapper = changed(fp16={'loss_scale': 512.0}, optimizer_config=settings)['optim_wrapper']
    assert wrapper['type'] == 'AmpOptimWrapper'
    assert wrapper['loss_scale'] == 512.0
    assert wrapper['clip_grad'] == {'max_norm': 35}
    assert wrapper['accumulative_counts'] == 4


def test_half_precision_of_apex_and_of_an_empty_dict():
    settings = {'type': 'DistOptimizerHook', 'update_interval': 2, 'use_fp16': True}
    wrapper = changed(optimizer_config=settings)['optim_wrapper']
    assert wrapper['type'] == 'AmpOptimWrapper'
    assert wrapper['accumulative_counts'] == 2
    assert changed(fp16={})['optim_wrapper']['type'] == 'AmpOptimWrapper'


def test_a_rate_by_iterations_ends_with_the_epochs():
    old = {'policy': 'CosineAnnealing', 'by_epoch': False, 'min_lr': 0.0}
    (made,) = changed(lr_config=old)['param_scheduler']
    assert made['T_max'] == made['end'] == 12
    assert made['by_epoch'] is made['convert_to_iter_based'] is True
    (made,) = changed(lr_config={'policy': 'step', 'by_epoch': False, 'step': [90]})[
        'param_scheduler'
    ]
    assert made['milestones'] == [90]
    assert 'end' not in made


@pytest.mark.parametrize('epochs', [1, 2])
def test_a_warm_up_counted_in_epochs_rises_in_each_iteration_and_ends(epochs):
    old = {'policy': 'step', 'step': [9], 'warmup': 'linear', 'warmup_ratio': 0.01}
    old |= {'warmup_iters': epochs, 'warmup_by_epoch': True}
    schedules = changed(lr_config=old)['param_scheduler']
    seen = simulated(schedules, [0.1], length=12, by_iterations=False)
    length = len(seen) // 12  # of an epoch, in iterations
    rates = [step[0] for step in seen]
    assert rates[0] == pytest.approx(0.001)
    assert rates[length // 2] > 0.02
    assert rates[epochs * length] == pytest.approx(0.1)


def test_the_schedule_of_yolox_is_that_of_version_three():
    old = {'policy': 'YOLOX', 'warmup': 'exp', 'by_epoch': False, 'warmup_by_epoch': True}
    old |= {'warmup_ratio': 1, 'warmup_iters': 5, 'num_last_epochs': 15, 'min_lr_ratio': 0.05}
    runner = {'type': 'EpochBasedRunner', 'max_epochs': 300}
    made = changed(lr_config=old, runner=runner, optimizer={'type': 'SGD', 'lr': 0.01})
    expected = shipped('mmdet', 'yolox/yolox_s_8xb8-300e_coco.py')['param_scheduler']
    assert made['param_scheduler'] == expected


def test_when_to_measure():
    old = {'interval': 2, 'start': 8, 'metric': 'bbox', 'dynamic_intervals': [(10, 1)]}
    made = changed(evaluation=old)['train_cfg']
    assert made['val_interval'] == 2
    assert made['val_begin'] == 8
    assert made['dynamic_intervals'] == [(10, 1)]
