"""Schedules are stepped through before a run; those that learn nothing are named."""

import pytest

from vitbackbones.preparing.schedules import length_rules, simulated

WARM_UP = {'type': 'LinearLR', 'start_factor': 0.1, 'by_epoch': False, 'end': 500}


def findings(schedules, lr=1e-3, **loop):
    optimizer = {'optimizer': {'type': 'SGD', 'lr': lr}}
    return [
        *length_rules({'train_cfg': loop, 'optim_wrapper': optimizer, 'param_scheduler': schedules})
    ]


@pytest.mark.parametrize(
    ('schedules', 'said'),
    [
        (
            [{'type': 'MultiStepLR', 'milestones': [2], 'gamma': float('inf')}],
            'infinite or not a',
        ),
        ([{'type': 'MultiStepLR', 'milestones': [2], 'gamma': -1}], 'a learning rate below 0'),
        (
            [{'type': 'LinearLR', 'start_factor': 1e-9, 'end_factor': 1e-9}],
            'never above 1e-12, where',
        ),
        ([{'type': 'ExponentialLR', 'gamma': 1.2}], 'rises from 0.001 to'),
        ([{'type': 'StepLR', 'step_size': 0}], 'ZeroDivisionError'),
        ([{'type': 'ConstantParamScheduler', 'param_name': 'nope'}], "KeyError: 'nope'"),
        ([{'type': 'QuadraticWarmupLR', 'begin': 3, 'end': 1}], 'param_scheduler: KeyError'),
        ([{'type': 'CosineAnnealingLR', 'begin': 9, 'end': 3}], 'ValueError: '),
        ([{'type': 'ExponentialLR', 'gamma': 1e-30}], 'above 0 in 10% of the run only'),
        ([{'type': 'PolyLR', 'end': 3}], 'above 0 in 20% of the run only'),
        ([WARM_UP, {'type': 'CosineAnnealingLR', 'eta_min': 0.1}], '1.eta_min: is 0.1, above the'),
    ],
)
def test_a_schedule_that_learns_nothing_is_one_message(schedules, said):
    assert said in findings(schedules, max_epochs=10)[0]


@pytest.mark.parametrize(
    'schedules',
    [
        [],
        [WARM_UP, {'type': 'CosineAnnealingLR', 'eta_min': 1e-6}],
        [WARM_UP, {'type': 'MultiStepLR', 'milestones': [8, 9]}],
        {'type': 'ReduceOnPlateauLR', 'monitor': 'loss'},
        [
            {'type': 'CosineAnnealingLR', 'eta_min': 0.1, 'T_max': 4, 'end': 4},
            {'type': 'CosineAnnealingLR', 'eta_min': 1e-3, 'T_max': 6, 'begin': 4},
        ],
        [{'type': 'OneCycleLR', 'eta_max': 0.01, 'total_steps': 10}],
        [{'type': 'PolyLR', 'power': 0.9, 'convert_to_iter_based': True}],
        [{'type': 'PolyLR', 'by_epoch': False, 'end': 400}],
        [{'type': 'CosineAnnealingMomentum', 'eta_min': 0.85}],
        [{'type': 'LinearParamScheduler', 'param_name': 'weight_decay', 'start_factor': 0.5}],
        [{'type': 'CosineAnnealingParamScheduler', 'param_name': 'weight_decay', 'eta_min': 0.05}],
        [{'type': 'OneCycleLR', 'eta_max': 0.001, 'by_epoch': False, 'total_steps': 3000}],
    ],
)
def test_what_is_meant_passes(schedules):
    assert not findings(schedules, max_epochs=10)


def test_a_long_run_is_tried_in_fewer_steps_of_the_same_shape():
    schedule = {'type': 'PolyLR', 'power': 1, 'begin': 1500, 'end': 160_000, 'by_epoch': False}
    seen = simulated([schedule], [1.0, 0.1], 160_000, by_iterations=True)
    assert len(seen) == 1000
    assert seen[500] == pytest.approx([0.505, 0.0505], abs=0.01)
    assert not findings([schedule], max_iters=160_000)


def test_rates_of_zero_for_a_part_of_the_model_are_meant():
    optimizer = {'optimizer': {'lr': 0.1}, 'paramwise_cfg': {'custom_keys': {'a': {'lr_mult': 0}}}}
    assert not [*length_rules({'train_cfg': {'max_epochs': 1}, 'optim_wrapper': optimizer})]


def test_a_schedule_of_mmdet_is_found_in_a_run_of_mmdet():
    warm = {'type': 'QuadraticWarmupLR', 'begin': 0, 'end': 2}
    config = {'train_cfg': {'max_epochs': 10}, 'param_scheduler': [warm], 'default_scope': 'mmdet'}
    assert not [*length_rules(config | {'optim_wrapper': {'optimizer': {'lr': 0.1}}})]


@pytest.mark.parametrize(
    ('loop', 'split', 'said'),
    [
        ({'max_epochs': 2}, 'train', 'InfiniteSampler never ends an epoch; use DefaultSampler'),
        ({'max_iters': 2}, 'val', 'InfiniteSampler never ends an epoch; use DefaultSampler'),
        ({'max_iters': 2}, 'train', None),
    ],
)
def test_an_epoch_without_an_end(loop, split, said):
    loader = {'sampler': {'type': 'mmdet.InfiniteSampler'}}
    found = [*length_rules({'train_cfg': loop, f'{split}_dataloader': loader})]
    assert found == ([f'{split}_dataloader.sampler.type: {said}'] if said else [])


def test_schedules_are_not_stepped_twice():
    hooks = [{'type': 'ParamSchedulerHook'}]
    (found,) = length_rules({'train_cfg': {'max_epochs': 2}, 'custom_hooks': hooks})
    assert found == 'custom_hooks.0: every run has ParamSchedulerHook already; remove this one'


def test_a_run_without_an_end_is_not_stepped_through():
    assert not findings([{'type': 'StepLR', 'step_size': 9}], max_epochs=10**300)


def test_a_trial_of_one_step_is_meant():
    warm = {'type': 'LinearLR', 'start_factor': 1e-6, 'by_epoch': False, 'end': 1500}
    assert not findings([warm], max_iters=1)
    assert 'the run learns nothing' in findings([warm | {'end_factor': 1e-6}], max_iters=9)[0]
